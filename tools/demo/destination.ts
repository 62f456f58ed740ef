import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../../bin/receiver/local-certificate.ts';

/** A request as a destination received it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Destination {
  /** `localhost:PORT`, for `egressAllowList`. */
  readonly origin: string;
  /**
   * The next request to this path, or an earlier one that was not returned yet. Rejects after a
   * minute without one.
   */
  next(path: string, signal: AbortSignal): Promise<Received>;
  close(): void;
}

/** The same ports each time, so that a later demo reuses the synthesized app. */
const PORTS = [20_500, 20_501, 20_502, 20_503];

/** Returns the egress allow list that lets the service reach the destinations. */
export function admittedOrigins(destinations: readonly Destination[]): readonly string[] {
  const usual = PORTS.map((port) => `localhost:${String(port)}`);
  return [...new Set([...usual, ...destinations.map(({ origin }) => origin)])];
}

/** Listens on one of the usual ports, or any other if they are in use. */
async function listening(server: Server): Promise<number> {
  for (const port of [...PORTS, 0]) {
    server.listen(port, 'localhost');
    try {
      await once(server, 'listening');
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  return (server.address() as AddressInfo).port;
}

/** An HTTPS server of another party: it sends the result of `reply` and records each request. */
export async function startDestination(
  { keyFile, certFile }: Certificate,
  reply: (received: Received) => unknown,
): Promise<Destination> {
  const arrived: Received[] = [];
  let onArrival = (): void => undefined;
  const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
  const server = createServer(tls, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const received = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
      arrived.push(received);
      const fields = { 'Content-Type': 'application/json', 'X-Served-By': 'host-7' };
      response.writeHead(200, fields).end(JSON.stringify(reply(received)));
      onArrival();
    });
  });
  const port = await listening(server);
  return {
    origin: `localhost:${String(port)}`,
    next: (path, signal) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const index = arrived.findIndex((received) => received.path === path);
          const [found] = index === -1 ? [] : arrived.splice(index, 1);
          if (found !== undefined) resolve(found);
        };
        onArrival = look;
        const giveUp = () => reject(new Error(`no request came to ${path}`));
        AbortSignal.any([signal, AbortSignal.timeout(60_000)]).addEventListener('abort', giveUp, {
          once: true,
        });
        look();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
