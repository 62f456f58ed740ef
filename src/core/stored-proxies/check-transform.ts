import { ExpressionError } from '../expressions/expression-error.ts';
import { parseTokenTemplate, referencesOf, type TokenReference } from '../expressions/token-expression.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { checkTemplates } from '../expressions/render.ts';
import { hasExpression } from '../expressions/template.ts';
import { parseTexts, templatesIn } from '../tokens/detokenize.ts';
import { isFieldName, mayAppend, readName } from '../proxy-expressions/request-headers.ts';
import type { Clock } from '../shared/clock.ts';
import { errorsBelow, pathOf } from '../shared/member-path.ts';
import { ServiceError } from '../shared/service-error.ts';
import { checkContainers, checkExpiration } from '../tokens/check-content.ts';
import { checkDetails } from '../tokens/token-details.ts';
import { tokenIdProblem } from '../tokens/token-id.ts';
import type { TokenInput } from '../tokens/token-input.ts';
import type { ParseTokenInput } from '../tokens/tokenize.ts';
import { headerPieces, namesInHeader } from './header-value.ts';
import { parseLocation, parsePattern } from './json-location.ts';
import { type ProxyConfiguration, type Transform } from './stored-proxy.ts';
import type { HmacSignature } from './signature.ts';
import { secretProblem, signatureProblems } from './verify-signature.ts';
import type { DraftTransform } from './draft-transform.ts';

/** All that decides, beside a transform, whether it can be stored. */
export interface TransformSurroundings {
  /** Whether a field is for the service alone. The name is in lower case. */
  readonly isReserved: (name: string) => boolean;
  readonly parseTokenInput: ParseTokenInput;
  readonly clock: Clock;
  readonly isRequest: boolean;
  readonly isFirst: boolean;
  readonly configuration: ProxyConfiguration;
  readonly fields: TemplateFields;
}

/** Reports problems below one path of the request. */
export type Report = (member: string, problem: string) => void;

const NO_EXPRESSIONS = 'must not contain expressions: only what is sent to the destination has them';

function checkLocation(location: string, report: Report): void {
  const parsed = parseLocation(location);
  if ('problem' in parsed) report('location', parsed.problem);
}

/** Reports names that the configuration does not have. */
export function checkNames(
  names: readonly string[],
  member: string,
  configuration: ProxyConfiguration,
  report: Report,
) {
  for (const name of names)
    if (!Object.hasOwn(configuration, name))
      report(member, `names \`${name}\`, which the configuration lacks`);
}

const namesConfiguration = ({ id }: TokenReference): boolean => /^[-\s]*configuration\b/i.test(id);

function checkHeaderValue(
  { name: header, value }: { readonly name: string; readonly value: string },
  { configuration, fields, isRequest }: TransformSurroundings,
  report: Report,
): void {
  if (/\p{Cc}/u.test(value)) report('value', 'must not contain control characters');
  if (!hasExpression(value)) return;
  if (!isRequest) {
    report('value', NO_EXPRESSIONS);
    return;
  }
  const names = namesInHeader(value);
  checkNames(names, 'value', configuration, report);
  // A value that does not fit into its syntax, such as a charset, is quoted in errors, often in
  // other case.
  if (names.length > 0 && readName(header).startsWith('content-'))
    report('value', 'must not refer to the configuration in a header that describes the body');
  const control = names.find((name) => /\p{Cc}/u.test(configuration[name]?.value ?? ''));
  if (control !== undefined) report('value', `names \`${control}\`, whose value has control characters`);
  for (const piece of headerPieces(value)) if ('text' in piece) checkHeaderText(piece.text, fields, report);
}

/** Checks the detokenization expressions between the references to the configuration. */
function checkHeaderText(text: string, fields: TemplateFields, report: Report): void {
  try {
    if (referencesOf(parseTokenTemplate(text, fields.budget)).some(namesConfiguration))
      report('value', 'has a wrong reference to the configuration: write {{ configuration.NAME }}');
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report('value', error.message);
  }
}

function checkJsonValue(
  { value }: Extract<Transform, { type: 'append_json' }>,
  { fields, isRequest }: TransformSurroundings,
  report: Report,
): void {
  const found = new TemplateFields(() => 0);
  const templates = templatesIn(parseTexts(value, 'value', found));
  if (found.failed) {
    for (const [path, messages] of Object.entries(found.error().errors ?? {}))
      for (const message of messages) report(path, message);
    return;
  }
  const references = templates.flatMap(referencesOf);
  fields.countExpressions('value', references.length);
  if (references.length > 0 && !isRequest) report('value', NO_EXPRESSIONS);
  if (references.some(namesConfiguration))
    report('value', 'must not refer to the configuration: only the value of `append_header` does');
}

