import * as z from 'zod/mini';
import { LOCATION_MAX_LENGTH } from '../core/proxies/json-location.ts';
import {
  BODY_FORMS,
  MATCHERS,
  OTHERWISE,
  STATUSES,
  STORED_PROXY_LIMITS as LIMITS,
  TRANSFORM_TYPES,
  type Transform,
} from '../core/proxies/stored-proxy.ts';
import {
  HMAC_ALGORITHMS,
  KEY_ENCODINGS,
  SIGNATURE_ENCODINGS,
  SIGNATURE_SCHEMES,
  TOLERANCE_SECONDS,
} from '../core/proxies/signature.ts';
import { SIGNED_MAX_LENGTH } from '../core/proxies/signed-text.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined } from '../core/shared/defined.ts';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { isJsonObject, type JsonObject } from '../core/shared/json.ts';
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

const PREFIX_MAX_LENGTH = 100;

/** A list of names of headers, whose form is checked with the proxy. */
export const headerNames = /* @__PURE__ */ z.lazy(() => list(headerName, LIMITS.headers));

const jsonMap = /* @__PURE__ */ z
  .custom<JsonObject>(isJsonObject, { error: 'must be an object' })
  .check(/* @__PURE__ */ z.meta({ override: { type: 'object', additionalProperties: {} } }));

const seconds = /* @__PURE__ */ z
  .number({ error: 'must be a number of seconds' })
  .check(
    /* @__PURE__ */ z.refine(
      (value) => Number.isInteger(value) && value >= 1 && value <= TOLERANCE_SECONDS.max,
      `must be a whole number from 1 to ${String(TOLERANCE_SECONDS.max)}`,
    ),
  );

type DeliveryIdentity = 'body' | { readonly header: string };

/** The hash of the body, or a header that is signed. */
const deliveryIdentity = /* @__PURE__ */ z
  .custom<DeliveryIdentity>(
    (input) =>
      input === 'body' ||
      (isJsonObject(input) &&
        Object.keys(input).join() === 'header' &&
        headerName.safeParse(input['header']).success),
    { error: 'must be "body" or { "header": NAME }' },
  )
  .check(
    /* @__PURE__ */ z.meta({
      override: {
        anyOf: [
          { type: 'string', const: 'body' },
          {
            type: 'object',
            properties: { header: { type: 'string', description: 'A header that is signed.' } },
            required: ['header'],
            additionalProperties: false,
          },
        ],
      },
    }),
  );

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
  statuses: z.optional(oneOf(STATUSES)),
  otherwise: z.optional(oneOf(OTHERWISE)),
  optional: z.optional(boolean),
  as: z.optional(oneOf(BODY_FORMS)),
  header: z.optional(headerName),
  algorithm: z.optional(oneOf(HMAC_ALGORITHMS)),
  encoding: z.optional(oneOf(SIGNATURE_ENCODINGS)),
  key_encoding: z.optional(oneOf(KEY_ENCODINGS)),
  prefix: z.optional(text.check(...lengthTo(PREFIX_MAX_LENGTH))),
  signed: z.optional(text.check(...lengthTo(SIGNED_MAX_LENGTH))),
  timestamp: z.optional(body({ header: headerName, tolerance_seconds: optional(seconds) })),
  delivery: z.optional(deliveryIdentity),
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

/** The members of a type, of which those of `needs` are required. */
interface Shape {
  readonly side: 'both' | 'request' | 'response';
  readonly needs: readonly string[];
  readonly may?: readonly string[];
  /** Members beside `statuses` that it has in answers alone. */
  readonly inAnswers?: readonly string[];
}

const HMAC: Shape = {
  side: 'request',
  needs: ['scheme', 'configuration', 'header', 'algorithm', 'encoding'],
  may: ['key_encoding', 'prefix', 'signed', 'timestamp', 'delivery'],
};

const SHAPES: Readonly<Record<Transform['type'], Shape>> = {
  append_header: { side: 'both', needs: ['name', 'value'] },
  append_json: { side: 'both', needs: ['location', 'value'] },
  remove_header: { side: 'both', needs: ['name'] },
  allow_headers: { side: 'both', needs: ['names'] },
  tokenize: { side: 'both', needs: ['location', 'token'], may: ['optional'], inAnswers: ['otherwise'] },
  mask: { side: 'response', needs: ['replacement'], may: ['location', 'matcher', 'expression', 'required'] },
  reactor: { side: 'both', needs: ['reactor_id'], may: ['code_hash', 'as'] },
  verify_signature: { side: 'request', needs: ['scheme', 'configuration'] },
};

