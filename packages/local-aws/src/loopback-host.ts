import { isIPv4 } from 'node:net';

/**
 * Whether a `Host` header names this machine by a loopback name or address, with any port or none.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name === undefined) return false;
  return name === 'localhost' || name === '[::1]' || (name.startsWith('127.') && isIPv4(name));
}

/**
 * The response to a request with another `Host`. A web page can make its own name resolve to
 * 127.0.0.1 (DNS rebinding), and its scripts could then act as the administrator of the local
 * account, or as the runtime of a function.
 */
export const foreignHostResponse = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'The local service accepts requests to localhost only; the Host of this request is another name.\n',
} as const;
