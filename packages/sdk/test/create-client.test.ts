import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { compileFunction } from 'node:vm';
import { buildSync } from 'esbuild';
import type * as sdk from '../src/index.ts';
import {
  ApiError,
  ConnectionError,
  createClient,
  TimeoutError,
  WebhookVerificationError,
  type Client,
} from '../src/index.ts';
import { allRoutes } from '../../../tools/openapi/all-routes.ts';
import { aMisreadValue } from '../../../test/support/a-misread-value.ts';
import { withService, type Reply } from './a-service.ts';
import { OPERATIONS } from './operations.ts';

const calling = async (call: (client: Client) => Promise<unknown>, replies: readonly Reply[] = []) =>
  withService(replies, async (baseUrl, received) => {
    const client = createClient({ baseUrl: `${baseUrl}/`, apiKey: 'key_private_x' });
    const outcome = await call(client).then(
      (value) => ({ value, error: undefined }),
      (error: unknown) => ({ value: undefined, error: error as any }),
    );
    return { ...outcome, received };
  });

/** The SDK a second time, with separate classes, like those of its other build. */
function bundleAgain(): typeof sdk {
  const { outputFiles } = buildSync({
    // esbuild remembers the folder in which it was first loaded, which may be that of another test.
    absWorkingDir: process.cwd(),
    entryPoints: ['packages/sdk/src/index.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    minify: true,
  });
  const module = { exports: {} };
  compileFunction(outputFiles[0]?.text ?? '', ['module', 'require'])(module, createRequire(import.meta.url));
  return module.exports as typeof sdk;
}

const url = 'https://api.example.com';

describe('the operations', () => {
  it.each(OPERATIONS)('%s has a method', async (operation, call) => {
    const { received } = await calling(async (client) => call(client));
    const [request] = received;
    expect(`${request?.method ?? ''} ${decodeURIComponent(request?.url ?? '')}`).toBe(operation);
    expect(request?.headers['svc-api-key']).toBe('key_private_x');
  });

  it('every route of the service is among them, and nothing else', () => {
    const routes = allRoutes().map(({ method, path }) => `${method} ${path}`);
    expect(routes.length).toBeGreaterThan(30);
    expect(OPERATIONS.map(([operation]) => operation).sort()).toEqual(routes.sort());
  });

  it('that show tokens send how much to show at most, and no other header', async () => {
    const transform = 'mask' as const;
    const headersOf = async (call: (client: Client) => PromiseLike<unknown>) =>
      (await calling(async (client) => call(client))).received.map(({ headers }) => headers['svc-transform']);
    for (const call of [
      (c: Client) => c.tokens.retrieve('a', { transform }),
      (c: Client) => c.tokens.list({}, { transform }),
      (c: Client) => c.tokens.search({ query: 'a' }, { transform }),
      (c: Client) => c.detokenize({}, { transform }),
    ])
      expect(await headersOf(call)).toEqual(['mask']);
    expect(await headersOf((c) => c.tokens.retrieve('a'))).toEqual([undefined]);
  });

  it('an asynchronous invocation uses the same route, with the URL for its result', async () => {
    const { received } = await calling((client) =>
      client.reactors.reactAsync('x', { args: [1], callback_url: 'https://me.example', timeout_ms: 20_000 }),
    );
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/reactors/x/react',
      body: { args: [1], callback_url: 'https://me.example', timeout_ms: 20_000 },
    });
  });

  it('names with escapes are those of the response, whatever was read before (docs/decisions/0014)', async () => {
    const data = aMisreadValue();
    const body = aMisreadValue();
    const { value } = await calling(
      async (client) => [
        await client.tokens.retrieve('x'),
        (await client.proxy({ url, method: 'GET' })).json(),
      ],
      [
        { status: 200, body: { data } },
        { status: 200, body, headers: { 'SVC-PROXY-DESTINATION-STATUS': '200' } },
      ],
    );
    expect(value).toEqual([{ data }, body]);
  });

  it('merge patches are sent with their media type, and filters as the query', async () => {
    const { received } = await calling(async (client) => {
      await client.tokens.update('a b:ü', { mask: null });
      await client.tokens.list({ id: ['x', 'y'], metadata: { k: 'v' }, size: 2 });
    });
    expect(received[0]).toMatchObject({ url: '/tokens/a%20b%3A%C3%BC', body: { mask: null } });
    expect(received[0]?.headers['content-type']).toBe('application/merge-patch+json');
    expect(received[1]?.url).toBe('/tokens?id=x&id=y&size=2&metadata.k=v');
  });

  it('a patch of a stored proxy is a merge patch, and returns the proxy', async () => {
    const { value, received } = await calling(
      (client) => client.proxies.patch('x', { methods: null, configuration: { OLD: null } }),
      [{ status: 200, body: { id: 'x', version: 2 } }],
    );
    expect(value).toEqual({ id: 'x', version: 2 });
    expect(received[0]?.body).toEqual({ methods: null, configuration: { OLD: null } });
    expect(received[0]?.headers['content-type']).toBe('application/merge-patch+json');
  });

  it('iteration follows the cursor to the end', async () => {
    const page = (id: string, after: string | null) => ({
      status: 200,
      body: { data: [{ id }], pagination: { page_size: 1, after } },
    });
    const { value, received } = await calling(
      async (client) => {
        const ids: string[] = [];
        for await (const { id } of client.tokens.list({ page: 1, size: 1 })) ids.push(id);
        return ids;
      },
      [page('a', 'c1'), page('b', 'c2'), page('c', null)],
    );
    expect(value).toEqual(['a', 'b', 'c']);
    expect(received.map(({ url }) => url)).toEqual([
      '/tokens?page=1&size=1',
      '/tokens?size=1&after=c1',
      '/tokens?size=1&after=c2',
    ]);
  });

  it('iteration of the trail continues over short and empty pages, under the same filters', async () => {
    const page = (ids: readonly string[], after: string | null) => ({
      status: 200,
      body: { data: ids.map((id) => ({ id })), pagination: { page_size: 2, after } },
    });
    const { value, received } = await calling(
      async (client) => {
        const ids: string[] = [];
        const records = client.logs.list({ token_id: 't1', outcome: 'ok', size: 2 });
        for await (const { id } of records) ids.push(id);
        return ids;
      },
      [page([], 'c1'), page(['a'], 'c2'), page([], 'c3'), page(['b', 'c'], 'c4'), page([], null)],
    );
    expect(value).toEqual(['a', 'b', 'c']);
    const filters = 'token_id=t1&outcome=ok&size=2';
    expect(received.map(({ url }) => url)).toEqual(
      ['', '&after=c1', '&after=c2', '&after=c3', '&after=c4'].map((after) => `/logs?${filters}${after}`),
    );
  });
});

