import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DESTINATION_PORTS, temporaryFolder } from './run-service.ts';

/** A request as received by the destination. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Sends the response of the destination. */
export type Responder = (received: Received, response: ServerResponse) => void;

export interface TestDestination {
  readonly port: number;
  /** The certificate that it shows, in PEM form; absent without HTTPS. */
  readonly certificate?: string;
  readonly received: Received[];
  /** Number of connections made so far, and of those open now. */
  readonly connections: { readonly made: number; readonly open: number };
  respond: Responder;
  close(): Promise<void>;
}

/**
 * A certificate for `localhost` that is only trusted through `--trust` or `NODE_EXTRA_CA_CERTS`.
 * Needs openssl.
 */
export function testCertificate(): { readonly keyFile: string; readonly certFile: string } {
  const folder = temporaryFolder();
  const keyFile = join(folder, 'key.pem');
  const certFile = join(folder, 'cert.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      keyFile,
      '-out',
      certFile,
      ...subject,
    ],
    { stdio: 'ignore' },
  );
  return { keyFile, certFile };
}

/** Listens on the first of {@link DESTINATION_PORTS} that no other suite uses. */
async function listening(server: Server): Promise<number> {
  for (;;) {
    for (const port of DESTINATION_PORTS) {
      server.listen(port, 'localhost');
      try {
        await once(server, 'listening');
        return port;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
    // Other suites use all of them for now.
    await sleep(500);
  }
}

/**
 * A real server on this machine that records its requests; it uses HTTPS if it has a certificate.
 * It listens on one of {@link DESTINATION_PORTS}, which TEST_SETTINGS allows.
 */
export async function startDestination(certificate?: {
  readonly keyFile: string;
  readonly certFile: string;
}): Promise<TestDestination> {
  const received: Received[] = [];
  const counts = { made: 0, open: 0 };
  const state = { respond: ((_received, response) => response.end('ok')) as Responder };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const got = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      received.push(got);
      state.respond(got, response);
    });
  };
  const server =
    certificate === undefined
      ? createHttpServer(listener)
      : createHttpsServer(
          { key: readFileSync(certificate.keyFile), cert: readFileSync(certificate.certFile) },
          listener,
        );
  server.on('connection', (socket) => {
    counts.made += 1;
    counts.open += 1;
    socket.once('close', () => (counts.open -= 1));
  });
  // It closes no connection by itself, so that one which the service keeps is seen.
  server.keepAliveTimeout = 0;
  const port = await listening(server);
  // A suite whose start failed does not close it.
  server.unref();
  return {
    port,
    ...(certificate && { certificate: readFileSync(certificate.certFile, 'utf8') }),
    received,
    connections: counts,
    get respond() {
      return state.respond;
    },
    set respond(next) {
      state.respond = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
