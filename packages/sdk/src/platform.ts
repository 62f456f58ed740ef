import type { webcrypto } from 'node:crypto';
import type { Transport } from './transport.ts';
import { fetchTransport } from './fetch-transport.ts';

/**
 * Differs between Node and browsers. The browser build replaces this file by `platform.browser.ts`
 * (tools/build-sdk.ts).
 */

export const SENDS_BODY_OF_GET: boolean = true;

const VARIABLES = { baseUrl: 'CLOAKROOM_URL', apiKey: 'CLOAKROOM_API_KEY' } as const;

/** An absent option, from the environment. Throws `TypeError`. */
export function settingOf(option: keyof typeof VARIABLES): string {
  const variable = VARIABLES[option];
  // Other platforms that load this build may have no `process`.
  const { process } = globalThis as { readonly process?: Pick<NodeJS.Process, 'env'> };
  const value = process?.env[variable];
  if (value !== undefined && value !== '') return value;
  throw new TypeError(`Set the option ${option}, or the environment variable ${variable}`);
}

/**
 * `fetch` if it exists (Node 18 and later) and supports the request: it rejects a GET with a body.
 * Otherwise Node's own client, which is loaded only then.
 */
export const send: Transport = async (request) => {
  const isRefused = request.method === 'GET' && request.body !== undefined;
  if (typeof fetch === 'function' && !isRefused) return fetchTransport(request);
  const { nodeTransport: byNode } = await import('./node-transport.ts');
  return byNode(request);
};

/** WebCrypto, which is no global in Node 16 and 18. */
export async function webCrypto(): Promise<webcrypto.SubtleCrypto> {
  const { crypto } = globalThis as { readonly crypto?: webcrypto.Crypto };
  return (crypto ?? (await import('node:crypto')).webcrypto).subtle;
}
