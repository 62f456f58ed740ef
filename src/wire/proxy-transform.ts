import * as z from 'zod/mini';
import type { DraftTransform } from '../core/stored-proxies/draft-transform.ts';
import {
  STORED_PROXY_LIMITS as LIMITS,
  TRANSFORM_TYPES,
  type MaskValue,
  type Transform,
  type VerifySignature,
} from '../core/stored-proxies/stored-proxy.ts';
import { SIGNATURE_SCHEMES } from '../core/stored-proxies/signature.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined } from '../core/shared/defined.ts';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { body, list, oneOf, optional, picked, undocumented, type Response } from './parts.ts';
import { variants, union } from './proxy-transform-schemas.ts';
import type { transformResponse } from './proxy-transform-response.ts';

type WireTransform = z.output<ReturnType<typeof union>>;
type WireSignature = Extract<WireTransform, { readonly type: 'verify_signature' }>;

/** The names that any type of transform has, beside `type`. */
const memberNames = /* @__PURE__ */ madeOnce(() =>
  [...new Set(Object.values(variants()).flatMap(({ shape }) => Object.keys(shape)))].filter(
    (name) => name !== 'type',
  ),
);

/** Any of these members. Which of them a type has, and what they may be, the union says. */
const anyMembers = (): Readonly<Record<string, z.ZodMiniOptional>> => ({
  ...Object.fromEntries(memberNames().map((name) => [name, z.optional(z.unknown())] as const)),
  timestamp: z.optional(body({ header: z.unknown(), tolerance_seconds: z.optional(z.unknown()) })),
});

const transformBody = /* @__PURE__ */ z.lazy(() =>
  body({
    type: oneOf(TRANSFORM_TYPES),
    ...anyMembers(),
    // Other services have the members below this one (docs/lenient.md#http).
    options: undocumented(optional(body(anyMembers()))),
  }).check(z.meta({ component: 'ProxyTransform' })),
);

interface TransformBody {
  readonly type: Transform['type'];
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

const HMAC = [
  ...(['type', 'configuration', 'scheme', 'header', 'algorithm'] as const),
  ...(['encoding', 'prefix', 'signed', 'delivery'] as const),
] as const;

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
  const outer: Readonly<Record<string, unknown>> = defined(own);
  const inner: Readonly<Record<string, unknown>> = defined(options ?? {});
  if (options !== undefined && compatibility === 'strict')
    fields.report(`${path}.options`, 'is not known; its members belong into the transform itself');
  for (const member of Object.keys(inner))
    if (Object.hasOwn(outer, member))
      fields.report(memberPath(path, member), 'is sent twice, also in `options`');
  return { ...inner, ...outer };
}

const FOR_RESPONSES: readonly string[] = ['statuses', 'otherwise'];

/** Reports members that belong to other types, or to responses alone. */
function checkMembers(
  { type, ...members }: Readonly<Record<string, unknown>> & Pick<TransformBody, 'type'>,
  path: string,
  { side, fields }: Reading,
): void {
  const { scheme } = members;
  // The union says what is wrong with it; which members it would have is unknown.
  const isScheme = scheme === undefined || SIGNATURE_SCHEMES.some((each) => each === scheme);
  if (type === 'verify_signature' && !isScheme) return;
  const isHmac = scheme === 'hmac';
  const variant = Object.values(variants()).find(
    ({ shape }) =>
      (shape.type as z.ZodMiniType).safeParse(type).success &&
      (!('scheme' in shape) || !isHmac || shape.scheme.safeParse('hmac').success),
  );
  for (const member of Object.keys(members)) {
    const at = memberPath(path, member);
    if (!Object.hasOwn(variant?.shape ?? {}, member))
      fields.report(at, `is no member of a transform of type ${type}`);
    else if (side === 'request' && FOR_RESPONSES.includes(member))
      fields.report(at, 'is for response_transforms alone');
  }
}

const SIDES: Readonly<Partial<Record<Transform['type'], Reading['side']>>> = {
  mask: 'response',
  verify_signature: 'request',
};

/** A transform of the wire; reports what is wrong with it. */
function wireTransformOf(sent: TransformBody, path: string, reading: Reading): WireTransform | undefined {
  const { type } = sent;
  const { side, fields } = reading;
  const only = SIDES[type] ?? side;
  if (only !== side)
    fields.report(`${path}.type`, `must be in ${only}_transforms: ${type} works there alone`);
  const members = { type, ...membersOf(sent, path, reading) };
  checkMembers(members, path, reading);
  const parsed = union().safeParse(members);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues)
    fields.report(
      issue.path.reduce<string>((at, member) => memberPath(at, String(member)), path),
      issue.message,
    );
  return undefined;
}

