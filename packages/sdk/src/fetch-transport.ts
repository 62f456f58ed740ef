import { ConnectionError } from './connection-error.ts';
import type { Fetch, FetchRequest } from './fetch.ts';
import { fieldsOf } from './transport-response.ts';
import type { Transport } from './transport.ts';

export const transportOver =
  (fetch: Fetch): Transport =>
  async ({ method, url, headers, body, signal }) => {
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect: 'manual',
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
export const fetchTransport: Transport = transportOver(async (url, request) => fetch(url, request));
