import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../shared/json.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Secret } from '../shared/secret.ts';
import { TOLERANCE_SECONDS, type HmacSignature, type Signature, type SignatureScheme } from './signature.ts';
import { parseSigned, signedParts } from './signed-text.ts';
import { utf8Text } from '../shared/utf8.ts';

/** A request as it was received. The names of its headers are in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** The address of the service with path and query, as the sender asked for them. */
  readonly url: string;
}

/** The identity of a delivery, which is signed: the same for a repeat, and for nothing else. */
export interface Delivery {
  readonly id: string;
}

/** How far the signed time may be from now (Standard Webhooks 1.0.0, and Stripe's libraries). */
const TOLERANCE_MS = 5 * 60 * 1000;
/** How many characters an identity may have, because it is stored. */
const ID_MAX_LENGTH = 256;
/** Most signatures of a request: a sender has one for each of its secrets. */
const SIGNATURES_MAX = 20;
/** How many bytes a key may have (Standard Webhooks 1.0.0, "Signature scheme"). */
const KEY_MIN_BYTES = 24;
const KEY_MAX_BYTES = 64;
/** How many characters other secrets must have, like all values of a configuration. */
const SECRET_MIN_LENGTH = 16;

const WEBHOOK_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const HEX = /^(?:[0-9a-f]{2})+$/i;
const SECONDS = /^\d{1,12}$/;

/** Decodes the key of a Standard Webhooks secret; `undefined` for any other text. */
function webhookKey(secret: string): Buffer | undefined {
  const base64 = secret.startsWith(WEBHOOK_PREFIX) ? secret.slice(WEBHOOK_PREFIX.length) : secret;
  if (!BASE64.test(base64)) return undefined;
  const key = Buffer.from(base64, 'base64');
  return key.length >= KEY_MIN_BYTES && key.length <= KEY_MAX_BYTES ? key : undefined;
}

/** Whether a time in seconds since the epoch, as text, is near `now` in ms since the epoch. */
function isRecent(seconds: string, now: number, toleranceMs = TOLERANCE_MS): boolean {
  return SECONDS.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= toleranceMs;
}

/** Whether one of the signatures is the expected one. Each comparison takes the same time. */
function includesSignature(
  signatures: readonly (Buffer | undefined)[],
  key: string | Buffer,
  signed: readonly (string | Buffer)[],
  algorithm: HmacSignature['algorithm'] = 'sha256',
): boolean {
  const hmac = createHmac(algorithm, key);
  for (const part of signed) hmac.update(part);
  const expected = hmac.digest();
  return (
    signatures.length <= SIGNATURES_MAX &&
    signatures.some(
      (signature) => signature?.length === expected.length && timingSafeEqual(signature, expected),
    )
  );
}

const hexBytes = (text: string): Buffer | undefined =>
  HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
const base64Bytes = (text: string): Buffer | undefined =>
  BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;

const delivery = (id: string): Delivery | undefined =>
  id !== '' && id.length <= ID_MAX_LENGTH ? { id } : undefined;

type Verify = (request: SignedRequest, secret: string, now: number) => Delivery | undefined;

/** Names of headers begin so; a request has one family of them, or its id could be another's. */
const FAMILIES = ['webhook', 'svix'] as const;

/** Verifies as Standard Webhooks 1.0.0 says in "Signature scheme". */
const standardWebhooks: Verify = ({ headers, body }, secret, now) => {
  const [family = '', other] = FAMILIES.filter((each) => headers[`${each}-signature`] !== undefined);
  if (other !== undefined) return undefined;
  const id = headers[`${family}-id`] ?? '';
  const time = headers[`${family}-timestamp`] ?? '';
  const key = webhookKey(secret);
  // A dot in the id would let one signed text mean two ids.
  if (key === undefined || id.includes('.') || !isRecent(time, now)) return undefined;
  const signatures = (headers[`${family}-signature`] ?? '')
    .split(' ')
    .map((each) => (each.startsWith('v1,') ? base64Bytes(each.slice('v1,'.length)) : undefined));
  return includesSignature(signatures, key, [`${id}.${time}.`, body]) ? delivery(id) : undefined;
};

/** The `id` of a Stripe event; empty if the body is not JSON with such a text. */
function eventId(body: Buffer): string {
  try {
    const event = parseJson(utf8Text(body) ?? '');
    const id = isJsonObject(event) && Object.hasOwn(event, 'id') ? event['id'] : undefined;
    return typeof id === 'string' ? id : '';
  } catch (error) {
    if (error instanceof SyntaxError) return '';
    throw error;
  }
}

/** Reads `t=SECONDS,v1=HEX` and ignores other schemes, as Stripe's documentation says. */
const stripe: Verify = ({ headers, body }, secret, now) => {
  const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim().split('='));
  const times = parts.filter(([name]) => name === 't').map(([, value = '']) => value);
  const signatures = parts.filter(([name]) => name === 'v1').map(([, value = '']) => hexBytes(value));
  const [time = ''] = times;
  if (times.length !== 1 || !isRecent(time, now)) return undefined;
  return includesSignature(signatures, secret, [`${time}.`, body]) ? delivery(eventId(body)) : undefined;
};

const GITHUB_PREFIX = 'sha256=';

/** Verifies as GitHub's "Validating webhook deliveries" says. It signs no time and no id. */
const github: Verify = ({ headers, body }, secret) => {
  const signature = headers['x-hub-signature-256'] ?? '';
  const signatures = signature.startsWith(GITHUB_PREFIX)
    ? [hexBytes(signature.slice(GITHUB_PREFIX.length))]
    : [];
  if (!includesSignature(signatures, secret, [body])) return undefined;
  return delivery(createHash('sha256').update(body).digest('hex'));
};

