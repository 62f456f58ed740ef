import { Secret } from '../core/shared/secret.ts';
import { invalid } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';

const parameters = (prefixes: readonly string[]): readonly string[] =>
  prefixes.map((prefix) => `${prefix.toLowerCase()}-proxy-key`);

/** Whether a part of a query is the key of a proxy, in any spelling that a server reads as it. */
function isKey(part: string, names: readonly string[]): boolean {
  const [name = ''] = new URLSearchParams(part).keys();
  return names.includes(name.toLowerCase());
}

/**
 * The key of a stored proxy, from its header or, where a sender can set none, from the query
 * (`svc-proxy-key`); `undefined` without one. Throws `validation_failed` for more than one.
 */
export function readProxyKey(
  { reserved, rawQuery }: Pick<ApiRequest, 'reserved' | 'rawQuery'>,
  prefixes: readonly string[],
): Secret<string> | undefined {
  const names = parameters(prefixes);
  const header = reserved.get('proxy-key');
  const found = rawQuery.split('&').filter((part) => isKey(part, names));
  if (found.length + (header === undefined ? 0 : 1) > 1)
    throw invalid(reserved.nameOf('proxy-key'), 'is sent more than once');
  const [inQuery] = found.flatMap((part) => [...new URLSearchParams(part).values()]);
  const key = header ?? inQuery;
  return key === undefined ? undefined : new Secret(key);
}

/** Whether a query has a key of a proxy, so that the address of the request contains it. */
export function hasProxyKey(rawQuery: string, prefixes: readonly string[]): boolean {
  const names = parameters(prefixes);
  return rawQuery.split('&').some((part) => isKey(part, names));
}

/** A query without the key of a proxy, which is for the service alone. */
export function withoutProxyKey(rawQuery: string, prefixes: readonly string[]): string {
  const names = parameters(prefixes);
  return rawQuery
    .split('&')
    .filter((part) => !isKey(part, names))
    .join('&');
}
