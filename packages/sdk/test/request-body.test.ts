import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { compileFunction, createContext } from 'node:vm';
import { createClient, type Client, type PlatformBody } from '../src/index.ts';
import { calling, refused, RESPONDED, url } from './a-caller.ts';
import { withService, type Received } from './a-service.ts';

/** The platform's own `fetch` is the oracle. */
describe('a body of the platform', () => {
  const form = () => {
    const made = new FormData();
    made.append('card', '{{ x }}');
    made.append('file', new File(['ü'], 'a.txt', { type: 'text/plain' }));
    return made;
  };
  const stream = () => new Blob(['{{ x }}, ', 'ü']).stream();
  const wide = () => new Uint16Array([1, 2, 3]).subarray(1);

  /** Boundaries of forms are random. */
  const withoutBoundary = (sent: string, type = '') => {
    const boundary = /boundary=(.+)$/.exec(type)?.[1] ?? '\0';
    return [sent.replaceAll(boundary, 'B'), type.replaceAll(boundary, 'B')];
  };
  const sentBy = async (send: (baseUrl: string) => Promise<unknown>) =>
    withService([RESPONDED], async (baseUrl, received) => {
      await send(baseUrl);
      const [{ body, headers, method } = {}] = received as Received[];
      return [method, ...withoutBoundary(String(body), headers?.['content-type'] as string | undefined)];
    });

  it.each<[string, () => PlatformBody]>([
    ['URLSearchParams', () => new URLSearchParams({ card: '{{ x }}', name: 'ü &' })],
    ['FormData', form],
    ['a Blob with a type', () => new Blob(['<a>ü</a>'], { type: 'application/xml' })],
    ['a Blob without', () => new Blob(['x'])],
    ['an ArrayBuffer', () => new TextEncoder().encode('abc').buffer],
    ['a view of one', wide],
    ['a stream', stream],
    ['an iterable of chunks', () => Readable.from([Buffer.from('a'), Buffer.from('b')])],
  ])('%s is sent as fetch sends it, by POST', async (_name, make) => {
    const byFetch = await sentBy(async (baseUrl) =>
      fetch(baseUrl, { method: 'POST', body: make() as Blob, duplex: 'half' }),
    );
    const bySdk = await sentBy(async (baseUrl) =>
      createClient({ baseUrl, apiKey: 'k' }).proxy({ url, body: make() }),
    );
    expect(bySdk).toEqual(byFetch);
  });

  it('has the type that the caller names', async () => {
    const { received } = await calling(
      (client) => client.proxy({ url, body: new Blob(['<a/>']), headers: { 'content-type': 'text/xml' } }),
      [RESPONDED],
    );
    expect(received).toMatchObject([{ body: '<a/>', headers: { 'content-type': 'text/xml' } }]);
  });

  it('that never ends, ends with the signal', async () => {
    const controller = new AbortController();
    const body = new ReadableStream({ start: () => setImmediate(() => controller.abort()) });
    const { error, received } = await calling((client) =>
      client.proxy({ url, body, signal: controller.signal }),
    );
    expect([error.name, received]).toEqual(['AbortError', []]);
  });

  it('a stream of anything but bytes is refused', async () => {
    const error = await refused((client) => client.proxy({ url, body: Readable.from(['a']) as never }));
    expect(error.message).toBe('The chunks of a stream as body must be bytes');
  });
});

describe('a value that JSON would lose', () => {
  class Card {
    number = '4242';
  }
  const VALUES: readonly (readonly [string, unknown])[] = [
    ['a Map', new Map([['number', '4242']])],
    ['a Set', new Set(['4242'])],
    ['an instance of a class', new Card()],
    ['bytes', Buffer.from('4242')],
    ['an ArrayBuffer', new ArrayBuffer(4)],
    ['an Error', new Error('4242')],
    ['a function', () => '4242'],
    ['NaN', NaN],
    ['a Date that is none', new Date('x')],
    ['a BigInt', 4242n],
    ['a hole', undefined],
    ['a symbol', Symbol('4242')],
  ];
  const CALLS: readonly (readonly [string, (client: Client, value: any) => PromiseLike<unknown>])[] = [
    ['data', (c, value) => c.tokens.create({ type: 'token', data: { cards: [value] } })],
    ['metadata', (c, value) => c.tokens.update('t', { metadata: { cards: [value] as never } })],
    ['args', (c, value) => c.reactors.react('r', { args: { cards: [value] } })],
    ['tokenize', (c, value) => c.tokenize({ cards: [value] })],
    ['proxy', (c, value) => c.proxy({ url, body: { cards: [value] } })],
  ];

  it.each(VALUES)('%s: nothing is sent, and the error names the place alone', async (_name, value) => {
    for (const [, call] of CALLS) {
      const { message } = await refused(async (client) => call(client, value));
      expect(message).toMatch(
        /^body(\.\w+)*\.cards\[0\] is of the kind \w+, and JSON would lose its content/,
      );
      expect(message).not.toContain('4242');
    }
  });

  it('is none with a toJSON, without a prototype, or of another realm', async () => {
    const other: unknown = compileFunction('return { a: [{}] }', [], { parsingContext: createContext() })();
    const { received } = await calling((client) =>
      client.tokenize({
        date: new Date(0) as never,
        bare: Object.assign(Object.create(null), { b: 1 }) as { b: number },
        other: other as null,
        absent: undefined as number | undefined,
      }),
    );
    expect(received[0]?.body).toEqual({
      date: '1970-01-01T00:00:00.000Z',
      bare: { b: 1 },
      other: { a: [{}] },
    });
  });
});

it('one signal serves many calls at once without a warning, and retains none', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  const { signal } = new AbortController();
  await calling((client) =>
    Promise.all(Array.from({ length: 30 }, () => client.tokens.retrieve('x', { signal }))),
  );
  await new Promise(setImmediate);
  process.off('warning', warned);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
