import type { Transport } from './transport.ts';

/** Loaded when they are needed: most programs have `fetch`. */
const moduleFor = (url: string) => (url.startsWith('https:') ? import('node:https') : import('node:http'));

/** For Node 16, which has no `fetch`. */
export const byNode: Transport = async ({ method, url, headers, body, signal }) => {
  const { request } = await moduleFor(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { method, headers: { ...headers, ...length } };
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const answered = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(answered) as Record<string, string>,
          body: Buffer.concat(chunks),
        });
      });
    });
    outgoing.on('error', reject);
    // The option `signal` of Node 16 does nothing once the request is sent.
    const stop = () => {
      const error = new Error('aborted');
      outgoing.destroy(error);
      reject(error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
    outgoing.end(body);
  });
};
