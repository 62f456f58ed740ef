import { Secret } from '../core/shared/secret.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';

/** Headers in which other services expect a key, besides those that end in `-api-key`. */
const KNOWN_OTHERS: ReadonlySet<string> = new Set([
  'authorization',
  'api-key',
  'apikey',
  'x-api-token',
  'x-auth-token',
]);

const isForKeys = (name: string): boolean => KNOWN_OTHERS.has(name) || name.endsWith('-api-key');

/**
 * The error for a request without a key. It names the expected header, and a sent one that is
 * ignored.
 */
export function missingApiKey({ headers }: ApiRequest, headerPrefixes: readonly string[]): ServiceError {
  const read = headerPrefixes.map((prefix) => `${prefix}-API-KEY`).join(' or ');
  const sent = Object.keys(headers).find(isForKeys);
  const name = sent !== undefined && sent.length <= 64 ? sent : undefined;
  const not = name === undefined ? '' : ` The header ${name}, which you sent, is not read.`;
  return new ServiceError('unauthenticated', `The API key is missing: send it in the header ${read}.${not}`);
}

/** Reads the API key from its reserved header. Throws `unauthenticated` if it is missing. */
export function readApiKeyHeader(request: ApiRequest, headerPrefixes: readonly string[]): Secret<string> {
  const header = request.reserved.get('api-key');
  if (header === undefined) throw missingApiKey(request, headerPrefixes);
  return new Secret(header);
}
