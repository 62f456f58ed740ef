import type { Transport } from './exchange.ts';

const byFetch: Transport = async ({ method, url, headers, body, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
  };
};

/** `fetch` where there is one (browsers, Node 18 and later), else Node's own client, which is loaded only then. */
export const send: Transport = async (request) => {
  if (typeof fetch === 'function') return byFetch(request);
  const { byNode } = await import('./node-transport.ts');
  return byNode(request);
};
