import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { decoded } from '../src/node-transport.ts';
import { fieldsOf } from '../src/transport-response.ts';

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

describe('the headers of a response', () => {
  const fieldsWith = (coding: string) =>
    fieldsOf([
      ['Content-Encoding', coding],
      ['Content-Length', '5'],
      ['A', '1'],
      ['a', '2'],
      ['Set-Cookie', 'x=1'],
      ['set-cookie', 'y=2'],
    ]);
  const others = { headers: { a: '1, 2' }, setCookies: ['x=1', 'y=2'] };

  it.each(['gzip', 'br', 'GZIP', 'gzip, br'])('have no encoding of a body that is decoded: %s', (coding) => {
    expect(fieldsWith(coding)).toEqual(others);
  });

  it.each(['identity', 'aes128gcm', 'gzip, aes128gcm'])(
    'have the encoding of any other body: %s',
    (coding) => {
      const headers = { 'content-encoding': coding, 'content-length': '5', ...others.headers };
      expect(fieldsWith(coding)).toEqual({ ...others, headers });
    },
  );
});
