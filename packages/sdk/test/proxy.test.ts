import { inspect } from 'node:util';
import { compileFunction } from 'node:vm';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ApiError, ConnectionError, createClient, type Client, type ProxyRequest } from '../src/index.ts';
import { sharedReactor } from '../../../test/reactor-runtime/a-reactor.ts';
import { cases, fc } from '../../test-kit/src/properties.ts';
import { calling, refused, RESPONDED, url } from './a-caller.ts';
import { withService, type Received, type Reply } from './a-service.ts';
import { bundled } from './bundled.ts';

const { answerOf: responseOf } = sharedReactor();

const SECRET = 'Bearer of-the-destination';

/**
 * The same call by `fetch`, and in a reactor on Node 16, which has none. `code` is an expression of
 * `client` and `args`.
 */
async function onBothTransports(code: string, args: object, replies: readonly Reply[]) {
  const asked = async (run: (baseUrl: string) => Promise<unknown>) =>
    withService(replies, async (baseUrl, received) => ({ value: await run(baseUrl), received }));
  const here = await asked(async (baseUrl) => {
    const client = (await bundled('node')).createClient({ baseUrl, apiKey: 'k' });
    const call = compileFunction(`return (${code})`, ['client', 'args']) as (
      ...input: readonly unknown[]
    ) => Promise<unknown>;
    return call(client, args);
  });
  const inNode16 = await asked(async (base_url) => {
    const client = { base_url, api_key: 'k', header_prefix: 'SVC' };
    const text = `module.exports = async ({ args, bt: client }) => (${code});`;
    const response = await responseOf(text, args, { client });
    return (response as { value?: unknown }).value ?? response;
  });
  return { here, inNode16 };
}

