import * as z from 'zod/mini';
import { LOCATION_MAX_LENGTH } from '../core/proxies/json-location.ts';
import {
  MATCHERS,
  STORED_PROXY_LIMITS as LIMITS,
  TRANSFORM_TYPES,
  type Transform,
} from '../core/proxies/stored-proxy.ts';
import { SIGNATURE_SCHEMES } from '../core/proxies/verify-signature.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined } from '../core/shared/defined.ts';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { memberPath } from '../core/shared/member-path.ts';
import {
  anyJson,
  body,
  boolean,
  described,
  json,
  lengthTo,
  list,
  oneOf,
  optional,
  text,
  undocumented,
  uuid,
  wellFormed,
  type Response,
} from './parts.ts';
import type { Members } from './words.ts';

const headerName = /* @__PURE__ */ text.check(/* @__PURE__ */ z.maxLength(LIMITS.headerName, 'is too long'));

/** A list of names of headers, whose form is checked with the proxy. */
export const headerNames = /* @__PURE__ */ z.lazy(() => list(headerName, LIMITS.headers));

const jsonMap = /* @__PURE__ */ z
  .custom<JsonObject>(isJsonObject, { error: 'must be an object' })
  .check(/* @__PURE__ */ z.meta({ override: { type: 'object', additionalProperties: {} } }));

/** The members that some type of transform has. */
const transformMembers = () => ({
  name: z.optional(headerName),
  value: z.optional(json),
  location: z.optional(text.check(...lengthTo(LOCATION_MAX_LENGTH))),
  names: z.optional(headerNames),
  token: z.optional(jsonMap),
  matcher: z.optional(oneOf(MATCHERS)),
  expression: z.optional(text.check(...lengthTo(LIMITS.expression))),
  replacement: z.optional(
    text.check(
      z.maxLength(LIMITS.replacement, `must be at most ${String(LIMITS.replacement)} characters`),
      wellFormed,
    ),
  ),
  required: z.optional(boolean),
  reactor_id: z.optional(text),
  code_hash: z.optional(text),
  scheme: z.optional(oneOf(SIGNATURE_SCHEMES)),
  configuration: z.optional(text),
});

const transformBody = /* @__PURE__ */ z.lazy(() =>
  body({
    type: oneOf(TRANSFORM_TYPES),
    ...transformMembers(),
    // Other services have the members below this one (docs/lenient.md#http).
    options: undocumented(optional(body(transformMembers()))),
  }),
);

type TransformBody = z.output<typeof transformBody>;

/** The members of each type, of which those of `needs` are required. */
const SHAPES: Readonly<
  Record<
    Transform['type'],
    {
      readonly side: 'both' | 'request' | 'response';
      readonly needs: readonly string[];
      readonly may?: readonly string[];
    }
  >
> = {
  append_header: { side: 'both', needs: ['name', 'value'] },
  append_json: { side: 'both', needs: ['location', 'value'] },
  remove_header: { side: 'both', needs: ['name'] },
  allow_headers: { side: 'both', needs: ['names'] },
  tokenize: { side: 'both', needs: ['location', 'token'] },
  mask: { side: 'response', needs: ['replacement'], may: ['location', 'matcher', 'expression', 'required'] },
  reactor: { side: 'both', needs: ['reactor_id'], may: ['code_hash'] },
  verify_signature: { side: 'request', needs: ['scheme', 'configuration'] },
};

/** Members that core spells in another way. */
const CORE_NAMES: ReadonlyMap<string, string> = new Map([
  ['reactor_id', 'reactorId'],
  ['code_hash', 'codeHash'],
]);
const WIRE_NAMES: ReadonlyMap<string, string> = new Map([...CORE_NAMES].map(([wire, core]) => [core, wire]));

interface Reading {
  readonly side: 'request' | 'response';
  readonly compatibility: ClientCompatibility;
  readonly fields: FieldReporter;
}

/** The members of a transform, also those in `options`. Reports those that are in both. */
function membersOf(
  { type: _, options, ...own }: TransformBody,
  path: string,
  { compatibility, fields }: Reading,
): Readonly<Record<string, unknown>> {
  const [outer, inner]: readonly Readonly<Record<string, unknown>>[] = [defined(own), defined(options ?? {})];
  if (options !== undefined && compatibility === 'strict')
    fields.report(`${path}.options`, 'is not known; its members belong into the transform itself');
  for (const member of Object.keys(inner ?? {}))
    if (Object.hasOwn(outer ?? {}, member))
      fields.report(memberPath(path, member), 'is sent twice, also in `options`');
  return { ...inner, ...outer };
}

