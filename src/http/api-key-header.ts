import { Secret } from '../core/shared/secret.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';

/** Headers in which other services take a key, beside any that ends in `-api-key`. */
const KNOWN_OTHERS: ReadonlySet<string> = new Set([
  'authorization',
  'api-key',
  'apikey',
  'x-api-token',
  'x-auth-token',
]);

const isForKeys = (name: string): boolean => KNOWN_OTHERS.has(name) || name.endsWith('-api-key');

/** The error for a request without a key: names the header that is read, and one that is not. */
function missing({ headers }: ApiRequest, headerPrefixes: readonly string[]): ServiceError {
  const read = headerPrefixes.map((prefix) => `${prefix}-API-KEY`).join(' or ');
  const sent = Object.keys(headers).find(isForKeys);
  const name = sent !== undefined && sent.length <= 64 ? sent : undefined;
  const not = name === undefined ? '' : ` The header ${name}, which you sent, is not read.`;
  return new ServiceError('unauthenticated', `The API key is missing: send it in the header ${read}.${not}`);
}

/**
 * The API key of a request, from its reserved header. Throws `unauthenticated` if there is none.
 */
export function apiKeyOf(request: ApiRequest, headerPrefixes: readonly string[]): Secret<string> {
  const given = request.reserved.get('api-key');
  if (given === undefined) throw missing(request, headerPrefixes);
  return new Secret(given);
}
