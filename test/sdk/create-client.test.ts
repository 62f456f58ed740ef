import { readFileSync } from 'node:fs';
import { ApiError, createClient, type Client } from '../../sdk/index.ts';
import { withService, type Reply } from './a-service.ts';

const calling = async (call: (client: Client) => Promise<unknown>, replies: readonly Reply[] = []) =>
  withService(replies, async (baseUrl, received) => {
    const client = createClient({ baseUrl: `${baseUrl}/`, apiKey: 'key_private_x' });
    const outcome = await call(client).then(
      (value) => ({ value, error: undefined }),
      (error: unknown) => ({ value: undefined, error: error as any }),
    );
    return { ...outcome, received };
  });

/** Every operation, as the row of docs/api.md it is, and the call that makes it. */
const OPERATIONS: readonly (readonly [string, (client: Client) => PromiseLike<unknown>])[] = [
  ['POST /tokens', (c) => c.tokens.create({ type: 'token', data: 1 })],
  ['GET /tokens', (c) => c.tokens.list()],
  ['GET /tokens/{id}', (c) => c.tokens.retrieve('{id}')],
  ['PATCH /tokens/{id}', (c) => c.tokens.update('{id}', { mask: null })],
  ['DELETE /tokens/{id}', (c) => c.tokens.delete('{id}')],
  ['POST /tokens/search', (c) => c.tokens.search({ query: 'type:"card"' })],
  ['POST /tokenize', (c) => c.tokenize({ a: 1 })],
  ['POST /detokenize', (c) => c.detokenize({ a: '{{ x }}' })],
  ['POST /applications', (c) => c.applications.create({ name: 'a', type: 'private' })],
  ['GET /applications', (c) => c.applications.list()],
  ['GET /applications/key', (c) => c.applications.retrieveByKey()],
  ['GET /applications/{id}', (c) => c.applications.retrieve('{id}')],
  ['PUT /applications/{id}', (c) => c.applications.update('{id}', { name: 'b' })],
  ['POST /applications/{id}/regenerate', (c) => c.applications.regenerateKey('{id}')],
  ['DELETE /applications/{id}', (c) => c.applications.delete('{id}')],
  ['GET /permissions', (c) => c.permissions.list()],
  ['GET /tenants/self', (c) => c.tenants.retrieve()],
  ['PUT /tenants/self', (c) => c.tenants.update({ name: 'n', settings: { deduplicate_tokens: true } })],
  ['POST /sessions', (c) => c.sessions.create()],
  ['POST /sessions/authorize', (c) => c.sessions.authorize({ nonce: 'n' })],
  ['POST /reactors', (c) => c.reactors.create({ name: 'r', code: 'c', configuration: {} })],
  ['GET /reactors', (c) => c.reactors.list()],
  ['GET /reactors/{id}', (c) => c.reactors.retrieve('{id}')],
  ['PUT /reactors/{id}', (c) => c.reactors.update('{id}', { name: 'r', code: 'c', configuration: {} })],
  ['PATCH /reactors/{id}', (c) => c.reactors.patch('{id}', { name: 's' })],
  ['DELETE /reactors/{id}', (c) => c.reactors.delete('{id}')],
  ['POST /reactors/{id}/react', (c) => c.reactors.react('{id}', { args: {} })],
  ['GET /reactors/{id}/results/{invocation}', (c) => c.reactors.retrieveResult('{id}', '{invocation}')],
];

