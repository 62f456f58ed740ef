import * as z from 'zod/mini';
import { LOCATION_MAX_LENGTH } from '../core/stored-proxies/json-location.ts';
import {
  BODY_FORMS,
  MATCHERS,
  OTHERWISE,
  STATUSES,
  STORED_PROXY_LIMITS as LIMITS,
  type Transform,
} from '../core/stored-proxies/stored-proxy.ts';
import {
  HMAC_ALGORITHMS,
  KEY_ENCODINGS,
  SIGNATURE_ENCODINGS,
  SIGNATURE_SCHEMES,
  TOLERANCE_SECONDS,
} from '../core/stored-proxies/signature.ts';
import { SIGNED_MAX_LENGTH } from '../core/stored-proxies/signed-text.ts';
import { notOneOf } from '../core/shared/known-names.ts';
import { isJsonObject, type JsonObject } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { body, boolean, json, lengthTo, list, oneOf, optional, text, wellFormed } from './parts.ts';

const headerName = /* @__PURE__ */ text.check(/* @__PURE__ */ z.maxLength(LIMITS.headerName, 'is too long'));

const PREFIX_MAX_LENGTH = 100;

/** A list of names of headers, whose form is checked with the proxy. */
export const headerNames = /* @__PURE__ */ z.lazy(() => list(headerName, LIMITS.headers));

const jsonMap = /* @__PURE__ */ z
  .custom<JsonObject>(isJsonObject, {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be an object'),
  })
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

const headerValue = /* @__PURE__ */ z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .check(
    /* @__PURE__ */ z.refine(
      (value) => value.length <= LIMITS.headerValue && value.isWellFormed(),
      `must be well-formed Unicode of at most ${String(LIMITS.headerValue)} characters`,
    ),
  );

const location = /* @__PURE__ */ z.lazy(() => text.check(...lengthTo(LOCATION_MAX_LENGTH)));

/** Members of every transform that responses can have. */
const ofAnswers = () => ({ statuses: z.optional(oneOf(STATUSES)) });

const variant = <const Type extends Transform['type'], Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) => z.object({ type: z.literal(type), ...shape });

const NAMED_SCHEMES = ['standard_webhooks', 'stripe', 'github'] as const satisfies readonly Exclude<
  (typeof SIGNATURE_SCHEMES)[number],
  'hmac'
>[];

/** Makes the schemas of transforms: one for each type, and two for `verify_signature`. */
export const variants = /* @__PURE__ */ madeOnce(() => ({
  AppendHeader: variant('append_header', { name: headerName, value: headerValue, ...ofAnswers() }),
  AppendJson: variant('append_json', { location, value: json, ...ofAnswers() }),
  RemoveHeader: variant('remove_header', { name: headerName, ...ofAnswers() }),
  AllowHeaders: variant('allow_headers', { names: headerNames, ...ofAnswers() }),
  Tokenize: variant('tokenize', {
    location,
    token: jsonMap,
    optional: z.optional(boolean),
    otherwise: z.optional(oneOf(OTHERWISE)),
    ...ofAnswers(),
  }),
  Mask: variant('mask', {
    replacement: text.check(
      z.maxLength(LIMITS.replacement, `must be at most ${String(LIMITS.replacement)} characters`),
      wellFormed,
    ),
    location: z.optional(location),
    matcher: z.optional(oneOf(MATCHERS)),
    expression: z.optional(text.check(...lengthTo(LIMITS.expression))),
    required: z.optional(boolean),
    ...ofAnswers(),
  }),
  Reactor: variant('reactor', {
    reactor_id: text,
    code_hash: z.optional(text),
    as: z.optional(oneOf(BODY_FORMS)),
    ...ofAnswers(),
  }),
  VerifySignature: variant('verify_signature', { scheme: oneOf(NAMED_SCHEMES), configuration: text }),
  VerifyHmac: variant('verify_signature', {
    scheme: z.literal('hmac'),
    configuration: text,
    header: headerName,
    algorithm: oneOf(HMAC_ALGORITHMS),
    encoding: oneOf(SIGNATURE_ENCODINGS),
    key_encoding: z.optional(oneOf(KEY_ENCODINGS)),
    prefix: z.optional(text.check(...lengthTo(PREFIX_MAX_LENGTH))),
    signed: z.optional(text.check(...lengthTo(SIGNED_MAX_LENGTH))),
    timestamp: z.optional(body({ header: headerName, tolerance_seconds: optional(seconds) })),
    delivery: z.optional(deliveryIdentity),
  }),
}));

export type Variants = ReturnType<typeof variants>;

/** A union by `type`; `of` may add to the schema of each variant. */
export function unionOf(of: <T extends z.ZodMiniObject>(schema: T, name: keyof Variants) => T) {
  const { VerifySignature, VerifyHmac, ...others } = variants();
  const schemes = z.discriminatedUnion(
    'scheme',
    [of(VerifySignature, 'VerifySignature'), of(VerifyHmac, 'VerifyHmac')],
    { error: ({ input }) => schemeProblem(input) },
  );
  return z.discriminatedUnion('type', [
    of(others.AppendHeader, 'AppendHeader'),
    of(others.AppendJson, 'AppendJson'),
    of(others.RemoveHeader, 'RemoveHeader'),
    of(others.AllowHeaders, 'AllowHeaders'),
    of(others.Tokenize, 'Tokenize'),
    of(others.Mask, 'Mask'),
    of(others.Reactor, 'Reactor'),
    schemes,
  ]);
}

function schemeProblem(input: unknown): string {
  const scheme = isJsonObject(input) ? input['scheme'] : undefined;
  return scheme === undefined ? 'is required' : notOneOf(scheme, SIGNATURE_SCHEMES);
}

export const union = /* @__PURE__ */ madeOnce(() => unionOf((schema) => schema));
