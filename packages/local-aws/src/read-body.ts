import type { IncomingMessage } from 'node:http';

/**
 * The body of a request, or `undefined` if it is larger than `maxBytes`. The rest is then read and
 * dropped, so that the client, which is still sending, receives the response.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else resolve(undefined);
  });
  request.on('end', () => {
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  });
  request.on('error', reject);
  return promise;
}
