import type { webcrypto } from 'node:crypto';
import type { Transport } from './transport.ts';
import { byFetch } from './fetch-transport.ts';

/**
 * What differs between Node and browsers. The build for browsers has `platform.browser.ts` in its
 * place (tools/build-sdk.ts).
 */

export const SENDS_BODY_OF_GET: boolean = true;

/**
 * `fetch` where there is one (Node 18 and later) and it does it: it refuses a GET that has a body.
 * Else Node's own client, which is loaded only then.
 */
export const send: Transport = async (request) => {
  const isRefused = request.method === 'GET' && request.body !== undefined;
  if (typeof fetch === 'function' && !isRefused) return byFetch(request);
  const { byNode } = await import('./node-transport.ts');
  return byNode(request);
};

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** HMAC-SHA-256 by WebCrypto, which is no global in Node 16 and 18. */
export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const { crypto } = globalThis as { readonly crypto?: webcrypto.Crypto };
  const { subtle } = crypto ?? (await import('node:crypto')).webcrypto;
  const imported = await subtle.importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await subtle.sign(HMAC.name, imported, message));
}
