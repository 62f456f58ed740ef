import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ApplicationStore } from '../applications/application-store.ts';
import { parseDestination, type EgressAllowList } from '../egress/destination.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { parseTokenTemplate, referencesOf, type TokenReference } from '../expressions/token-expression.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { checkTemplates } from '../expressions/render.ts';
import { hasExpression } from '../expressions/template.ts';
import { parseTexts, templatesIn } from '../tokens/detokenize.ts';
import { isDigestField } from '../proxy/listed-fields.ts';
import { isFieldName, mayAppend, readName } from '../proxy/request-headers.ts';
import { checkedApplication } from '../reactors/get-reactor.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { Clock } from '../shared/clock.ts';
import type { Random } from '../shared/platform.ts';
import type { FieldReporter } from '../shared/field-reporter.ts';
import type { Secret } from '../shared/secret.ts';
import { sameJson } from '../shared/same-json.ts';
import { errorsBelow, pathOf } from '../shared/member-path.ts';
import { ServiceError } from '../shared/service-error.ts';
import { checkContainers, checkExpiration } from '../tokens/check-content.ts';
import { checkDetails } from '../tokens/token-details.ts';
import { tokenIdProblem } from '../tokens/token-id.ts';
import type { TokenInput } from '../tokens/token-input.ts';
import type { ParseTokenInput } from '../tokens/tokenize.ts';
import { patternProblem } from './admitted-path.ts';
import { headerPieces, namesInHeader } from './header-value.ts';
import { parseLocation, parsePattern } from './json-location.ts';
import {
  STORED_PROXY_LIMITS,
  type ProxyConfiguration,
  type ProxyDefinition,
  type RequestTransform,
  type ResponseTransform,
  type RunReactor,
  type Transform,
} from './stored-proxy.ts';
import type { HmacSignature } from './signature.ts';
import { secretProblem, signatureProblems } from './verify-signature.ts';

export interface CheckProxyDeps {
  readonly applicationStore: Pick<ApplicationStore, 'find' | 'findMany'>;
  readonly reactorStore: Pick<ReactorStore, 'findMany'>;
  readonly egressAllowList: EgressAllowList;
  readonly parseTokenInput: ParseTokenInput;
  readonly random: Random;
  readonly clock: Clock;
}

/** A reactor transform as a request has it: without a hash, it means the code of now. */
type DraftReactor = Omit<RunReactor, 'codeHash'> & { readonly codeHash?: string };
type Draft<Any> = Exclude<Any, RunReactor> | DraftReactor;

/** A transform as a request has it, whose shape is checked. */
export type DraftTransform = Draft<Transform>;

/** A definition as a request has it, whose shape is checked. */
export interface ProxyDraft extends Omit<ProxyDefinition, 'requestTransforms' | 'responseTransforms'> {
  readonly requestTransforms: readonly Draft<RequestTransform>[];
  readonly responseTransforms: readonly Draft<ResponseTransform>[];
}

/** What a definition is checked against. */
interface Surroundings {
  readonly tenantId: string;
  /** The whole configuration after the change. */
  readonly configuration: Secret<ProxyConfiguration>;
  /** Names of the service, which are no destinations. */
  readonly ownHosts: readonly string[];
  /** Whether a field is for the service alone. The name is in lower case. */
  readonly isReserved: (name: string) => boolean;
  /**
   * The definition before the change. What it names may be gone meanwhile, and stays as it is.
   */
  readonly previous?: ProxyDefinition;
}

/** What the check of a transform needs besides the transform. */
interface Around extends Pick<Surroundings, 'isReserved'>, Pick<CheckProxyDeps, 'parseTokenInput' | 'clock'> {
  readonly isRequest: boolean;
  readonly isFirst: boolean;
  readonly configuration: ProxyConfiguration;
  readonly fields: TemplateFields;
}

/** Reports problems below one path of the request. */
type Report = (member: string, problem: string) => void;

