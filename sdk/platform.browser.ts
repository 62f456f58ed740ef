import type { webcrypto } from 'node:crypto';

export { byFetch as send } from './fetch-transport.ts';

/** No browser does. */
export const sendsBodyOfGet: boolean = false;

/** WebCrypto, which browsers have in secure contexts alone. */
export function subtleCrypto(): Promise<webcrypto.SubtleCrypto> {
  const { subtle } = crypto as { readonly subtle?: webcrypto.SubtleCrypto };
  if (subtle === undefined) return Promise.reject(new TypeError('WebCrypto needs a secure context (https)'));
  return Promise.resolve(subtle);
}
