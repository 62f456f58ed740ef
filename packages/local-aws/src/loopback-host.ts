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
 * The scripts of a web page whose name resolves to 127.0.0.1 (DNS rebinding) could otherwise act as
 * the administrator of the local account, or as the runtime of a function.
 */
export const foreignHostResponse = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'The local service accepts requests to localhost only; the Host of this request is another name.\n',
} as const;
