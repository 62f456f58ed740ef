import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { isBytes } from './is-bytes.ts';
import { knownOptions, type Names } from './known-options.ts';
import { hmacSha256 } from './hmac-sha256.ts';
import type { DeliveredInvocation } from './generics.ts';
import type { Problem } from './resources.ts';
import { brand } from './brand.ts';

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/** `Headers`, or an object like Node's `request.headers`, with names in any case. */
export type WebhookHeaders =
  | { forEach(each: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookToVerify {
  /** The unchanged body: parsing and serializing it again would change the signed text. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers: WebhookHeaders;
  /** The tenant's webhook secret. It may begin with `whsec_`. */
  readonly secret: string;
  /** The time of the message may differ from now by this many seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
}

const WEBHOOK_OPTIONS = {
  body: 1,
  headers: 1,
  secret: 1,
  toleranceSeconds: 1,
} satisfies Names<WebhookToVerify>;

/**
 * Not a webhook of the service, or changed, or too old: respond with 400 and do nothing else.
 * @example verifyWebhook({ body, headers, secret }).catch((error: unknown) => { if (error instanceof WebhookVerificationError) console.error(error.message); });
 */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

brand(WebhookVerificationError, 'WebhookVerificationError');

const hasForEach = (headers: WebhookHeaders): headers is Extract<WebhookHeaders, { forEach: unknown }> =>
  typeof headers['forEach'] === 'function';

/** A header may occur more than once. */
function valuesOf(headers: WebhookHeaders, wanted: string): readonly string[] {
  const values: string[] = [];
  if (hasForEach(headers)) {
    headers.forEach((value, name) => {
      if (name.toLowerCase() === wanted) values.push(value);
    });
    return values;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== wanted || value === undefined) continue;
    values.push(...(typeof value === 'string' ? [value] : value));
  }
  return values;
}

/** The single value of a header: with two, the signed one would be unknown. */
function valueOf(headers: WebhookHeaders, name: string): string {
  const [value, ...others] = valuesOf(headers, name);
  if (typeof value !== 'string' || value === '' || others.length > 0)
    throw new WebhookVerificationError(`The header ${name} is missing, or there several times`);
  return value;
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Throws `TypeError`: a wrong secret is no fault of a sender. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = typeof secret === 'string' ? secret : '';
  const text = encoded.startsWith(PREFIX) ? encoded.slice(PREFIX.length) : encoded;
  if (text === '' || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(text))
    throw new TypeError('The webhook secret must be base64 text, with or without whsec_');
  return bytesOf(text);
}

/** Throws `TypeError` for a parsed body. */
function signedBytes(body: WebhookToVerify['body']): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (isBytes(body)) return body;
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new TypeError('body must be text or bytes, as it came: before anything parses it');
}

/** Throws `TypeError` for NaN, which would accept messages of any age. */
function checkedTolerance(seconds: number): number {
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new TypeError('toleranceSeconds must be a number from 0');
}

function checkTime(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('The timestamp is not one');
  const agoSeconds = Date.now() / 1_000 - Number(timestamp);
  // Whole seconds: a message signed in this second is not from the future.
  if (Math.floor(agoSeconds) > toleranceSeconds) throw new WebhookVerificationError('The message is too old');
  if (Math.ceil(-agoSeconds) > toleranceSeconds)
    throw new WebhookVerificationError('The message is from the future');
}

function signatureOf(
  id: string,
  timestamp: string,
  body: Uint8Array,
  key: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  return hmacSha256(key, signed);
}

/** In constant time, whichever byte differs. */
function isSame(received: Uint8Array, expected: Uint8Array): boolean {
  let difference = received.length ^ expected.length;
  expected.forEach((byte, at) => (difference |= byte ^ (received[at] ?? 0)));
  return difference === 0;
}

/** The bytes of every `v1` signature: for a day after a rotation, both secrets sign. */
function signaturesIn(header: readonly string[]): readonly Uint8Array[] {
  return header
    .flatMap((value) => value.split(' '))
    .filter((signature) => /^v1,[A-Za-z0-9+/]{43}=$/.test(signature))
    .map((signature) => bytesOf(signature.slice(3)));
}

function deliveredOf(id: string, body: Uint8Array): DeliveredInvocation {
  let sent: unknown;
  try {
    sent = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    sent = undefined;
  }
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new WebhookVerificationError('The body is not the JSON of a result');
  const { reactor_id, application_id, ...result } = sent as Readonly<Record<string, unknown>>;
  const sender = {
    id,
    ...(typeof reactor_id === 'string' && { reactor_id }),
    ...(typeof application_id === 'string' && { application_id }),
  };
  // A response contains only `raw` and `tokens`.
  return 'status' in result && 'title' in result
    ? { ...sender, status: 'failed', result: result as unknown as Problem }
    : { ...sender, status: 'succeeded', result };
}

/**
 * Verifies that a webhook is the service's, unchanged and recent, by the rules of Standard
 * Webhooks, and returns its content: that of `reactors.retrieveResult`, with the reactor and the
 * application that invoked it. All applications of a tenant have the same secret: compare both with
 * those that you expect. `id` is that of the invocation and the same for every delivery; a receiver
 * may get one twice. Throws `WebhookVerificationError`, and `TypeError` for an invalid secret, body
 * or tolerance.
 * @example const { id, status, result } = await verifyWebhook({ body, headers: request.headers, secret });
 */
export async function verifyWebhook(webhook: WebhookToVerify): Promise<DeliveredInvocation> {
  const {
    body,
    headers,
    secret,
    toleranceSeconds = TOLERANCE_SECONDS,
  } = knownOptions('the webhook', webhook, WEBHOOK_OPTIONS);
  const key = keyOf(secret);
  const bytes = signedBytes(body);
  const tolerance = checkedTolerance(toleranceSeconds);
  const id = valueOf(headers, 'webhook-id');
  const timestamp = valueOf(headers, 'webhook-timestamp');
  checkTime(timestamp, tolerance);
  const expected = await signatureOf(id, timestamp, bytes, key);
  const received = signaturesIn(valuesOf(headers, 'webhook-signature'));
  if (!received.some((signature) => isSame(signature, expected)))
    throw new WebhookVerificationError('No signature is right');
  return deliveredOf(id, bytes);
}