/** Members that core spells in another way. */
const CORE_NAMES: ReadonlyMap<string, string> = new Map([
  ['reactor_id', 'reactorId'],
  ['code_hash', 'codeHash'],
  ['key_encoding', 'keyEncoding'],
  ['tolerance_seconds', 'toleranceSeconds'],
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

/** Why a member does not belong to a transform; `undefined` if it does. */
function memberProblem(member: string, type: string, side: Reading['side'], shape: Shape) {
  const { side: allowed, needs, may = [], inAnswers = [] } = shape;
  const isOfAnswers = allowed !== 'request' && ['statuses', ...inAnswers].includes(member);
  if (isOfAnswers && side === 'request') return 'is for response_transforms alone';
  return isOfAnswers || [...needs, ...may].includes(member)
    ? undefined
    : `is no member of a transform of type ${type}`;
}

/** A transform as core has it; reports what does not belong to its type. */
function transformOf(input: TransformBody, path: string, reading: Reading) {
  const { type } = input;
  const { side, fields } = reading;
  const members = membersOf(input, path, reading);
  const shape = members['scheme'] === 'hmac' && type === 'verify_signature' ? HMAC : SHAPES[type];
  if (shape.side !== 'both' && shape.side !== side)
    fields.report(`${path}.type`, `must be in ${shape.side}_transforms: ${type} works there alone`);
  for (const member of shape.needs)
    if (members[member] === undefined) fields.report(memberPath(path, member), 'is required');
  for (const member of Object.keys(members)) {
    const problem = memberProblem(member, type, side, shape);
    if (problem !== undefined) fields.report(memberPath(path, member), problem);
  }
  if (type === 'append_header') checkText(members['value'], `${path}.value`, fields);
  // The loops above have checked that it has the members of its type, and no others.
  return { type, ...renamed(members, CORE_NAMES) } as unknown as Transform;
}

/** Members by other names, also those of `timestamp`. */
function renamed(
  members: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const entries = Object.entries(members).map(([member, value]) => {
    const isMembers = member === 'timestamp' && isJsonObject(value);
    return [names.get(member) ?? member, isMembers ? renamed(value, names) : value] as const;
  });
  return Object.fromEntries(entries);
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
      statuses: z.optional(z.enum(STATUSES)),
      otherwise: z.optional(z.enum(OTHERWISE)),
      optional: z.optional(z.boolean()),
      as: z.optional(z.enum(BODY_FORMS)),
      header: z.optional(z.string()),
      algorithm: z.optional(z.enum(HMAC_ALGORITHMS)),
      encoding: z.optional(z.enum(SIGNATURE_ENCODINGS)),
      key_encoding: z.optional(z.enum(KEY_ENCODINGS)),
      prefix: z.optional(z.string()),
      signed: z.optional(z.string()),
      timestamp: z.optional(z.object({ header: z.string(), tolerance_seconds: z.optional(z.number()) })),
      delivery: z.optional(deliveryIdentity),
    })
    .check(z.meta({ id: 'ProxyTransform', description: 'The members depend on `type`.' })),
);

export const presentTransform = (transform: Transform): Response<typeof transformResponse> =>
  renamed({ ...transform }, WIRE_NAMES) as unknown as Response<typeof transformResponse>;

/** What the OpenAPI document says about the members of a transform. */
const TRANSFORM_WORDS: Members = {
  type: 'Decides which members the transform has.',
  name: 'Of `append_header` and `remove_header`: the header.',
  value:
    'Of `append_header`: a string, which may contain `{{ configuration.NAME }}`. Of `append_json`: any JSON. In requests both may contain detokenization expressions.',
  location:
    'Of `append_json`, `tokenize` and `mask`: a JSONPath to one value, such as `$.card.number`. Of `tokenize` also to several: `$.cards[*]`, `$.cards[-1]`.',
  names: 'Of `allow_headers`: all other headers are removed.',
  token:
    'Of `tokenize`: the body of a request to create a token. Without `data`, the value at `location` is the data; expressions of `data` read it as `found`.',
  matcher: 'Of `mask`, instead of `location`: what to find in any text.',
  expression: 'Of the matcher `regex`: a regular expression in the syntax of RE2.',
  replacement: 'Of `mask`: the text that takes the place of each match.',
  required:
    'Of `mask`: with true, an answer with a 2xx status that has nothing to mask fails. By default false.',
  reactor_id: 'Of `reactor`: the reactor whose code runs.',
  code_hash: 'SHA-256 of the code that the transform runs, in hexadecimal.',
  scheme: 'Of `verify_signature`: how the sender signs.',
  configuration: 'Of `verify_signature`: the name of the secret in `configuration`.',
  statuses:
    'In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and `tokenize`, else `any`.',
  otherwise:
    'Of `tokenize` in answers: with `pass`, the body of a status that it does not run for passes. By default nothing of it does.',
  optional: 'Of `tokenize`: with true, a body without the location passes. By default false.',
  as: 'Of `reactor`: with `text`, the code gets and returns the bytes of the body as they are. By default `json`.',
  header: 'Of the scheme `hmac`: the header that has the signature.',
  algorithm: 'Of `hmac`.',
  encoding: 'Of `hmac`: how the signature is written.',
  key_encoding: 'Of `hmac`: how the secret is written; by default `utf8`.',
  prefix: 'Of `hmac`: stands before the signature, such as `sha256=`.',
  signed:
    'Of `hmac`: what is signed, with `{body}`, `{header:NAME}`, `{timestamp}` and `{url}`; by default `{body}`.',
  timestamp: 'Of `hmac`: the header that has the time.',
  'timestamp.header': 'In seconds since the epoch.',
  'timestamp.tolerance_seconds': 'How far the time may be from now: 1 to 3,600; by default 300.',
  delivery: 'Of `hmac`: what identifies a delivery: a signed header, or by default the hash of the `body`.',
};

export const wordsOfTransforms = (list: 'request_transforms' | 'response_transforms'): Members => ({
  [list]: `Up to ${String(LIMITS.transforms)}, in order.`,
  ...Object.fromEntries(
    Object.entries(TRANSFORM_WORDS).map(([member, words]) => [`${list}[].${member}`, words]),
  ),
});
