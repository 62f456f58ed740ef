import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../shared/json.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Secret } from '../shared/secret.ts';
import { utf8Text } from '../shared/utf8.ts';

/** The schemes by which partners sign requests. */
export const SIGNATURE_SCHEMES = ['standard_webhooks', 'stripe', 'github'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** A request as it was received. The names of its headers are in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
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
const [KEY_MIN_BYTES, KEY_MAX_BYTES] = [24, 64] as const;
/** How many characters other secrets must have, like all values of a configuration. */
const SECRET_MIN_LENGTH = 16;

const WEBHOOK_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const SHA256_HEX = /^[0-9a-f]{64}$/i;
const SHA256_BYTES = 32;
const SECONDS = /^\d{1,12}$/;

/** Decodes the key of a Standard Webhooks secret; `undefined` for any other text. */
function webhookKey(secret: string): Buffer | undefined {
  const base64 = secret.slice(WEBHOOK_PREFIX.length);
  if (!secret.startsWith(WEBHOOK_PREFIX) || !BASE64.test(base64)) return undefined;
  const key = Buffer.from(base64, 'base64');
  return key.length >= KEY_MIN_BYTES && key.length <= KEY_MAX_BYTES ? key : undefined;
}

/** Whether a time in seconds since the epoch, as text, is near `now` in ms since the epoch. */
function isRecent(seconds: string, now: number): boolean {
  return SECONDS.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= TOLERANCE_MS;
}

/** Whether one of the signatures is the expected one. Each comparison takes the same time. */
function includesSignature(
  signatures: readonly (Buffer | undefined)[],
  key: string | Buffer,
  ...signed: readonly (string | Buffer)[]
): boolean {
  const hmac = createHmac('sha256', key);
  for (const part of signed) hmac.update(part);
  const expected = hmac.digest();
  return (
    signatures.length <= SIGNATURES_MAX &&
    signatures.some((signature) => signature?.length === SHA256_BYTES && timingSafeEqual(signature, expected))
  );
}

const hexBytes = (text: string): Buffer | undefined =>
  SHA256_HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
const base64Bytes = (text: string): Buffer | undefined =>
  BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;

const delivery = (id: string): Delivery | undefined =>
  id !== '' && id.length <= ID_MAX_LENGTH ? { id } : undefined;

type Verify = (request: SignedRequest, secret: string, now: number) => Delivery | undefined;

/** Verifies as Standard Webhooks 1.0.0 says in "Signature scheme". */
const standardWebhooks: Verify = ({ headers, body }, secret, now) => {
  const id = headers['webhook-id'] ?? '';
  const time = headers['webhook-timestamp'] ?? '';
  const key = webhookKey(secret);
  // A dot in the id would let one signed text mean two ids.
  if (key === undefined || id.includes('.') || !isRecent(time, now)) return undefined;
  const signatures = (headers['webhook-signature'] ?? '')
    .split(' ')
    .map((each) => (each.startsWith('v1,') ? base64Bytes(each.slice('v1,'.length)) : undefined));
  return includesSignature(signatures, key, `${id}.${time}.`, body) ? delivery(id) : undefined;
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
  return includesSignature(signatures, secret, `${time}.`, body) ? delivery(eventId(body)) : undefined;
};

const GITHUB_PREFIX = 'sha256=';

/** Verifies as GitHub's "Validating webhook deliveries" says. It signs no time and no id. */
const github: Verify = ({ headers, body }, secret) => {
  const signature = headers['x-hub-signature-256'] ?? '';
  const signatures = signature.startsWith(GITHUB_PREFIX)
    ? [hexBytes(signature.slice(GITHUB_PREFIX.length))]
    : [];
  if (!includesSignature(signatures, secret, body)) return undefined;
  return delivery(createHash('sha256').update(body).digest('hex'));
};

const VERIFY: Readonly<Record<SignatureScheme, Verify>> = {
  standard_webhooks: standardWebhooks,
  stripe,
  github,
};

/**
 * Checks the signature of a partner's request over the bytes of its body, and returns the identity
 * of the delivery: `webhook-id`, the `id` of Stripe's event, or for GitHub the SHA-256 of the body
 * in hexadecimal digits. `undefined` for a request that the secret did not sign, one whose signed
 * time is more than five minutes from `now` (ms since the epoch), and one without an identity of at
 * most 256 characters. A secret that {@link secretProblem} rejects signs nothing.
 */
export function verifySignature(
  scheme: SignatureScheme,
  secret: Secret<string>,
  request: SignedRequest,
  now: number,
): Delivery | undefined {
  const text = secret.reveal();
  return secretProblem(scheme, text) === undefined ? VERIFY[scheme](request, text, now) : undefined;
}

/**
 * Why a text cannot be the secret of a scheme, as words that follow its name; `undefined` if it can
 * be. The message does not quote the secret.
 */
export function secretProblem(scheme: SignatureScheme, secret: string): string | undefined {
  if (scheme === 'standard_webhooks')
    return webhookKey(secret) === undefined
      ? `must be ${WEBHOOK_PREFIX} and ${String(KEY_MIN_BYTES)} to ${String(KEY_MAX_BYTES)} bytes in base64`
      : undefined;
  return secret.length < SECRET_MIN_LENGTH
    ? `must have at least ${String(SECRET_MIN_LENGTH)} characters`
    : undefined;
}