describe('an id', () => {
  const CALLS: readonly (readonly [string, (client: Client, id: string) => PromiseLike<unknown>])[] = [
    ['tokens.retrieve', (c, id) => c.tokens.retrieve(id)],
    ['tokens.update', (c, id) => c.tokens.update(id, {})],
    ['tokens.delete', (c, id) => c.tokens.delete(id)],
    ['applications.retrieve', (c, id) => c.applications.retrieve(id)],
    ['applications.update', (c, id) => c.applications.update(id, { name: 'a' })],
    ['applications.regenerateKey', (c, id) => c.applications.regenerateKey(id)],
    ['applications.delete', (c, id) => c.applications.delete(id)],
    ['proxies.retrieve', (c, id) => c.proxies.retrieve(id)],
    ['proxies.update', (c, id) => c.proxies.update(id, { name: 'p', destination_url: url })],
    ['proxies.patch', (c, id) => c.proxies.patch(id, {})],
    ['proxies.delete', (c, id) => c.proxies.delete(id)],
    ['proxies.listVersions', (c, id) => c.proxies.listVersions(id)],
    ['proxies.listFailures', (c, id) => c.proxies.listFailures(id)],
    ['proxies.revert', (c, id) => c.proxies.revert(id, { version: 1 })],
    ['proxies.keys.list', (c, id) => c.proxies.keys.list(id)],
    ['the key of proxies.keys.delete', (c, id) => c.proxies.keys.delete('p', id)],
    ['reactors.retrieve', (c, id) => c.reactors.retrieve(id)],
    ['reactors.update', (c, id) => c.reactors.update(id, { name: 'r', code: 'c', configuration: {} })],
    ['reactors.patch', (c, id) => c.reactors.patch(id, {})],
    ['reactors.delete', (c, id) => c.reactors.delete(id)],
    ['reactors.react', (c, id) => c.reactors.react(id)],
    ['reactors.reactAsync', (c, id) => c.reactors.reactAsync(id, { callback_url: url })],
    ['reactors.retrieveResult', (c, id) => c.reactors.retrieveResult(id, 'i')],
    ['the invocation of reactors.retrieveResult', (c, id) => c.reactors.retrieveResult('r', id)],
  ];
  const WRONG = ['', '.', '..', '?', '../tokens', 'a/b', 'a\\b', 'a#b', '%2e%2e', '%3f', 'a\nb', '\ud800'];

  it.each(CALLS)(
    'that would change the path is rejected before anything is sent, by %s',
    async (_name, call) => {
      for (const id of [...WRONG, undefined as unknown as string, 7 as unknown as string])
        await refused(async (client) => call(client, id));
    },
  );

  it('that is valid is sent in its place, whatever characters it contains', async () => {
    await withService([], async (baseUrl, received) => {
      const client = createClient({ baseUrl, apiKey: 'k' });
      const ids = fc
        .string({ minLength: 1, unit: 'binary' })
        .filter((id) => !/^\.\.?$|[/\\?#%\p{Cc}]/u.test(id));
      await fc.assert(
        fc.asyncProperty(ids, async (id) => {
          await client.tokens.retrieve(id);
          const [, tokens, encoded = '', ...more] = received.at(-1)?.url.split('/') ?? [];
          expect([tokens, decodeURIComponent(encoded), more]).toEqual(['tokens', id, []]);
        }),
        { numRuns: cases(20) },
      );
    });
  });
});

describe('the path of the proxy', () => {
  it.each([
    'charges/../../tokens/victim',
    '..',
    '.',
    '/./a',
    'a/..',
    '%2e%2e/tokens',
    'a/%2E./b',
    'a/.%2e',
    'a%2f..%2fb',
    'a/%252e%252e/b',
    'a/%25252e./b',
    'a%5c..%5cb',
    'a\\..\\b',
    '\\..\\tokens',
    'a/.\t./b',
    'a/.\n./b',
    'a/\r../b',
    'a\0',
    'a?b=1',
    'a%3Fb',
    'a#b',
    '\ud800',
    7 as unknown as string,
  ])('%j is rejected before anything is sent', async (path) => {
    await refused((client) => client.proxy({ url, path }));
  });

  it.each([
    ['', '/proxy'],
    ['/', '/proxy/'],
    ['charges', '/proxy/charges'],
    ['/charges/', '/proxy/charges/'],
    ['//evil.example/x', '/proxy//evil.example/x'],
    ['https://evil.example', '/proxy/https://evil.example'],
    ['@evil.example', '/proxy/@evil.example'],
    ['a/...', '/proxy/a/...'],
    ['.well-known/..a', '/proxy/.well-known/..a'],
    [' a b ', '/proxy/%20a%20b%20'],
    ['a%20ü', '/proxy/a%20%C3%BC'],
  ])('%j is sent as %s', async (path, sent) => {
    const { received } = await calling((client) => client.proxy({ url, path }), [RESPONDED]);
    expect(received.map(({ url: asked }) => asked)).toEqual([sent]);
  });

  it('stays below the path of the service for any path', async () => {
    await withService([], async (origin, received) => {
      const client = createClient({ baseUrl: `${origin}/vault`, apiKey: 'k' });
      const parts = fc.constantFrom(
        '..',
        '.',
        '/',
        '\\',
        '%2e',
        '%2F',
        '%25',
        '?',
        '#',
        '\t',
        ' ',
        'a',
        ';',
        '@',
      );
      await fc.assert(
        fc.asyncProperty(fc.array(parts, { maxLength: 8 }), async (some) => {
          const before = received.length;
          const error = await client.proxy({ url, path: some.join('') }).catch((thrown: unknown) => thrown);
          if (received.length === before) expect(error).toBeInstanceOf(TypeError);
          else expect(received.at(-1)?.url).toMatch(/^\/vault\/proxy(\/|$)/);
        }),
        { numRuns: cases(70) },
      );
    });
  });

  it('the path of the proxy with an empty query in the address of the service remains a path', async () => {
    await withService([], async (baseUrl, received) => {
      await createClient({ baseUrl: `${baseUrl}/?#`, apiKey: 'k' }).permissions.list();
      expect(received[0]?.url).toBe('/permissions');
    });
  });
});

describe('an invalid part of a proxied request is reported without its value:', () => {
  const wrong = `${SECRET}\n`;
  const withHeaders = (headers: object): Partial<ProxyRequest> => ({
    headers: headers as Record<string, string>,
  });

  it.each<readonly [string, Partial<ProxyRequest>, string]>([
    ['a header with a line break', withHeaders({ Authorization: wrong }), 'Authorization'],
    ['a header with another control character', withHeaders({ 'X-A': `${SECRET}\0` }), 'X-A'],
    ['a header beyond Latin-1', withHeaders({ Authorization: `${SECRET}€` }), 'Authorization'],
    ['a header that is not text', withHeaders({ 'X-A': 7 }), 'X-A'],
    ['an undefined header', withHeaders({ 'X-A': undefined }), 'X-A'],
    ['an invalid name', withHeaders({ [SECRET]: 'x' }), 'name of a header'],
    ['an empty name', withHeaders({ '': 'x' }), 'name of a header'],
    ['the host', withHeaders({ Host: SECRET }), 'Host'],
    ['the length', withHeaders({ 'content-length': SECRET }), 'content-length'],
    ['the connection as a header', withHeaders({ Connection: SECRET }), 'Connection'],
    ['the transfer', withHeaders({ 'Transfer-Encoding': SECRET }), 'Transfer-Encoding'],
    ['the address', { url: wrong }, 'url'],
    ['no address', { url: undefined as unknown as string }, 'url'],
    ['a key beside an address', { proxyKey: SECRET as unknown as undefined }, 'proxyKey'],
    ['a key of a proxy', { url: undefined, proxyKey: wrong }, 'proxyKey'],
    ['an empty key of a proxy', { url: undefined, proxyKey: '' }, 'proxyKey'],
    ['keepAlive', { keepAlive: wrong }, 'keepAlive'],
    ['connection', { connection: wrong }, 'connection'],
    ['a method', { method: SECRET as 'GET' }, 'method'],
    ['an unsupported body', { method: 'POST', body: (() => 1) as never }, 'body'],
    ['a trace id', { traceId: wrong }, 'traceId'],
  ])('%s', async (_what, request, named) => {
    const error = await refused((client) => client.proxy({ url, ...request } as ProxyRequest));
    expect(error.message).toContain(named);
    expect(inspect(error, { depth: 9 })).not.toContain('of-the-destination');
  });
});

describe('a ConnectionError', () => {
  it('quotes nothing of request or response, whatever the platform reports', async () => {
    const saying = async (failure: unknown) => {
      const fetching = jest.spyOn(globalThis, 'fetch').mockRejectedValue(failure);
      try {
        const client = createClient({ baseUrl: 'https://tokens.example.com/v', apiKey: 'k', maxRetries: 0 });
        return await client.permissions.list().catch((error: unknown) => error as ConnectionError);
      } finally {
        fetching.mockRestore();
      }
    };
    const coded = Object.assign(new Error(SECRET), { code: 'ECONNRESET', rawPacket: SECRET });
    const several = Object.assign(new Error(SECRET), { errors: [coded] });
    for (const failure of [
      coded,
      new TypeError(SECRET, { cause: coded }),
      new TypeError('x', { cause: several }),
    ]) {
      const error = await saying(failure);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({
        message: 'No complete response came from https://tokens.example.com: ECONNRESET',
        cause: { code: 'ECONNRESET' },
      });
      expect(inspect(error, { depth: 9 })).not.toContain('of-the-destination');
    }
    const circular: { cause?: unknown } = {};
    circular.cause = circular;
    const secretCode = Object.assign(new Error('x'), { code: SECRET });
    for (const failure of [new Error(SECRET), SECRET, undefined, circular, secretCode]) {
      const error = await saying(failure);
      expect(error).toMatchObject({ message: 'No complete response came from https://tokens.example.com' });
      expect(inspect(error, { depth: 9 })).not.toContain('of-the-destination');
    }
  });
});

it('a form is sent from Node 16 too', async () => {
  const code = `client.proxy({ url: args.url, body: new URLSearchParams({ a: '{{ x }}' }) }).then(({ status }) => status)`;
  const { here, inNode16 } = await onBothTransports(code, { url }, [RESPONDED]);
  for (const { received } of [here, inNode16])
    expect(received).toMatchObject([
      {
        method: 'POST',
        body: 'a=%7B%7B+x+%7D%7D',
        headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
      },
    ]);
});

describe('a GET with a body', () => {
  it('is sent unchanged, with fetch and without', async () => {
    const code = `client.proxy({ url: args.url, method: 'GET', body: { card: '{{ x }}' } }).then(({ status }) => status)`;
    const { here, inNode16 } = await onBothTransports(code, { url }, [RESPONDED]);
    for (const { value, received } of [here, inNode16]) {
      expect(value).toBe(200);
      expect(received).toMatchObject([{ method: 'GET', url: '/proxy', body: { card: '{{ x }}' } }]);
    }
  });

  it('is rejected in a browser, which cannot send it', async () => {
    const browser = await bundled('browser');
    await withService([RESPONDED, RESPONDED], async (baseUrl, received) => {
      const client = browser.createClient({ baseUrl, apiKey: 'k' });
      await expect(client.proxy({ url, method: 'GET', body: 'x' })).rejects.toThrow(
        'A browser sends no GET with a body',
      );
      await client.proxy({ url });
      await client.proxy({ url, method: 'POST', body: 'x' });
      expect(received.map(({ method, body }) => [method, body])).toEqual([
        ['GET', ''],
        ['POST', 'x'],
      ]);
    });
  });
});

describe('a response is the same with fetch and without:', () => {
  const CODE = `client.proxy({ url: 'https://api.example.com', method: 'POST' })
    .then((r) => ({ status: r.status, headers: r.headers, setCookies: r.setCookies, text: r.text() }))`;
  const OWN = ['connection', 'keep-alive', 'date', 'transfer-encoding', 'svc-proxy-destination-status'];

  async function answered(reply: Omit<Reply, 'status'>) {
    const headers = { ...RESPONDED.headers, 'Content-Type': 'text/plain', ...reply.headers };
    const both = await onBothTransports(CODE, {}, [{ ...reply, status: 200, headers }]);
    const [here, inNode16] = [both.here, both.inNode16].map(({ value }) => {
      const { headers: all, ...rest } = value as { headers: Record<string, string> };
      const shown = Object.entries(all).filter(([name]) => !OWN.includes(name));
      return { ...rest, headers: Object.fromEntries(shown) };
    });
    expect(inNode16).toEqual(here);
    return here;
  }

  it('cookies one by one, other repeated headers joined', async () => {
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'];
    const response = await answered({
      headers: { 'Set-Cookie': cookies, 'X-A': ['1', '2'] },
      raw: Buffer.from('ü'),
    });
    expect(response).toEqual({
      status: 200,
      text: 'ü',
      setCookies: cookies,
      headers: { 'content-type': 'text/plain', 'content-length': '2', 'x-a': '1, 2' },
    });
  });

  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
  ])('a body in %s is decoded, and no header states that it was encoded', async (coding, encode) => {
    const response = await answered({ headers: { 'Content-Encoding': coding }, raw: encode('{"ü":1}') });
    expect(response).toMatchObject({ text: '{"ü":1}', headers: { 'content-type': 'text/plain' } });
    expect(Object.keys(response?.headers ?? {})).toEqual(['content-type']);
  });

  it('a body in another coding is unchanged, and its header states the coding', async () => {
    for (const coding of ['identity', 'aes128gcm', 'gzip, aes128gcm'])
      expect(
        await answered({ headers: { 'Content-Encoding': coding }, raw: Buffer.from('xyz') }),
      ).toMatchObject({
        text: 'xyz',
        headers: { 'content-encoding': coding, 'content-length': '3' },
      });
  });

  it('a body that is falsely declared as gzip is an error', async () => {
    const code = `client.proxy({ url: 'https://api.example.com', method: 'POST' }).catch((error) => [error.name, error.cause.code])`;
    const headers = { ...RESPONDED.headers, 'Content-Encoding': 'gzip' };
    const both = await onBothTransports(code, {}, [{ status: 200, headers, raw: Buffer.from('plain') }]);
    for (const { value } of [both.here, both.inNode16])
      expect(value).toEqual(['ConnectionError', 'Z_DATA_ERROR']);
  });

  it('the service’s own JSON, too, when an intermediary compresses it', async () => {
    const code = `client.tokens.retrieve('x').then((token) => [token.id, args.fails]).catch((error) => error.title)`;
    for (const [status, body, seen] of [
      [200, { id: 'x' }, ['x', 1]],
      [404, { title: 'Not Found' }, 'Not Found'],
    ] as const) {
      const raw = brotliCompressSync(JSON.stringify(body));
      const reply = { status, raw, headers: { 'Content-Encoding': 'br' } };
      const both = await onBothTransports(code, { fails: 1 }, [reply]);
      for (const { value, received } of [both.here, both.inNode16]) {
        expect(value).toEqual(seen);
        expect(acceptedBy(received)).toContain('gzip');
      }
    }
  });

  const acceptedBy = (received: readonly Received[]) => String(received[0]?.headers['accept-encoding']);

  it('the caller’s Accept-Encoding is sent', async () => {
    const code = `client.proxy({ url: 'https://a.example', method: 'POST', headers: { 'Accept-Encoding': 'identity' } }).then(() => 'ok')`;
    const both = await onBothTransports(code, {}, [RESPONDED]);
    for (const { value, received } of [both.here, both.inNode16])
      expect([value, acceptedBy(received)]).toEqual(['ok', 'identity']);
  });

  it('an ApiError of the proxy is one, in gzip as well', async () => {
    const raw = gzipSync(JSON.stringify({ proxy_error: { title: 'Bad', status: 400 } }));
    const { error } = await calling(
      (client) => client.proxy({ url }),
      [{ status: 400, raw, headers: { 'Content-Encoding': 'gzip' } }],
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(error.title).toBe('Bad');
  });
});