describe('failures', () => {
  const problem = { title: 'Validation failed', status: 400, detail: 'd', errors: { name: ['is required'] } };

  it('are ApiErrors with the details from the service', async () => {
    const reply = { status: 400, body: problem, headers: { 'SVC-TRACE-ID': 't1', 'Retry-After': '7' } };
    const { error } = await calling((client) => client.tokens.create({ type: 'token', data: 1 }), [reply]);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ ...problem, traceId: 't1', retryAfter: 7, name: 'ApiError' });
  });

  it('responses of API Gateway itself, and bodies that are not JSON, are ApiErrors too', async () => {
    const replies = [{ status: 413, body: { message: 'Request Too Long' } }, { status: 500 }];
    const { value } = await calling(async (client) => {
      const failing = () =>
        client.tokens.create({ type: 'token', data: 1 }).catch((error: unknown) => error as any);
      return [(await failing()).title, (await failing()).title];
    }, replies);
    expect(value).toEqual(['Request Too Long', 'Error']);
  });

  it('failures have the page of their code, if the service has one', async () => {
    const problem = { title: 'Forbidden', status: 403, code: 'forbidden' };
    const replies = [
      { status: 403, body: { type: '/docs/errors/forbidden', ...problem } },
      { status: 403, body: problem },
    ];
    const { value } = await calling(async (client) => {
      const failing = () => client.tokens.retrieve('x').catch((error: unknown) => error as any);
      return [(await failing()).type, (await failing()).type];
    }, replies);
    expect(value).toEqual(['/docs/errors/forbidden', undefined]);
  });

  it('failures with a page instead of JSON, or without a response, state that', async () => {
    await withService([{ status: 200, body: undefined }, { status: 204 }], async (baseUrl) => {
      const client = createClient({ baseUrl, apiKey: 'k' });
      await expect(client.tokens.delete('x')).resolves.toBeUndefined();
    });
    const server = createServer((_request, response) => {
      response.end('<html>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const client = createClient({ baseUrl, apiKey: 'key_private_x', maxRetries: 0 });
    const page = await client.tokens.retrieve('x').catch((error: unknown) => error as ApiError);
    expect(page).toBeInstanceOf(ApiError);
    expect(page).toMatchObject({ status: 200, detail: expect.stringContaining('baseUrl') });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const failure = await client.tokens.retrieve('x').catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ message: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(failure)).not.toContain('key_private_x');
  });

  it('are recognised by instanceof across builds, unlike objects that only look like them', () => {
    const other = bundleAgain();
    const details = { status: 404, title: 't', code: undefined, detail: undefined, errors: undefined };
    const unnamed = { type: undefined, traceId: undefined, retryAfter: undefined };
    const error = new other.ApiError({ ...details, ...unnamed });
    expect(error instanceof ApiError).toBe(true);
    expect(error instanceof ConnectionError).toBe(false);
    const timeout = new other.TimeoutError(1);
    expect([timeout instanceof TimeoutError, timeout instanceof ConnectionError]).toEqual([true, true]);
    expect(new other.ConnectionError('x') instanceof TimeoutError).toBe(false);
    expect(new other.WebhookVerificationError('x') instanceof WebhookVerificationError).toBe(true);
    class Own extends ApiError {}
    expect(error instanceof Own).toBe(false);
    for (const value of [undefined, null, 'ApiError', {}, new Error('x')])
      expect(value instanceof ApiError).toBe(false);
  });
});