/** The members of the types whose members have the same names in core. */
const SAME = {
  append_header: ['type', 'name', 'value', 'statuses'],
  append_json: ['type', 'location', 'value', 'statuses'],
  remove_header: ['type', 'name', 'statuses'],
  allow_headers: ['type', 'names', 'statuses'],
  tokenize: ['type', 'location', 'token', 'optional', 'otherwise', 'statuses'],
  mask: ['type', 'replacement', 'location', 'matcher', 'expression', 'required', 'statuses'],
} as const;

function signatureOf(wire: WireSignature): VerifySignature {
  if (wire.scheme !== 'hmac') return picked(wire, ['type', 'configuration', 'scheme']);
  const { key_encoding: keyEncoding, timestamp, ...same } = wire;
  const { header: timeHeader, tolerance_seconds: toleranceSeconds } = timestamp ?? {};
  return defined({
    ...picked(same, HMAC),
    keyEncoding,
    timestamp: timeHeader === undefined ? undefined : defined({ header: timeHeader, toleranceSeconds }),
  });
}

/** A transform as core has it. */
function transformOf(wire: WireTransform): DraftTransform {
  switch (wire.type) {
    case 'append_header':
      return picked(wire, SAME.append_header);
    case 'append_json':
      return picked(wire, SAME.append_json);
    case 'remove_header':
      return picked(wire, SAME.remove_header);
    case 'allow_headers':
      return picked(wire, SAME.allow_headers);
    case 'tokenize':
      return picked(wire, SAME.tokenize);
    case 'mask':
      return picked(wire, SAME.mask);
    case 'reactor': {
      const { type, reactor_id: reactorId, code_hash: codeHash, as, statuses } = wire;
      return defined({ type, reactorId, codeHash, as, statuses });
    }
    case 'verify_signature':
      return signatureOf(wire);
  }
}

const isOfRequests = (transform: DraftTransform): transform is Exclude<DraftTransform, MaskValue> =>
  transform.type !== 'mask';
const isOfAnswers = (transform: DraftTransform): transform is Exclude<DraftTransform, VerifySignature> =>
  transform.type !== 'verify_signature';

/**
 * The transforms of requests and of responses as core has them; reports what is wrong with them.
 */
export function transformsOf(
  sent: Readonly<
    Partial<Record<`${Reading['side']}_transforms`, readonly TransformBody[] | null | undefined>>
  >,
  reading: Omit<Reading, 'side'>,
) {
  const ofSide = (side: Reading['side']) => {
    const member = `${side}_transforms` as const;
    const { [member]: all } = sent;
    if (all === undefined) return undefined;
    return (all ?? []).flatMap((each, at) => {
      const wire = wireTransformOf(each, memberPath(member, at), { ...reading, side });
      return wire === undefined ? [] : [transformOf(wire)];
    });
  };
  return {
    requestTransforms: ofSide('request')?.filter(isOfRequests),
    responseTransforms: ofSide('response')?.filter(isOfAnswers),
  };
}

/** The transforms that a body has for one side (docs/contract.md#transforms-of-a-proxy). */
export const transforms = /* @__PURE__ */ z.lazy(() => list(transformBody, LIMITS.transforms));

/** A transform as a response has it. It has only members that are in a list here. */
export function presentTransform(transform: Transform): Response<typeof transformResponse> {
  switch (transform.type) {
    case 'append_header':
      return picked(transform, SAME.append_header);
    case 'append_json':
      return picked(transform, SAME.append_json);
    case 'remove_header':
      return picked(transform, SAME.remove_header);
    case 'allow_headers':
      return picked(transform, SAME.allow_headers);
    case 'tokenize':
      return picked(transform, SAME.tokenize);
    case 'mask':
      return picked(transform, SAME.mask);
    case 'reactor': {
      const { type, reactorId: reactor_id, codeHash: code_hash, as, statuses } = transform;
      return defined({ type, reactor_id, code_hash, as, statuses });
    }
    case 'verify_signature':
      return presentSignature(transform);
  }
}

function presentSignature(transform: VerifySignature): Response<typeof transformResponse> {
  if (transform.scheme !== 'hmac') return picked(transform, ['type', 'configuration', 'scheme']);
  const { keyEncoding: key_encoding, timestamp, ...same } = transform;
  return defined({
    ...picked(same, HMAC),
    key_encoding,
    timestamp:
      timestamp && defined({ header: timestamp.header, tolerance_seconds: timestamp.toleranceSeconds }),
  });
}
