import { readName } from './request-headers.ts';

/**
 * Fields of a response that say nothing of its body beyond what the caller needs to read it
 * (docs/contract.md#headers-of-a-proxy-that-hides). All others may be a function of what a proxy
 * hides.
 */
const LISTED: ReadonlySet<string> = new Set([
  'content-type',
  'content-language',
  'content-disposition',
  'cache-control',
  'pragma',
  'expires',
  'vary',
  'date',
  'retry-after',
  'allow',
  'www-authenticate',
  'content-security-policy',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'traceparent',
  'tracestate',
]);

const RATE_LIMIT = /^(?:x-)?ratelimit-/;

/** Whether a field of a response is in the list, by its name in any case. */
export function isListedField(name: string): boolean {
  const lower = name.toLowerCase();
  return LISTED.has(lower) || RATE_LIMIT.test(lower);
}

/** Validators and digests, whose value is a function of the body. */
const OF_BODY = /^(?:etag|last-modified)$|md-?5|sha-?\d|crc|digest|checksum|hash/;

/** Whether a field is a validator or a digest of a body, however a server reads its name. */
export const isDigestField = (name: string): boolean => OF_BODY.test(readName(name));
