import { codingsOf, fieldsOf } from './transport-response.ts';
import type { Transport } from './transport.ts';

/** Loaded on first use: most programs have `fetch`. */
const moduleFor = (url: string) => (url.startsWith('https:') ? import('node:https') : import('node:http'));

/** `[name, value, name, value]` in pairs. */
const pairsOf = (raw: readonly string[]) =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));

/** Decodes a body like `fetch`: a truncated body ends where it ends. */
export async function decoded(body: Buffer, contentEncoding: string | undefined): Promise<Buffer> {
  const codings = codingsOf(contentEncoding);
  if (codings.length === 0 || body.length === 0) return body;
  const { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } =
    await import('node:zlib');
  const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
  const decode = (encoded: Buffer, coding: string): Buffer => {
    if (coding === 'br')
      return brotliDecompressSync(encoded, { finishFlush: constants.BROTLI_OPERATION_FLUSH });
    if (coding !== 'deflate') return gunzipSync(encoded, lenient);
    // Some servers omit the zlib frame (RFC 1950), whose first byte names method 8.
    const isFramed = ((encoded[0] ?? 0) & 0x0f) === 8;
    return isFramed ? inflateSync(encoded, lenient) : inflateRawSync(encoded, lenient);
  };
  return [...codings].reverse().reduce(decode, body);
}

/** Used in Node 16, which has no `fetch`, and for requests that `fetch` rejects. */
export const nodeTransport: Transport = async ({ method, url, headers, body, signal }) => {
  const { request } = await moduleFor(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    // The header that `fetch` sends, unless the caller sets it in any case.
    const accepted = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding')
      ? {}
      : { 'Accept-Encoding': 'gzip, deflate, br' };
    const options = { method, headers: { ...headers, ...accepted, ...length } };
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const fields = fieldsOf(pairsOf(incoming.rawHeaders));
        decoded(Buffer.concat(chunks), incoming.headers['content-encoding']).then((plain) => {
          resolve({ status: incoming.statusCode ?? 0, ...fields, body: plain });
        }, reject);
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