describe('the operations', () => {
  test.each(OPERATIONS)('%s has a method', async (operation, call) => {
    const { received } = await calling(async (client) => call(client));
    const [request] = received;
    expect(`${request?.method ?? ''} ${decodeURIComponent(request?.url ?? '')}`).toBe(operation);
    expect(request?.headers['svc-api-key']).toBe('key_private_x');
  });

  test('every operation of docs/api.md but the proxy is among them', () => {
    const documented = [...readFileSync('docs/api.md', 'utf8').matchAll(/^\| `([A-Z]+ \/[^`]*)`/gm)]
      .map(([, operation]) => String(operation))
      .filter((operation) => !operation.includes('/proxy'));
    expect(documented.length).toBeGreaterThan(15);
    const ours = OPERATIONS.map(([operation]) => operation.replace('{invocation}', '{invocation_id}'));
    const plain = (operation: string) => operation.replaceAll(/\{[^}]*\}/g, '{}');
    expect(ours.map(plain)).toEqual(expect.arrayContaining(documented.map(plain)));
  });

  test('merge patches go out as such, filters as the query', async () => {
    const { received } = await calling(async (client) => {
      await client.tokens.update('a/b', { mask: null });
      await client.tokens.list({ id: ['x', 'y'], metadata: { k: 'v' }, size: 2 });
    });
    expect(received[0]).toMatchObject({ url: '/tokens/a%2Fb', body: { mask: null } });
    expect(received[0]?.headers['content-type']).toBe('application/merge-patch+json');
    expect(received[1]?.url).toBe('/tokens?id=x&id=y&size=2&metadata.k=v');
  });

  test('iteration follows the cursor to the end', async () => {
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
});

describe('failures', () => {
  const problem = { title: 'Validation failed', status: 400, detail: 'd', errors: { name: ['is required'] } };

  test('are ApiErrors with what the service said', async () => {
    const reply = { status: 400, body: problem, headers: { 'SVC-TRACE-ID': 't1', 'Retry-After': '7' } };
    const { error } = await calling((client) => client.tokens.create({ type: 'token', data: 1 }), [reply]);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ ...problem, traceId: 't1', retryAfter: 7, name: 'ApiError' });
  });

  test('answers of API Gateway itself, and bodies that are no JSON, are ApiErrors too', async () => {
    const replies = [{ status: 413, body: { message: 'Request Too Long' } }, { status: 500 }];
    const { value } = await calling(async (client) => {
      const failing = () =>
        client.tokens.create({ type: 'token', data: 1 }).catch((error: unknown) => error as any);
      return [(await failing()).title, (await failing()).title];
    }, replies);
    expect(value).toEqual(['Request Too Long', 'Error']);
  });

  const throttled = { status: 429, headers: { 'Retry-After': '0' } };

  test('a GET is tried again after 429 and 503, as long as Retry-After says', async () => {
    const { value, received } = await calling(
      (client) => client.tokens.retrieve('x'),
      [throttled, { status: 503 }],
    );
    expect(value).toEqual({});
    expect(received).toHaveLength(3);
  });

  test('a POST is tried again with an idempotency key alone', async () => {
    const create = (idempotencyKey?: string) => (client: Client) =>
      client.tokens.create({ type: 'token', data: 1 }, { idempotencyKey });
    const without = await calling(create(), [throttled]);
    expect(without.error?.status).toBe(429);
    expect(without.received).toHaveLength(1);
    const having = await calling(create('k1'), [throttled]);
    expect(having.received.map(({ headers }) => headers['svc-idempotency-key'])).toEqual(['k1', 'k1']);
  });

  test('a refusal is not tried again, and neither is a wait of minutes', async () => {
    const get = (client: Client) => client.tokens.retrieve('x');
    expect((await calling(get, [{ status: 404 }])).received).toHaveLength(1);
    const later = { status: 503, headers: { 'Retry-After': '300' } };
    expect((await calling(get, [later])).received).toHaveLength(1);
  });

  test('a call ends when its signal says so, between tries too', async () => {
    const controller = new AbortController();
    const { error } = await calling(
      (client) => {
        setTimeout(() => controller.abort(), 50);
        return client.tokens.retrieve('x', { signal: controller.signal });
      },
      [{ status: 503, headers: { 'Retry-After': '20' } }],
    );
    expect(error?.name).toBe('AbortError');
  });
});

describe('the proxy', () => {
  test("the destination's answer is the answer, whatever its status", async () => {
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
          headers: { Authorization: 'Bearer b' },
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
    });
  });

  test('a failure of the proxy itself is an ApiError', async () => {
    const body = { proxy_error: { title: 'Bad', status: 400, detail: 'forbidden destination' } };
    const { error } = await calling(
      (client) => client.proxy({ url: 'https://10.0.0.1' }),
      [{ status: 400, body }],
    );
    expect(error).toMatchObject({ status: 400, detail: 'forbidden destination' });
  });
});
