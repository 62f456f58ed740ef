import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createHttpsEgressClient } from '../../../src/adapters/egress/https-egress-client.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { bytesOfBody, type BodyBytes } from '../../../src/core/shared/utf8.ts';

let server: Server;
const received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

async function sent(method: string, body: BodyBytes) {
  const { port } = server.address() as AddressInfo;
  await createHttpsEgressClient(machinePlatform).send({
    destination: { url: new URL(`http://127.0.0.1:${String(port)}`), isAdmitted: true },
    method,
    target: new Secret('/'),
    headers: new Secret([]),
    body: new Secret(body),
    timeoutMs: 60_000,
    bodyMaxBytes: 1_000,
  });
  return received.pop();
}

it.each<readonly [string, BodyBytes]>([
  ['bytes', Buffer.from('a\u00e9\u20ac')],
  ['no bytes', Buffer.alloc(0)],
  ['texts', ['{"a":"', '\u00e9\u20ac\u{1f600}', '', `","b":"${'x'.repeat(2_000_000)}`, '"}']],
  ['one text', ['a']],
  ['no text', []],
  ['texts that end with an empty one', ['abc', '']],
])('a body of %s arrives whole, under its length in bytes', async (_, body) => {
  const expected = bytesOfBody(body);
  const got = await sent('POST', body);
  expect(got?.body.equals(expected)).toBe(true);
  expect(got?.headers['content-length']).toBe(String(expected.length));
  expect(got?.headers['transfer-encoding']).toBeUndefined();
});

it.each<readonly [BodyBytes]>([[Buffer.alloc(0)], [[]]])(
  'a GET without a body names no length',
  async (body) => {
    const got = await sent('GET', body);
    expect(got?.headers['content-length'] ?? got?.headers['transfer-encoding']).toBeUndefined();
  },
);