describe('a list', () => {
  const page = { status: 200, body: { data: [{ id: 'a' }], pagination: { page_size: 1, after: null } } };

  it('sends no request before it is used, and one however often it is awaited', async () => {
    const { value, received } = await calling(
      async (client) => {
        void client.tokens.list();
        const list = client.tokens.list({ size: 1 });
        return [(await list).data, (await list).data];
      },
      [page],
    );
    expect(value).toEqual([[{ id: 'a' }], [{ id: 'a' }]]);
    expect(received.map(({ url: asked }) => asked)).toEqual(['/tokens?size=1']);
  });

  it('rejects like any promise', async () => {
    const { value } = await calling(
      async (client) => {
        const caught: unknown[] = [];
        await client.tokens
          .list()
          .catch((error: unknown) => caught.push(error))
          .finally(() => caught.push('end'));
        return caught;
      },
      [{ status: 403, body: { title: 'Forbidden' } }],
    );
    expect(value).toEqual([expect.objectContaining({ status: 403 }), 'end']);
  });
});

describe('the options', () => {
  const baseUrl = 'https://tokens.example.com';

  it.each([
    [{ baseUrl: 'tokens.example.com', apiKey: 'k' }, TypeError],
    [{ baseUrl: 'ftp://tokens.example.com', apiKey: 'k' }, TypeError],
    [{ baseUrl: 'https://user:x@tokens.example.com', apiKey: 'k' }, TypeError],
    [{ baseUrl: 'https://:x@tokens.example.com', apiKey: 'k' }, TypeError],
    [{ baseUrl: `${baseUrl}?a=1`, apiKey: 'k' }, TypeError],
    [{ baseUrl, apiKey: '' }, TypeError],
    [{ baseUrl, apiKey: 'a\nb' }, TypeError],
    [{ baseUrl, apiKey: 'schlüssel' }, TypeError],
    [{ baseUrl, apiKey: 'k', headerPrefix: 'A B' }, TypeError],
    [{ baseUrl, apiKey: 'k', headerPrefix: 'A_B' }, TypeError],
    [{ baseUrl, apiKey: 'k', headerPrefix: '1A' }, TypeError],
    [{ baseUrl, apiKey: 'k', maxRetries: -1 }, RangeError],
    [{ baseUrl, apiKey: 'k', maxRetries: 1.5 }, RangeError],
    [{ baseUrl, apiKey: 'k', timeoutMs: 0 }, RangeError],
    [{ baseUrl, apiKey: 'k', timeoutMs: Infinity }, RangeError],
    // A timer of more milliseconds ends immediately.
    [{ baseUrl, apiKey: 'k', timeoutMs: 2 ** 31 }, RangeError],
    [{ baseUrl, apiKey: 'k', maxRetries: 2 ** 31 }, RangeError],
  ])('%p is rejected', (options, errorClass) => {
    expect(() => createClient(options)).toThrow(errorClass);
  });

  it.each([{ timeoutMs: 2 ** 31 - 1 }, { timeoutMs: 1 }, { maxRetries: 0 }])('%j is accepted', (options) => {
    expect(() => createClient({ baseUrl, apiKey: 'k', ...options })).not.toThrow();
  });

  it('are not quoted in full if they are wrong: a key stays out of messages', async () => {
    expect(() => createClient({ baseUrl, apiKey: 'key_private_ä' })).not.toThrow('key_private');
    const { error } = await calling((client) =>
      client.applications.regenerateKey('a', { idempotencyKey: 'geheim\n' }),
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).not.toContain('geheim');
    expect(
      (await calling((client) => client.applications.regenerateKey('a', { idempotencyKey: '' }))).received,
    ).toEqual([]);
  });

  it('name the request in the logs, below any path and with any prefix', async () => {
    await withService([], async (origin, received) => {
      const client = createClient({ baseUrl: `${origin}/vault/`, apiKey: 'k', headerPrefix: 'ACME' });
      await client.permissions.list('private', { traceId: 'order 7' });
      expect(received[0]).toMatchObject({
        method: 'GET',
        url: '/vault/permissions?application_type=private',
      });
      expect(received[0]?.headers).toMatchObject({ 'acme-api-key': 'k', 'acme-trace-id': 'order 7' });
    });
  });
});

