import { RESPONSE_HEADERS, type ReservedHeader } from '../src/http/reserved-headers.ts';

/** Reserved headers that browsers may send, under every configured prefix. */
const REQUEST_HEADERS = [
  'api-key',
  'trace-id',
  'idempotency-key',
] as const satisfies readonly ReservedHeader[];

/**
 * What browsers may do with the API: any origin, any method, and these headers. The gateway and the
 * firewall answer alike.
 */
export function corsOf({ headerPrefixes }: { readonly headerPrefixes: readonly string[] }) {
  const reserved = (names: readonly string[]) =>
    headerPrefixes.flatMap((prefix) => names.map((name) => `${prefix.toLowerCase()}-${name}`));
  return {
    allowOrigin: '*',
    allowHeaders: ['content-type', ...reserved(REQUEST_HEADERS)],
    exposeHeaders: ['retry-after', ...reserved(RESPONSE_HEADERS)],
  };
}
