import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../error-code.ts';
import { portHolder } from './port-holder.ts';

/** Resolves to the port. Rejects with Node's error, `EADDRINUSE` among others. */
async function listenOn(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Running requests have `graceMs` to finish; idle connections end immediately. */
function stop(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const closing = setInterval(() => {
      server.closeIdleConnections();
    }, 10);
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    server.close(() => {
      clearInterval(closing);
      clearTimeout(timer);
      resolve();
    });
    if (graceMs === 0) server.closeAllConnections();
  });
}

export interface Listening {
  readonly port: number;
  /** Ends running requests after `graceMs` (default 0). */
  close(graceMs?: number): Promise<void>;
}

/**
 * Makes `localhost` reachable: 127.0.0.1 and, where the machine has it, ::1, on one port. Port 0
 * selects a free one. If the port is in use, rejects with an Error that says so, and by which
 * process.
 */
export async function listenOnLocalhost(createServer: () => Server, port: number): Promise<Listening> {
  const first = createServer();
  const second = createServer();
  const close = async (graceMs = 0): Promise<void> => {
    await Promise.all([stop(first, graceMs), stop(second, graceMs)]);
  };
  try {
    const taken = await listenOn(first, '127.0.0.1', port);
    await listenOn(second, '::1', taken).catch((error: unknown) => {
      // A machine without IPv6 has no ::1, and a port that was selected here must be free for both
      // families.
      if (port !== 0 && errorCode(error) === 'EADDRINUSE') throw error;
    });
    return { port: taken, close };
  } catch (error) {
    await close();
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    const holder = portHolder(port);
    const by = holder === undefined ? '' : ` by ${holder}`;
    throw new Error(`port ${String(port)} is in use${by}`, { cause: error });
  }
}