describe('the proxy', () => {
  it('returns the destination’s response, whatever its status code', async () => {
    const reply = {
      status: 402,
      body: { declined: true },
      headers: { 'SVC-PROXY-DESTINATION-STATUS': '402' },
    };
    const { value, received } = await calling(
      async (client) => {
        const request = {
          url: 'https://api.example.com/v1',
          method: 'POST',
          path: 'charge',
          body: { card: '{{ x }}' },
        } as const;
        const response = await client.proxy({
          ...request,
          query: { q: '1' },
          headers: { Authorization: 'Bearer b', 'svc-api-key': 'of another' },
          keepAlive: 'timeout=5',
          traceId: 't1',
        });
        return { status: response.status, body: response.json() };
      },
      [reply],
    );
    expect(value).toEqual({ status: 402, body: { declined: true } });
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/proxy/charge?q=1',
      body: { card: '{{ x }}' },
    });
    expect(received[0]?.headers).toMatchObject({
      'svc-proxy-url': 'https://api.example.com/v1',
      authorization: 'Bearer b',
      'svc-proxy-keep-alive': 'timeout=5',
      'svc-trace-id': 't1',
      'svc-api-key': 'key_private_x',
    });
  });

  it('sends your Content-Type, however its name is written', async () => {
    const answered = { status: 200, headers: { 'SVC-PROXY-DESTINATION-STATUS': '200' } };
    const headers = { 'content-type': 'application/vnd.api+json' };
    const { received } = await calling(
      (client) => client.proxy({ url, method: 'PUT', headers, body: { a: 1 } }),
      [answered],
    );
    expect(received[0]).toMatchObject({ headers, body: { a: 1 } });
  });

  it('sends the key of a stored proxy in place of a destination, and the API key of the client', async () => {
    const answered = { status: 200, headers: { 'SVC-PROXY-DESTINATION-STATUS': '201' } };
    const { value, received } = await calling(
      async (client) => {
        const proxyKey = 'key_proxy_x';
        return (await client.proxy({ proxyKey, method: 'POST', path: 'charges', body: { a: 1 } })).status;
      },
      [answered],
    );
    expect(value).toBe(201);
    expect(received).toMatchObject([{ method: 'POST', url: '/proxy/charges', body: { a: 1 } }]);
    const { headers } = received[0] ?? {};
    expect(headers).toMatchObject({ 'svc-proxy-key': 'key_proxy_x', 'svc-api-key': 'key_private_x' });
    expect(headers).not.toHaveProperty('svc-proxy-url');
  });

  it('throws its own failures as ApiErrors', async () => {
    const body = { proxy_error: { title: 'Bad', status: 400, detail: 'forbidden destination' } };
    const { error } = await calling(
      (client) => client.proxy({ url: 'https://10.0.0.1' }),
      [{ status: 400, body }],
    );
    expect(error).toMatchObject({ status: 400, detail: 'forbidden destination' });
  });
});