const VERIFY: Readonly<Record<Exclude<SignatureScheme, 'hmac'>, Verify>> = {
  standard_webhooks: standardWebhooks,
  stripe,
  github,
};

/** Decodes a key as the proxy says; `undefined` for text in another encoding. */
function keyOf({ keyEncoding = 'utf8' }: HmacSignature, secret: string): Buffer | undefined {
  if (keyEncoding === 'utf8') return Buffer.from(secret);
  return keyEncoding === 'hex' ? hexBytes(secret) : base64Bytes(secret);
}

/** A header by its name, which the writer of the proxy chose. */
const headerOf = ({ headers }: SignedRequest, name: string): string | undefined => {
  const lower = name.toLowerCase();
  return Object.hasOwn(headers, lower) ? headers[lower] : undefined;
};

/** The time that a partner signs, as its header has it; `undefined` for one too far from `now`. */
function timeOf({ timestamp }: HmacSignature, request: SignedRequest, now: number): string | undefined {
  if (timestamp === undefined) return '';
  const { header, toleranceSeconds = TOLERANCE_SECONDS.default } = timestamp;
  const time = headerOf(request, header) ?? '';
  return isRecent(time, now, toleranceSeconds * 1000) ? time : undefined;
}

/** The signature that a request shows; `undefined` for none in the form of the partner. */
function shownSignature({ header, prefix = '', encoding }: HmacSignature, request: SignedRequest) {
  const written = headerOf(request, header) ?? '';
  if (!written.startsWith(prefix)) return undefined;
  return (encoding === 'hex' ? hexBytes : base64Bytes)(written.slice(prefix.length));
}

/** Verifies as a proxy describes its partner. */
function verifyHmac(hmac: HmacSignature, secret: string, request: SignedRequest, now: number) {
  const { body, url } = request;
  const { algorithm, delivery: identity = 'body' } = hmac;
  const time = timeOf(hmac, request, now);
  const parts = parseSigned(hmac.signed ?? '{body}');
  const key = keyOf(hmac, secret);
  if (time === undefined || 'problem' in parts || key === undefined) return undefined;
  const signed = signedParts(parts, body, (part) => {
    if (part.kind === 'header') return headerOf(request, part.name);
    return part.kind === 'url' ? url : time;
  });
  const signature = shownSignature(hmac, request);
  if (signed === undefined || !includesSignature([signature], key, signed, algorithm)) return undefined;
  if (identity !== 'body') return delivery(headerOf(request, identity.header) ?? '');
  return delivery(createHash('sha256').update(body).digest('hex'));
}

/**
 * Checks the signature of a partner's request over the bytes of its body, and returns the identity
 * of the delivery: `webhook-id` or `svix-id`, the `id` of Stripe's event, a signed header, or
 * otherwise the SHA-256 of the body in hexadecimal digits. `undefined` for a request that the
 * secret did not sign, one whose signed time is too far from `now` (ms since the epoch), and one
 * without an identity of at most 256 characters. A secret that {@link secretProblem} rejects signs
 * nothing.
 */
export function verifySignature(
  signature: Signature,
  secret: Secret<string>,
  request: SignedRequest,
  now: number,
): Delivery | undefined {
  const text = secret.reveal();
  if (secretProblem(signature, text) !== undefined) return undefined;
  return signature.scheme === 'hmac'
    ? verifyHmac(signature, text, request, now)
    : VERIFY[signature.scheme](request, text, now);
}

/**
 * Why a text cannot be the secret of a scheme, as words that follow its name; `undefined` if it can
 * be. The message does not quote the secret.
 */
export function secretProblem(signature: Signature, secret: string): string | undefined {
  if (signature.scheme === 'standard_webhooks')
    return webhookKey(secret) === undefined
      ? `must be ${String(KEY_MIN_BYTES)} to ${String(KEY_MAX_BYTES)} bytes in base64, with or without ${WEBHOOK_PREFIX}`
      : undefined;
  if (secret.length < SECRET_MIN_LENGTH) return `must have at least ${String(SECRET_MIN_LENGTH)} characters`;
  if (signature.scheme === 'hmac' && keyOf(signature, secret) === undefined)
    return `must be ${signature.keyEncoding === 'hex' ? 'hexadecimal digits' : 'base64'}, as \`key_encoding\` says`;
  return undefined;
}

/** A member of an `hmac` signature, as the interface names it, and what is wrong with it. */
export type SignatureProblem = readonly [member: string, problem: string];

/** Finds problems of the members of an `hmac` signature, besides its secret. */
export function signatureProblems({ signed = '{body}', timestamp, delivery: identity }: HmacSignature) {
  const parts = parseSigned(signed);
  if ('problem' in parts) return [['signed', parts.problem]] satisfies SignatureProblem[];
  const problems: SignatureProblem[] = [];
  const hasHeader = (name: string) =>
    parts.some((part) => part.kind === 'header' && part.name === name.toLowerCase());
  const hasTime = parts.some(({ kind }) => kind === 'timestamp');
  if (timestamp === undefined && hasTime) problems.push(['timestamp', 'is required by {timestamp}']);
  // Otherwise a repeat would name its own time or identity.
  if (timestamp !== undefined && !hasTime && !hasHeader(timestamp.header))
    problems.push(['signed', 'must have the header of `timestamp`']);
  if (typeof identity === 'object' && !hasHeader(identity.header))
    problems.push(['signed', 'must have the header of `delivery`']);
  return problems;
}
