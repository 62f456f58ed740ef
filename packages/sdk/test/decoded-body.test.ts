import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { decoded } from '../src/node-transport.ts';

const TEXT = 'a body '.repeat(50);

it.each([
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  [undefined, Buffer.from(TEXT)],
])('a body in %s is decoded without fetch', async (coding, body) => {
  expect((await decoded(body, coding)).toString()).toBe(TEXT);
});

it.each([
  ['gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
])('a truncated body in %s ends where it ends', async (coding, body) => {
  const text = (await decoded(body.subarray(0, -1), coding)).toString();
  expect(TEXT.startsWith(text)).toBe(true);
});

it('an empty body is empty in any coding', async () => {
  expect(await decoded(Buffer.alloc(0), 'gzip')).toHaveLength(0);
});