/** A transform as core has it; reports what does not belong to its type. */
function transformOf(input: TransformBody, path: string, reading: Reading) {
  const { type } = input;
  const { side, fields } = reading;
  const members = membersOf(input, path, reading);
  const { side: allowed, needs, may = [] } = SHAPES[type];
  if (allowed !== 'both' && allowed !== side)
    fields.report(`${path}.type`, `must be in ${allowed}_transforms: ${type} works there alone`);
  for (const member of needs)
    if (members[member] === undefined) fields.report(memberPath(path, member), 'is required');
  for (const member of Object.keys(members))
    if (![...needs, ...may].includes(member))
      fields.report(memberPath(path, member), `is no member of a transform of type ${type}`);
  if (type === 'append_header') checkText(members['value'], `${path}.value`, fields);
  const renamed = Object.entries(members).map(
    ([member, value]) => [CORE_NAMES.get(member) ?? member, value] as const,
  );
  // The loops above have checked that it has the members of its type, and no others.
  return { type, ...Object.fromEntries(renamed) } as unknown as Transform;
}

function checkText(value: unknown, path: string, fields: FieldReporter): void {
  if (typeof value !== 'string') fields.report(path, 'must be a string');
  else if (value.length > LIMITS.headerValue || !value.isWellFormed())
    fields.report(path, `must be well-formed Unicode of at most ${String(LIMITS.headerValue)} characters`);
}

/** The transforms of one side as core has them; reports what does not belong to their types. */
export function transformsOf(
  all: readonly TransformBody[],
  member: string,
  reading: Reading,
): readonly Transform[] {
  return all.map((each, at) => transformOf(each, memberPath(member, at), reading));
}

/** The transforms that a body has for one side (docs/contract.md#transforms-of-a-proxy). */
export const transforms = /* @__PURE__ */ z.lazy(() => list(transformBody, LIMITS.transforms));

/** The form that a transform has (docs/contract.md#transforms-of-a-proxy). */
export const transformResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      type: z.enum(TRANSFORM_TYPES),
      name: z.optional(z.string()),
      value: z.optional(anyJson()),
      location: z.optional(z.string()),
      names: z.optional(z.array(z.string())),
      token: z.optional(z.record(z.string(), anyJson())),
      matcher: z.optional(z.enum(MATCHERS)),
      expression: z.optional(z.string()),
      replacement: z.optional(z.string()),
      required: z.optional(z.boolean()),
      reactor_id: z.optional(uuid()),
      code_hash: described(
        z.optional(z.string()),
        'SHA-256 of the code that the transform runs, in hexadecimal.',
      ),
      scheme: z.optional(z.enum(SIGNATURE_SCHEMES)),
      configuration: z.optional(z.string()),
    })
    .check(z.meta({ id: 'ProxyTransform', description: 'The members depend on `type`.' })),
);

export const presentTransform = (transform: Transform): Response<typeof transformResponse> =>
  Object.fromEntries(
    Object.entries(transform).map(([member, value]) => [WIRE_NAMES.get(member) ?? member, value as Json]),
  ) as unknown as Response<typeof transformResponse>;

/** What the OpenAPI document says about the members of a transform. */
const TRANSFORM_WORDS: Members = {
  type: 'Decides which members the transform has.',
  name: 'Of `append_header` and `remove_header`: the header.',
  value:
    'Of `append_header`: a string, which may contain `{{ configuration.NAME }}`. Of `append_json`: any JSON. In requests both may contain detokenization expressions.',
  location: 'Of `append_json`, `tokenize` and `mask`: a JSONPath to one value, such as `$.card.number`.',
  names: 'Of `allow_headers`: all other headers are removed.',
  token: 'Of `tokenize`: the body of a request to create a token, without `data`.',
  matcher: 'Of `mask`, instead of `location`: what to find in any text.',
  expression: 'Of the matcher `regex`: a regular expression in the syntax of RE2.',
  replacement: 'Of `mask`: the text that takes the place of each match.',
  required:
    'Of `mask`: with true, an answer with a 2xx status that has nothing to mask fails. By default false.',
  reactor_id: 'Of `reactor`: the reactor whose code runs.',
  code_hash: 'SHA-256 of the code that the transform runs, in hexadecimal.',
  scheme: 'Of `verify_signature`: how the sender signs.',
  configuration: 'Of `verify_signature`: the name of the secret in `configuration`.',
};

export const wordsOfTransforms = (list: 'request_transforms' | 'response_transforms'): Members => ({
  [list]: `Up to ${String(LIMITS.transforms)}, in order.`,
  ...Object.fromEntries(
    Object.entries(TRANSFORM_WORDS).map(([member, words]) => [`${list}[].${member}`, words]),
  ),
});
