import type { Transport } from './transport.ts';

export const byFetch: Transport = async ({ method, url, headers, body, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    signal,
    redirect: 'manual',
    // The key is the only credential.
    credentials: 'omit',
    ...(body === undefined ? {} : { body }),
  });
  if (response.type === 'opaqueredirect') throw new Error('a browser does not show redirects');
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
  };
};