const NO_EXPRESSIONS = 'must not contain expressions: only what is sent to the destination has them';

function checkLocation(location: string, report: Report): void {
  const parsed = parseLocation(location);
  if ('problem' in parsed) report('location', parsed.problem);
}

/** Reports names that the configuration does not have. */
function checkNames(
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
  { configuration, fields, isRequest }: Around,
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
  // What does not fit into its syntax, such as a charset, is quoted in errors, often in other case.
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
  { fields, isRequest }: Around,
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
  { parseTokenInput, fields, clock }: Around,
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
  // Loads the engine on first use (docs/decisions/0026-load-rare-code-on-first-use.md).
  const { compileRegex } = await import('./linear-regex.ts');
  const compiled = compileRegex(expression);
  if ('problem' in compiled) report('expression', compiled.problem);
}

/** Reports headers that must not pass where a proxy hides. */
function checkPassed({ passHeaders = [] }: ProxyDraft, fields: FieldReporter): void {
  for (const [at, name] of passHeaders.entries()) {
    if (!isFieldName(name)) fields.report(`pass_headers[${String(at)}]`, 'is not the name of a header');
    else if (isDigestField(name))
      fields.report(
        `pass_headers[${String(at)}]`,
        'names a validator or a digest, which would show what the proxy hides',
      );
  }
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
  { isFirst, configuration }: Around,
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
    transform: Extract<Draft<Transform>, { readonly type: Type }>,
    around: Around,
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

async function checkTransform(transform: Draft<Transform>, around: Around, report: Report): Promise<void> {
  // TypeScript does not see that the check is that of the transform's own type.
  const check = CHECKS[transform.type] as (
    transform: Draft<Transform>,
    around: Around,
    report: Report,
  ) => void | Promise<void>;
  await check(transform, around, report);
}

/** Why a text cannot be a client certificate: it is PEM with a certificate and its private key. */
function certificateProblem(pem: string): string | undefined {
  try {
    const isPair = new X509Certificate(pem).checkPrivateKey(createPrivateKey(pem));
    return isPair ? undefined : 'whose private key is not that of its certificate';
  } catch {
    return 'which is not a certificate with its private key, without a passphrase, in PEM';
  }
}

function checkDestination(
  { egressAllowList }: CheckProxyDeps,
  { destinationUrl, clientCertificate }: ProxyDraft,
  { ownHosts, configuration }: Surroundings,
  fields: FieldReporter,
): void {
  const parsed = parseDestination(destinationUrl, { allowList: egressAllowList, ownHosts });
  if (typeof parsed === 'string') fields.report('destination_url', parsed);
  else if (/[?#]/.test(destinationUrl))
    fields.report('destination_url', 'must not have a query or a fragment');
  if (clientCertificate === undefined) return;
  const values = configuration.reveal();
  const report: Report = (member, problem) => {
    fields.report(member, problem);
  };
  checkNames([clientCertificate], 'client_certificate', values, report);
  const pem = values[clientCertificate]?.value;
  const problem = pem === undefined ? undefined : certificateProblem(pem);
  if (problem !== undefined) fields.report('client_certificate', `names a value ${problem}`);
  if (typeof parsed !== 'string' && parsed.url.protocol !== 'https:')
    fields.report('client_certificate', 'needs a destination with https');
}

/** Adds to each reactor transform the hash of the code that the reactor has now. */
async function pinned<Any extends Transform>(
  deps: CheckProxyDeps,
  { tenantId, before = [] }: { readonly tenantId: string; readonly before?: readonly Any[] | undefined },
  transforms: readonly Draft<Any>[],
  report: (at: number, member: string, problem: string) => void,
): Promise<readonly Any[]> {
  const ids = transforms.flatMap((each) => ('reactorId' in each ? [each.reactorId] : []));
  const found = ids.length === 0 ? [] : await deps.reactorStore.findMany(tenantId, ids);
  const hashes = new Map(
    found.filter(({ state }) => state === 'ready').map((each) => [each.id, each.codeHash]),
  );
  return transforms.map((each, at): Any => {
    if (!('reactorId' in each)) return each;
    const isUnchanged = before.some(
      (old) => old.type === 'reactor' && old.reactorId === each.reactorId && old.codeHash === each.codeHash,
    );
    const codeHash = isUnchanged ? each.codeHash : hashes.get(each.reactorId);
    if (codeHash === undefined) report(at, 'reactor_id', 'is not a reactor of this tenant');
    else if (each.codeHash !== undefined && each.codeHash !== codeHash)
      report(at, 'code_hash', "is not that of the reactor's code; leave it out to accept the code of now");
    return { ...each, codeHash: codeHash ?? '' } as unknown as Any;
  });
}

/** Checks the transforms of one side, and pins the code of reactors. */
async function checkSide<Any extends Transform>(
  deps: CheckProxyDeps,
  tenantId: string,
  transforms: readonly Draft<Any>[],
  {
    member,
    isRequest,
    before = [],
  }: {
    readonly member: string;
    readonly isRequest: boolean;
    readonly before?: readonly Any[] | undefined;
  },
  around: Omit<Around, 'isRequest' | 'isFirst'>,
): Promise<readonly Any[]> {
  const reportAt = (at: number, inner: string, problem: string) => {
    const path = `${member}[${String(at)}]`;
    around.fields.report(inner === '' ? path : `${path}.${inner}`, problem);
  };
  for (const [at, transform] of transforms.entries()) {
    const report: Report = (inner, problem) => {
      reportAt(at, inner, problem);
    };
    // The end of such a token may be over meanwhile.
    const isOld = transform.type === 'tokenize' && before.some((old) => sameJson(old, transform));
    if (!isOld) await checkTransform(transform, { ...around, isRequest, isFirst: at === 0 }, report);
  }
  return pinned<Any>(deps, { tenantId, before }, transforms, reportAt);
}

/**
 * The definition that a request describes. Throws `validation_failed` with every problem: a
 * destination that the ephemeral proxy refuses, a location that cannot be set, names that the
 * configuration lacks.
 */
export async function checkProxy(
  deps: CheckProxyDeps,
  draft: ProxyDraft,
  around: Surroundings,
): Promise<ProxyDefinition> {
  const fields = new TemplateFields(deps.random.integer);
  const { tenantId, isReserved } = around;
  const configuration = around.configuration.reveal();
  checkDestination(deps, draft, around, fields);
  for (const [at, pattern] of (draft.paths ?? []).entries()) {
    const problem = patternProblem(pattern);
    if (problem !== undefined) fields.report(`paths[${String(at)}]`, problem);
  }
  checkPassed(draft, fields);
  if (!draft.requireAuth && draft.applicationId === undefined)
    fields.report('application', 'is required where `require_auth` is false');
  const request = {
    member: 'request_transforms',
    isRequest: true,
    before: around.previous?.requestTransforms,
  };
  const response = {
    member: 'response_transforms',
    isRequest: false,
    before: around.previous?.responseTransforms,
  };
  const check = { configuration, fields, isReserved, ...deps };
  const requestTransforms = await checkSide<RequestTransform>(
    deps,
    tenantId,
    draft.requestTransforms,
    request,
    check,
  );
  const responseTransforms = await checkSide<ResponseTransform>(
    deps,
    tenantId,
    draft.responseTransforms,
    response,
    check,
  );
  fields.throwIfFailed();
  if (draft.applicationId !== around.previous?.applicationId)
    await checkedApplication(deps, tenantId, draft.applicationId);
  const definition = { ...draft, requestTransforms, responseTransforms };
  if (Buffer.byteLength(JSON.stringify(definition)) > STORED_PROXY_LIMITS.definitionBytes)
    throw new ServiceError(
      'payload_too_large',
      `A proxy without its configuration is at most ${String(STORED_PROXY_LIMITS.definitionBytes)} bytes of JSON.`,
    );
  return definition;
}