/** Checks the members of a token that do not depend on its data. */
function checkFixed(input: TokenInput, now: number, report: Report): void {
  checkContainers(input.containers, [], report);
  checkExpiration(input.expiresAtText, now, report);
  const { id } = input;
  const problem = id === undefined || hasExpression(id) ? undefined : tokenIdProblem(id);
  if (problem !== undefined) report('id', problem);
  if (/\{\{-?\s*configuration\b/i.test(JSON.stringify({ ...input, data: null })))
    report('metadata', 'must not refer to the configuration: only the value of `append_header` does');
}

/** Tries the shape of the token that `tokenize` makes. Its data is known only at each call. */
function checkToken(
  { token }: Extract<Transform, { type: 'tokenize' }>,
  { parseTokenInput, fields, clock }: TransformSurroundings,
  report: Report,
): void {
  if (Object.hasOwn(token, 'data'))
    checkTemplates(token['data'] ?? null, { names: ['found'] }, fields.budget, (error, at) => {
      report(pathOf(at, 'token.data'), error.message);
    });
  try {
    const input = parseTokenInput({ ...token, data: null }, '');
    checkFixed(input, clock(), (path, message) => {
      report(`token.${path}`, message);
    });
    checkDetails(
      input,
      (path, message) => {
        report(`token.${path}`, message);
      },
      fields.budget,
    );
  } catch (error) {
    if (!(error instanceof ServiceError) || error.errors === undefined) throw error;
    for (const [path, messages] of Object.entries(errorsBelow('token', error.errors)))
      for (const message of messages) report(path, message);
  }
}

async function checkMask(
  { location, matcher, expression, replacement }: Extract<Transform, { type: 'mask' }>,
  report: Report,
): Promise<void> {
  if ((location === undefined) === (matcher === undefined))
    report('', 'must have either `location` or `matcher`');
  if (location !== undefined) checkLocation(location, report);
  if (matcher === 'card_number' && /\p{Cc}/u.test(replacement))
    report('replacement', 'must not contain control characters, since headers are masked too');
  if ((matcher === 'regex') !== (expression !== undefined))
    report('expression', 'belongs to the matcher `regex`, which needs it');
  if (matcher !== 'regex' || expression === undefined) return;
  // Loads the engine on first use (docs/decisions/0013#load-rare-code-on-first-use).
  const { compileRegex } = await import('./linear-regex.ts');
  const compiled = compileRegex(expression);
  if ('problem' in compiled) report('expression', compiled.problem);
}

function reportNames(names: readonly string[], report: Report): void {
  for (const [at, name] of names.entries())
    if (!isFieldName(name)) report(`names[${String(at)}]`, 'is not the name of a header');
}

/** Checks an `hmac` signature, and the names of the headers that it reads. */
function checkHmac(signature: HmacSignature, report: Report): void {
  for (const [member, problem] of signatureProblems(signature)) report(member, problem);
  const { header, timestamp, delivery } = signature;
  const named = [
    ['header', header],
    ['timestamp.header', timestamp?.header],
    ['delivery.header', typeof delivery === 'object' ? delivery.header : undefined],
  ] as const;
  for (const [member, each] of named)
    if (each !== undefined && !isFieldName(each)) report(member, 'is not the name of a header');
}

function checkSignature(
  transform: Extract<Transform, { type: 'verify_signature' }>,
  { isFirst, configuration }: TransformSurroundings,
  report: Report,
): void {
  const { configuration: name } = transform;
  if (transform.scheme === 'hmac') checkHmac(transform, report);
  if (!isFirst) report('', 'must be the first transform');
  checkNames([name], 'configuration', configuration, report);
  const { value } = configuration[name] ?? {};
  const problem = value === undefined ? undefined : secretProblem(transform, value);
  if (problem !== undefined) report('configuration', `names a value that ${problem}`);
}

/** The checks that transforms have, by their types. */
const CHECKS: {
  readonly [Type in Transform['type']]: (
    transform: Extract<DraftTransform, { readonly type: Type }>,
    around: TransformSurroundings,
    report: Report,
  ) => void | Promise<void>;
} = {
  append_header(transform, around, report) {
    if (!mayAppend(transform.name, around.isReserved))
      report('name', 'is not a header that a transform may set');
    checkHeaderValue(transform, around, report);
  },
  append_json(transform, around, report) {
    checkLocation(transform.location, report);
    checkJsonValue(transform, around, report);
  },
  remove_header({ name }, _around, report) {
    if (!isFieldName(name)) report('name', 'is not the name of a header');
  },
  allow_headers({ names }, _around, report) {
    reportNames(names, report);
  },
  tokenize(transform, around, report) {
    const parsed = parsePattern(transform.location);
    if ('problem' in parsed) report('location', parsed.problem);
    if (transform.otherwise !== undefined && transform.statuses === 'any')
      report('otherwise', 'is for statuses that the transform does not run for, and it runs for `any`');
    checkToken(transform, around, report);
  },
  mask: (transform, _around, report) => checkMask(transform, report),
  reactor: () => undefined,
  verify_signature: checkSignature,
};

/** Reports why a transform cannot be stored. */
export async function checkTransform(
  transform: DraftTransform,
  around: TransformSurroundings,
  report: Report,
): Promise<void> {
  // TypeScript does not see that the check is that of the transform's own type.
  const check = CHECKS[transform.type] as (
    transform: DraftTransform,
    around: TransformSurroundings,
    report: Report,
  ) => void | Promise<void>;
  await check(transform, around, report);
}
