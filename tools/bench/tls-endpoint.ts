import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { testCertificate } from '../../test/support/destination.ts';

/** A TLS proxy of the database, like DynamoDB's endpoint: encryption is part of a call's cost. */
export async function startTls(url: string, { keyFile, certFile } = testCertificate()) {
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (socket) => {
    const inner = connect(Number(new URL(url).port), '127.0.0.1');
    for (const each of [socket, inner]) each.on('error', () => [socket, inner].map((end) => end.destroy()));
    socket.pipe(inner).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${String(port)}`, certFile, close: () => server.close() };
}
