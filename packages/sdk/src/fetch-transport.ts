import { ConnectionError } from './connection-error.ts';
import type { Fetch, FetchRequest } from './fetch.ts';
import { fieldsOf } from './transport-response.ts';
import type { Transport } from './transport.ts';

/**
 * Sends by a `fetch`. No redirect is followed: it would take the key to another address. Without a
 * `Location`, browsers show a redirect for `error` alone, and Node.js for `manual` alone.
 */
export const transportOver =
  (fetch: Fetch, redirect: FetchRequest['redirect'] = 'manual'): Transport =>
  async ({ method, url, headers, body, signal }) => {
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect,
      // The key is the only credential.
      credentials: 'omit',
      // The types exclude shared memory, which no caller has.
      ...(body === undefined ? {} : { body: body as NonNullable<FetchRequest['body']> }),
    });
    if (response.type === 'opaqueredirect')
      throw new ConnectionError('The response is a redirect, which a browser does not show');
    const { status } = response;
    return { status, ...fieldsOf(response.headers), body: new Uint8Array(await response.arrayBuffer()) };
  };

/** Reads the global at each call, so that a program may replace it. */
const globalFetch: Fetch = async (url, request) => fetch(url, request);

export const fetchTransport: Transport = transportOver(globalFetch);
export const browserTransport: Transport = transportOver(globalFetch, 'error');
