// Checks docs/contract.md#stored-proxies.
import { withoutRandom } from '../../packages/test-kit/src/without-random.ts';
import { createHmac, randomUUID } from 'node:crypto';
import {
  anApplication,
  call,
  CARD,
  credentials,
  describeNeeding,
  management,
  type Body,
} from '../support/service.ts';
import { target } from '../support/targets/target.ts';
import { aProxy, problemOf, server, serving, through, url } from '../support/through-a-proxy.ts';

const SECRET = 'sk_live_9aB8cD7eF6gH5iJ4';

describe('a stored proxy', () => {
  it('is shown without its configuration and keys, changed, listed and deleted', async () => {
    const { key, ...made } = await aProxy({ configuration: { A: SECRET, B: { value: 'eu', public: true } } });
    expect(made).toEqual({
      id: expect.any(String),
      tenant_id: credentials.tenant_id,
      version: 1,
      name: 'x',
      destination_url: url(),
      request_transforms: [],
      response_transforms: [],
      require_auth: true,
      source_addresses: [],
      timeout: 25,
      configuration_names: ['A', 'B'],
      created_by: expect.any(String),
      created_at: expect.any(String),
    });
    const at = `/proxies/${made.id as string}`;
    expect((await management.get(at)).body).toEqual(made);
    const { body: patched } = await management.patch(at, { name: 'y', configuration: { B: null } });
    expect(patched).toMatchObject({ name: 'y', version: 2, configuration_names: ['A'] });
    const { body: back } = await management.put(at, { ...patched, name: 'z' });
    expect(back).toMatchObject({ name: 'z', version: 3, configuration_names: ['A'] });
    expect((await management.get(`/proxies?id=${made.id as string}`)).body.data).toEqual([back]);
    expect((await management.get('/proxies?name=z')).body.data).toContainEqual(back);
    const { body: versions } = await management.get(`${at}/versions`);
    expect(versions.map(({ version, name }: Body) => [version, name])).toEqual([
      [3, 'z'],
      [2, 'y'],
      [1, 'x'],
    ]);
    expect((await management.post(`${at}/revert`, { version: 1 })).body).toMatchObject({
      name: 'x',
      version: 4,
    });
    expect((await management.post(`${at}/revert`, { version: 9 })).status).toBe(404);
    expect((await management.delete(at)).status).toBe(204);
    expect((await management.get(at)).status).toBe(404);
    expect(problemOf(await through(key))).toEqual([401, 'unauthenticated']);
  });

  it('keeps its last twenty versions', async () => {
    const { id } = await aProxy();
    for (let at = 2; at <= 23; at += 1)
      await management.patch(`/proxies/${id as string}`, { name: String(at) });
    const { body } = await management.get(`/proxies/${id as string}/versions`);
    expect(body.map(({ version }: Body) => version)).toEqual(Array.from({ length: 20 }, (_, at) => 23 - at));
  });

  it('keeps up to five versions that a PUT, a PATCH or a revert marks, until they are freed', async () => {
    const { id } = await aProxy();
    const at = `/proxies/${id as string}`;
    const retained = async () => {
      const { body } = await management.get(`${at}/versions`);
      return body.filter(({ keep }: Body) => keep === true).map(({ version }: Body) => version);
    };
    await management.patch(at, { keep: true });
    await management.put(at, { name: 'y', destination_url: url(), keep: true });
    await management.post(`${at}/revert`, { version: 1, keep: true });
    for (const name of ['z', 'a']) await management.patch(at, { name, keep: true });
    expect(await retained()).toEqual([5, 4, 3, 2, 1]);
    const { status, body } = await management.patch(at, { name: 'b', keep: true });
    expect([status, body.code, body.detail]).toEqual([
      409,
      'conflict',
      expect.stringContaining('keeps 1, 2, 3, 4, 5'),
    ]);
    const freed = await management.patch(at, { name: 'b', keep: true, free_versions: [2, 9] });
    expect([freed.status, await retained()]).toEqual([200, [6, 5, 4, 3, 1]]);
    const { body: trail } = await management.get('/logs?operation=patchProxy');
    const record = trail.data.find(
      ({ trace_id: trace }: Body) => trace === freed.headers.get('svc-trace-id'),
    );
    expect(record.change.members).toEqual(['name', 'versions.2', 'versions.6']);
    await management.patch(at, { keep: false });
    expect(await retained()).toEqual([5, 4, 3, 1]);
    const wrong = await management.patch(at, { keep: 'yes', free_versions: ['1'] });
    expect(Object.keys(wrong.body.errors)).toEqual(['keep', 'free_versions[0]']);
  });

  it('is replayed under the idempotency key of its creation, with its key', async () => {
    const headers = { 'SVC-IDEMPOTENCY-KEY': randomUUID() };
    const body = { name: 'once', destination_url: url() };
    const one = await management.post('/proxies', body, { headers });
    const two = await management.post('/proxies', body, { headers });
    expect([two.status, two.body]).toEqual([201, one.body]);
  });

  it.each([
    [{ destination_url: 'http://api.example.com' }, 'destination_url'],
    [{ destination_url: 'https://127.0.0.1/' }, 'destination_url'],
    [{ destination_url: 'https://api.example.com/?a=1' }, 'destination_url'],
    [{ destination_url: 'https://api.example.com/#a' }, 'destination_url'],
    [{ destination_url: 'https://{{ a }}.example.com' }, 'destination_url'],
    [{ methods: ['TRACE'] }, 'methods[0]'],
    [{ paths: ['charges'] }, 'paths[0]'],
    [{ paths: ['/a/../b'] }, 'paths[0]'],
    [{ paths: ['/a*'] }, 'paths[0]'],
    [{ configuration: { A: 'short' } }, 'configuration.A'],
    [{ configuration: { 'A-B': SECRET } }, 'configuration.A-B'],
    [{ configuration: { A: { value: 'eu', publc: true } } }, 'configuration.A'],
    [{ require_auth: false }, 'application'],
    [{ application: { id: '00000000-0000-4000-8000-000000000000' } }, 'application.id'],
    [{ timeout: 26 }, 'timeout'],
    [{ source_addresses: ['10.0.0.1/8'] }, 'source_addresses[0]'],
    [{ client_certificate: 'CERT' }, 'client_certificate'],
    [{ configuration: { CERT: SECRET }, client_certificate: 'CERT' }, 'client_certificate'],
    [{ request_transforms: [{ type: 'encrypt' }] }, 'request_transforms[0].type'],
    [{ request_transforms: [{ type: 'append_header', name: 'A' }] }, 'request_transforms[0].value'],
    [
      { request_transforms: [{ type: 'append_header', name: 'Host', value: 'x' }] },
      'request_transforms[0].name',
    ],
    [
      { request_transforms: [{ type: 'append_header', name: 'Range', value: 'x' }] },
      'request_transforms[0].name',
    ],
    [
      { request_transforms: [{ type: 'append_header', name: 'X-Http-Method', value: 'x' }] },
      'request_transforms[0].name',
    ],
    [
      { request_transforms: [{ type: 'append_header', name: 'SVC-Any', value: 'x' }] },
      'request_transforms[0].name',
    ],
    [
      { request_transforms: [{ type: 'append_header', name: 'A', value: '{{ configuration.B }}' }] },
      'request_transforms[0].value',
    ],
    [
      { request_transforms: [{ type: 'append_header', name: 'A', value: '{{ configuration.A | upcase }}' }] },
      'request_transforms[0].value',
    ],
    [
      {
        request_transforms: [{ type: 'append_header', name: 'Content-Type', value: '{{ configuration.A }}' }],
        configuration: { A: SECRET },
      },
      'request_transforms[0].value',
    ],
    [
      { request_transforms: [{ type: 'append_json', location: '$..a', value: 1 }] },
      'request_transforms[0].location',
    ],
    [
      { request_transforms: [{ type: 'append_json', location: '$.a', value: '{{ configuration.A }}' }] },
      'request_transforms[0].value',
    ],
    [
      { request_transforms: [{ type: 'mask', matcher: 'card_number', replacement: 'x' }] },
      'request_transforms[0].type',
    ],
    [
      { request_transforms: [{ type: 'tokenize', location: '$.a', token: { type: 'crd' } }] },
      'request_transforms[0].token.type',
    ],
    [
      {
        request_transforms: [
          { type: 'tokenize', location: '$.a', token: { type: 'token', data: '{{ data }}' } },
        ],
      },
      'request_transforms[0].token.data',
    ],
    [{ request_transforms: [{ type: 'reactor', reactor_id: 'x' }] }, 'request_transforms[0].reactor_id'],
    [
      { request_transforms: [{ type: 'remove_header', name: 'a', value: 'b' }] },
      'request_transforms[0].value',
    ],
    [
      {
        request_transforms: [
          { type: 'remove_header', name: 'a' },
          { type: 'verify_signature', scheme: 'github', configuration: 'A' },
        ],
        configuration: { A: SECRET },
      },
      'request_transforms[1]',
    ],
    [
      {
        request_transforms: [{ type: 'verify_signature', scheme: 'standard_webhooks', configuration: 'A' }],
        configuration: { A: SECRET },
      },
      'request_transforms[0].configuration',
    ],
    [
      { response_transforms: [{ type: 'mask', matcher: 'regex', expression: '(a', replacement: 'x' }] },
      'response_transforms[0].expression',
    ],
    [
      { response_transforms: [{ type: 'mask', matcher: 'regex', expression: '(a)\\1', replacement: 'x' }] },
      'response_transforms[0].expression',
    ],
    [{ response_transforms: [{ type: 'mask', replacement: 'x' }] }, 'response_transforms[0]'],
    [
      { response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: 'a\nb' }] },
      'response_transforms[0].replacement',
    ],
    [
      { response_transforms: [{ type: 'append_header', name: 'A', value: '{{ configuration.A }}' }] },
      'response_transforms[0].value',
    ],
    [
      { response_transforms: [{ type: 'verify_signature', scheme: 'github', configuration: 'A' }] },
      'response_transforms[0].type',
    ],
    [
      { request_transforms: [{ type: 'remove_header', options: { name: 'a' } }] },
      'request_transforms[0].options',
    ],
  ])('400: is not made with %j', async (members, path) => {
    const { status, body } = await management.post('/proxies', {
      name: 'x',
      destination_url: 'https://api.example.com',
      ...members,
    });
    expect([status, Object.keys(body.errors ?? {})]).toEqual([400, expect.arrayContaining([path])]);
  });

  it('400: does not lead to the service itself', async () => {
    const { host } = new URL(credentials.base_url);
    const { status } = await management.post('/proxies', {
      name: 'x',
      destination_url: `https://${host}/proxy`,
    });
    expect(status).toBe(400);
  });
});

describe('the service itself', () => {
  it('is no destination: of a stored proxy, of the ephemeral one, or of a webhook', async () => {
    const own = `https://${new URL(credentials.base_url).hostname}/proxy`;
    const problem = ['must not be the service itself'];
    const created = await management.post('/proxies', { name: 'x', destination_url: own });
    expect([created.status, created.body.errors]).toEqual([400, { destination_url: problem }]);
    const { key, post } = await anApplication({ permissions: ['token:use'] });
    const forwarded = await call(key, 'GET', '/proxy', { headers: { 'SVC-PROXY-URL': own } });
    expect(forwarded.body.proxy_error.errors).toEqual({ 'SVC-PROXY-URL': problem });
    const code = 'module.exports = () => ({ raw: 1 });';
    const { body: reactor } = await management.post('/reactors', { name: 'x', code, configuration: {} });
    const started = await post(`/reactors/${reactor.id as string}/react`, { args: {}, callback_url: own });
    expect([started.status, started.body.errors]).toEqual([400, { callback_url: problem }]);
    await management.delete(`/reactors/${reactor.id as string}`);
  });
});

describeNeeding('openDestination', 'a call', () => {
  serving();

  it('makes no page of a link, and says nothing of the visitor', async () => {
    const { id } = await anApplication({ type: 'public', permissions: ['token:create'] });
    const { key } = await aProxy({ require_auth: false, application: { id } });
    server().respond = (_received, response) =>
      response
        .writeHead(303, { 'Set-Cookie': 'a=b', 'Service-Worker-Allowed': '/', Link: '</>', Location: '/b' })
        .end('<script></script>');
    const browser = { Cookie: 'shop=1', Referer: 'https://shop.example/', Authorization: 'Basic eDp5' };
    for (const [path, headers] of [
      [`/proxy/a?svc-proxy-key=${key as string}`, browser],
      ['/proxy/a', { ...browser, 'SVC-PROXY-KEY': key, 'Sec-Fetch-Dest': 'document' }],
    ] as const) {
      server().received.splice(0);
      const response = await call(undefined, 'GET', path, { headers });
      expect([response.status, response.headers.get('content-security-policy')]).toEqual([303, 'sandbox']);
      expect(response.headers.get('svc-proxy-location')).toBe('/b');
      for (const name of ['set-cookie', 'service-worker-allowed', 'link', 'location'])
        expect([name, response.headers.get(name)]).toEqual([name, null]);
      const [got] = server().received;
      expect([got?.headers.cookie, got?.headers.referer]).toEqual([undefined, undefined]);
      const isPage = 'Sec-Fetch-Dest' in headers;
      expect(got?.headers.authorization).toBe(isPage ? undefined : browser.Authorization);
    }
  });

  it.each([
    { 'Service-Worker': 'script' },
    { 'Sec-Fetch-Dest': 'sharedworker' },
    { 'Sec-Fetch-Dest': 'audioworklet' },
  ])('serves no script of a worker: %j', async (headers) => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const proxy = await aProxy();
    const refused = await through(proxy.key, { key, method: 'GET', headers });
    expect([...problemOf(refused), refused.got]).toEqual([403, 'forbidden', undefined]);
  });

  it('returns no answer to a page that the destination encodes', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    server().respond = (_received, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x');
    const headers = { 'SVC-PROXY-URL': url(), 'Sec-Fetch-Dest': 'image', 'Accept-Encoding': 'gzip' };
    server().received.splice(0);
    expect(problemOf(await call(key, 'GET', '/proxy', { headers }))).toEqual([
      502,
      'destination_unreachable',
    ]);
    expect(server().received[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('adds path and query, secrets and headers, and sees no secret in the answer', async () => {
    const { key } = await anApplication({ permissions: ['token:use', 'token:create'] });
    const proxy = await aProxy({
      configuration: { SECRET },
      request_transforms: [
        { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.SECRET }}' },
        { type: 'remove_header', name: 'X-Gone' },
      ],
    });
    server().respond = ({ headers }, response) => {
      const sent = String(headers.authorization);
      response.setHeader('X-Echo', sent);
      response.end(
        JSON.stringify({
          sent,
          coded: Buffer.from(`x${sent}`).toString('base64'),
          url: encodeURIComponent(sent),
        }),
      );
    };
    const { status, body, headers, got } = await through(proxy.key, {
      key,
      path: '/proxy/charges/1?a=%20b',
      body: { a: 1 },
      headers: {
        'X-Gone': 'a',
        X_Gone: 'a',
        'X-Stays': 'b',
        Range: 'bytes=0-3',
        'X-HTTP-Method-Override': 'DELETE',
        X_Original_URL: '/admin',
        'X.Original.URL': '/admin',
        X_Forwarded_For: '10.0.0.1',
        'X-Forwarded': 'for=10.0.0.1',
        'X-Original-Method': 'DELETE',
        'X-Method': 'DELETE',
        'X-Envoy-Original-Path': '/admin',
        'X-MS-Range': 'bytes=0-3',
        'A-IM': 'feed',
        Transfer_Encoding: 'chunked',
        'Accept-Charset': 'utf-16',
      },
    });
    expect([got?.method, got?.url, got?.body.toString()]).toEqual([
      'POST',
      '/base/charges/1?a=%20b',
      '{"a":1}',
    ]);
    expect(got?.headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'x-stays': 'b',
      'accept-encoding': 'identity',
    });
    for (const name of [
      'x-gone',
      'x_gone',
      'range',
      'x-http-method-override',
      'x_original_url',
      'x.original.url',
      'x_forwarded_for',
      'x-forwarded',
      'x-original-method',
      'x-method',
      'x-envoy-original-path',
      'x-ms-range',
      'a-im',
      'transfer_encoding',
      'accept-charset',
      'svc-proxy-key',
    ])
      expect(got?.headers).not.toHaveProperty(name);
    expect([status, headers.get('x-echo')]).toEqual([200, 'Bearer [removed]']);
    expect(JSON.parse(body)).toMatchObject({ sent: 'Bearer [removed]', url: 'Bearer%20[removed]' });
    expect(body).not.toContain(SECRET);
  });

  it('is admitted by its key, method, path and rights alone', async () => {
    const may = await anApplication({ permissions: ['token:use'] });
    const mayNot = await anApplication({ permissions: ['token:create'] });
    const reader = await anApplication({ permissions: ['token:read'] });
    const proxy = await aProxy({ methods: ['POST', 'PATCH'], paths: ['/charges', '/refunds/*'] });
    const as = (key: string | undefined, more: object = {}) =>
      through(proxy.key, { ...(key !== undefined && { key }), path: '/proxy/charges', ...more }).then(
        problemOf,
      );
    expect(await as(may.key)).toEqual([200, undefined]);
    expect(await as(may.key, { path: '/proxy/refunds/a/b' })).toEqual([200, undefined]);
    expect(await as(may.key, { method: 'PATCH' })).toEqual([200, undefined]);
    expect(await as(undefined)).toEqual([401, 'unauthenticated']);
    for (const { key } of [mayNot, reader]) expect(await as(key)).toEqual([403, 'forbidden']);
    expect(await as(may.key, { method: 'PUT' })).toEqual([403, 'forbidden']);
    for (const path of ['', '/', '/Charges', '/charges/', '/charges/a', '/refunds', '/refunds/'])
      expect([path, await as(may.key, { path: `/proxy${path}` })]).toEqual([path, [403, 'forbidden']]);
    for (const path of [
      '/refunds/a%0d%0aHost:x',
      '/refunds/%ef%bc%8e%ef%bc%8e',
      '/refunds/..%2fcharges',
      '/refunds//charges',
      '/refunds/a%5cb',
      '/refunds/%252e',
      '/refunds/..%3fa',
      '/refunds/a%e2%80%8bb',
      '/refunds/%c2%a5',
      '/refunds/%e2%88%95',
      '/refunds/..%ef%b8%8f/charges',
      '/refunds/..%e3%85%a4/charges',
      '/refunds/..%ef%bc%9b/charges',
      '/refunds/..%ef%bc%9fa',
      '/refunds/%d9%aa2e',
    ])
      expect([path, await as(may.key, { path: `/proxy${path}` })]).toEqual([
        path,
        [400, 'validation_failed'],
      ]);
    for (const name of ['SVC-PROXY-URL', 'SVC-PROXY-CONNECTION', 'SVC-PROXY-KEEP-ALIVE'])
      expect(await as(may.key, { headers: { [name]: 'close, authorization' } })).toEqual([
        400,
        'validation_failed',
      ]);
    for (const wrong of [
      'key_proxy_x',
      may.key,
      `${proxy.key as string}x`,
      (proxy.key as string).slice(0, -1),
    ])
      expect(problemOf(await through(wrong, { key: may.key }))).toEqual([401, 'unauthenticated']);
    expect(
      (await management.send('GET', '/tokens/x', { headers: { 'SVC-API-KEY': proxy.key } })).status,
    ).toBe(401);
  });

  it('is made under rules with `through` that name the proxy', async () => {
    const { id: card } = (
      await (
        await anApplication({ permissions: ['token:create'] })
      ).post('/tokens', { type: 'card', data: CARD, containers: ['/a/'] })
    ).body;
    const proxy = await aProxy();
    const other = await aProxy();
    const { key } = await anApplication({
      rules: [
        {
          priority: 1,
          container: '/a/',
          transform: 'reveal',
          permissions: ['token:use'],
          through: { proxies: [proxy.id] },
        },
      ],
    });
    const body = { number: `{{ ${card as string} | json: '$.number' }}` };
    const { got, status } = await through(proxy.key, { key, body });
    expect([status, got?.body.toString()]).toEqual([200, JSON.stringify({ number: CARD.number })]);
    expect(problemOf(await through(other.key, { key, body }))).toEqual([403, 'forbidden']);
    const ephemeral = await call(key, 'POST', '/proxy', {
      body,
      headers: { 'SVC-PROXY-URL': url() },
    });
    expect(ephemeral.status).toBe(403);
  });

  it('transforms what it sends and what comes back', async () => {
    const app = await anApplication({ permissions: ['token:create', 'token:use'], rules: [] });
    const { id: card } = (await app.post('/tokens', { type: 'card', data: CARD })).body;
    const proxy = await aProxy({
      request_transforms: [
        {
          type: 'append_json',
          location: '$.card',
          value: {
            last4: `{{ ${card as string} | json: '$.number' | last4 }}`,
            all: `{{ ${card as string} }}`,
          },
        },
        { type: 'append_header', name: 'X-Number', value: `{{ ${card as string} | json: '$.number' }}` },
        { type: 'tokenize', location: '$.new', token: { type: 'card_number', containers: ['/new/'] } },
        { type: 'allow_headers', names: ['content-type', 'x-number'] },
      ],
      response_transforms: [
        { type: 'tokenize', location: '$.made', token: { type: 'token' } },
        { type: 'mask', location: '$.secret', replacement: '***' },
        { type: 'mask', matcher: 'card_number', replacement: '[card]' },
        { type: 'mask', matcher: 'regex', expression: 'ssn-\\d+', replacement: '[ssn]' },
        { type: 'append_header', name: 'X-Vault', value: 'done' },
      ],
    });
    server().respond = (_got, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(
        '{"made": {"a": 1}, "secret": 5, "n": 4242424242424242, "t": "4242-4242 4242.4242 ssn-123", "big": 12345678901234567890}',
      );
    };
    const { status, body, headers, got } = await through(proxy.key, {
      key: app.key,
      body: { new: '5555341244441115' },
      headers: { 'X-Any': 'x' },
    });
    const sent = JSON.parse(got?.body.toString() ?? '');
    expect(sent).toEqual({
      new: expect.stringMatching(/^[\da-f-]{36}$/),
      card: { last4: '4242', all: CARD },
    });
    expect([got?.headers['x-number'], got?.headers['x-any']]).toEqual([CARD.number, undefined]);
    expect([status, headers.get('x-vault')]).toEqual([200, 'done']);
    expect(body).toEqual({
      made: expect.stringMatching(/^[\da-f-]{36}$/),
      secret: '***',
      n: '[card]',
      t: '[card] [ssn]',
      big: Number('12345678901234567890'),
    });
    const { data: records } = (await management.get(`/logs?proxy_id=${proxy.id as string}`)).body;
    expect(records.at(-1)).toMatchObject({
      operation: 'proxy',
      proxy_id: proxy.id,
      proxy_version: 1,
      application_id: app.id,
    });
    const made = records.flatMap(({ tokens = [] }: Body) =>
      tokens.filter(({ form }: Body) => form === 'create').map(({ id }: Body) => id),
    );
    expect(new Set(made)).toEqual(new Set([sent.new, body.made]));
  });

  it('fails if its transforms read more than 20 MB together', async () => {
    const app = await anApplication({ permissions: ['token:use'] });
    const mask = { type: 'mask', matcher: 'card_number', replacement: '[card]' };
    const proxy = await aProxy({ response_transforms: Array.from({ length: 20 }, () => mask) });
    const answering = async (bytes: number) => {
      server().respond = (_got, response) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify('x'.repeat(bytes - 2)));
      };
      return through(proxy.key, { key: app.key });
    };
    expect((await answering(1_000_000)).status).toBe(200);
    const { status, body } = await answering(1_000_001);
    expect([status, body.proxy_error.code]).toEqual([424, 'transform_failed']);
    expect(body.proxy_error.detail).toBe('response_transforms[19] failed.');
    const { body: failures } = await management.get(`/proxies/${proxy.id as string}/failures`);
    expect(failures.data[0].reason).toContain('together read at most 20000000 bytes');
  });

  it('stops at a transform that fails: 400 and nothing sent, or 424 and nothing shown', async () => {
    const app = await anApplication({ permissions: ['token:create', 'token:use'] });
    const before = await aProxy({
      request_transforms: [{ type: 'append_json', location: '$.a.b', value: 1 }],
    });
    for (const options of [
      { body: {} },
      { raw: 'text' },
      { raw: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    ]) {
      const { got, ...response } = await through(before.key, { key: app.key, ...options });
      expect([problemOf(response), got]).toEqual([[400, 'transform_failed'], undefined]);
    }
    const after = await aProxy({
      response_transforms: [{ type: 'tokenize', location: '$.card', token: { type: 'card_number' } }],
    });
    const twice = '{"card": "4242424242424242", "card": "4000056655665556"}';
    for (const text of ['{}', 'the plain 4242424242424242', '{"card": "a secret"}', twice]) {
      server().respond = (_got, response) => response.end(text);
      const { got, ...response } = await through(after.key, { key: app.key });
      expect(problemOf(response)).toEqual([424, 'transform_failed']);
      expect(response.headers.get('svc-proxy-destination-status')).toBe('200');
      expect(got).toBeDefined();
      expect(withoutRandom(response.body)).not.toMatch(/4242|secret/);
    }
    const [last] = (await management.get(`/logs?proxy_id=${after.id as string}`)).body.data;
    expect(last).toMatchObject({ outcome: 'failed', status: 424, destination_host: new URL(url()).host });
  });

  it('masks card numbers in headers and in forms that are not well encoded', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const proxy = await aProxy({
      configuration: { SECRET },
      response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '•••' }],
      pass_headers: ['X-Card'],
    });
    server().respond = (_got, response) => {
      response.setHeader('X-Card', 'pan 4242424242424242');
      response.setHeader('Content-Type', 'application/x-www-form-urlencoded');
      response.end('n=4242%204242%204242%204242+100%&a=50%&m=%34242424242424242%zz');
    };
    const { status, headers, body } = await through(proxy.key, { key });
    expect(status).toBe(200);
    expect(Buffer.from(headers.get('x-card') ?? '', 'latin1').toString()).toBe('pan •••');
    expect(body).toBe(`n=${encodeURIComponent('•••')}+100%&a=50%&m=${encodeURIComponent('•••')}%zz`);
  });

  it('returns the headers of a list where it hides, those that it names, and what it sets', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    server().respond = (_got, response) => {
      response.setHeader('ETag', '"of the body"');
      response.setHeader('X-Total', '1');
      response.setHeader('X-Request-Id', 'r-1');
      response.setHeader('Link', '</next>');
      response.end('{"pan":"4242424242424242"}');
    };
    const hiding = {
      response_transforms: [
        { type: 'mask', matcher: 'card_number', replacement: '[card]' },
        { type: 'append_header', name: 'X-Own', value: 'own' },
      ],
      pass_headers: ['Link'],
    };
    const proxy = await aProxy(hiding);
    expect(proxy.pass_headers).toEqual(['Link']);
    const { headers } = await through(proxy.key, { key });
    const shown = ['etag', 'x-total', 'x-request-id', 'link', 'x-own'].map((name) => headers.get(name));
    expect(shown).toEqual([null, null, 'r-1', '</next>', 'own']);
    const plain = await aProxy();
    expect((await through(plain.key, { key })).headers.get('etag')).toBe('"of the body"');
    const refused = await management.post('/proxies', {
      name: 'x',
      destination_url: url(''),
      pass_headers: ['X-Ok', 'ETag', 'X-Body-Sha256'],
    });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([
      400,
      ['pass_headers[1]', 'pass_headers[2]'],
    ]);
  });

  it('400: takes no condition on a body that it hides, and none with GET', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const proxy = await aProxy({
      response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '[card]' }],
    });
    const condition = { 'if-match': '"x"' };
    const refused = await through(proxy.key, { key, method: 'PUT', headers: condition, body: {} });
    expect([refused.status, refused.body.proxy_error.errors]).toEqual([
      400,
      { 'if-match': [expect.any(String)] },
    ]);
    const read = await through(proxy.key, { key, method: 'GET', headers: condition });
    expect([read.status, read.got?.headers['if-match']]).toEqual([200, undefined]);
  });

  it('shows its readers why a transform failed, and its callers only what they sent', async () => {
    const app = await anApplication({ permissions: ['token:create', 'token:use'] });
    const proxy = await aProxy({
      request_transforms: [
        { type: 'append_header', name: 'X-First', value: 'x' },
        {
          type: 'tokenize',
          location: '$.bookings[*].card',
          token: { type: 'card', mask: { margin: '{{ data.number | last4 }}' } },
        },
      ],
    });
    const sent = await through(proxy.key, {
      key: app.key,
      method: 'POST',
      body: { bookings: [{ card: CARD }, { card: { number: '4242424242424241' } }] },
    });
    expect([sent.status, sent.body.proxy_error]).toMatchObject([
      400,
      {
        code: 'transform_failed',
        detail: 'request_transforms[1] failed.',
        errors: { '$.bookings[1].card.number': ['is not accepted'] },
      },
    ]);
    expect(JSON.stringify(sent.body)).not.toContain('margin');
    const { body } = await management.get(`/proxies/${proxy.id as string}/failures`);
    expect(body.data).toMatchObject([
      {
        trace_id: sent.headers.get('svc-trace-id'),
        side: 'request',
        number: 1,
        type: 'tokenize',
        code: 'validation_failed',
        reason: expect.stringContaining('$.bookings[1].card: data.number is not a valid card number'),
        places: expect.arrayContaining(['$.bookings[*].card.number']),
      },
    ]);
    expect(withoutRandom(body)).not.toContain('4242');
  });

  it('fails for a success without anything to mask, where a mask is required', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const proxy = await aProxy({
      response_transforms: [{ type: 'mask', location: '$.pan', replacement: 'x', required: true }],
    });
    const answering = async (status: number, body: string) => {
      server().respond = (_got, response) => {
        response.statusCode = status;
        response.end(body);
      };
      return (await through(proxy.key, { key })).status;
    };
    expect(await answering(200, '{"pan":"4242"}')).toBe(200);
    expect(await answering(200, '{"data":{"pan":"4242"}}')).toBe(424);
    expect(await answering(404, '{"error":"none"}')).toBe(404);
  });

  it('502: does not read an encoded answer', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const proxy = await aProxy();
    server().respond = (_got, response) => {
      response.setHeader('Content-Encoding', 'gzip');
      response.end('x');
    };
    expect(problemOf(await through(proxy.key, { key }))).toEqual([502, 'destination_unreachable']);
  });

  it('runs the code of a reactor, and no other code of it', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const reactor = (
      await management.post('/reactors', {
        name: 'x',
        code: `module.exports = async ({ args }) => ({ raw: { ...args, path: args.path, body: { seen: args.body, secret: args.headers.authorization ?? null }, headers: { ...args.headers, 'x-code': 'ran' } } });`,
        configuration: {},
      })
    ).body;
    const transforms = [{ type: 'reactor', reactor_id: reactor.id }];
    const proxy = await aProxy({
      configuration: { SECRET },
      request_transforms: [
        { type: 'append_header', name: 'Authorization', value: '{{ configuration.SECRET }}' },
        ...transforms,
      ],
      response_transforms: transforms,
    });
    const { status, body, got, headers } = await through(proxy.key, {
      key,
      body: { a: 1 },
      path: '/proxy/x',
    });
    expect([got?.url, got?.headers['x-code'], got?.headers.authorization]).toEqual([
      '/base/x',
      'ran',
      SECRET,
    ]);
    expect([status, headers.get('x-code')]).toEqual([200, 'ran']);
    expect(body).toEqual({ seen: { seen: { a: 1 }, secret: null }, secret: null });
    const twice = await through(proxy.key, { key, raw: '{"a":1,"\\u0061":2}' });
    expect([problemOf(twice), twice.got]).toEqual([[400, 'transform_failed'], undefined]);
    await management.patch(`/reactors/${reactor.id as string}`, {
      code: 'module.exports = () => ({ raw: { body: { other: true } } });',
    });
    expect(problemOf(await through(proxy.key, { key }))).toEqual([400, 'transform_failed']);
    const at = `/proxies/${proxy.id as string}`;
    const again = await management.patch(at, { request_transforms: transforms, response_transforms: [] });
    expect([again.status, again.body.code]).toEqual([400, 'configuration_required']);
    const sent = await management.patch(at, {
      request_transforms: transforms,
      response_transforms: [],
      configuration: { SECRET },
    });
    expect(sent.status).toBe(200);
    expect((await through(proxy.key, { key })).got?.body.toString()).toBe('{"other":true}');
  });

  it('shows what the code of a reactor says of a failure to no caller and no reader of the proxy', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const reactor = (
      await management.post('/reactors', {
        name: 'x',
        code: `module.exports = async ({ args: { body: { pan, status } } }) => {
          if (status === 0) throw new ({ ['X' + pan]: class extends Error {} })['X' + pan]();
          throw Object.assign(new Error('said ' + pan), { status, errors: undefined });
        };`,
        configuration: {},
      })
    ).body;
    const proxy = await aProxy({ request_transforms: [{ type: 'reactor', reactor_id: reactor.id }] });
    const failing = (status: number) => through(proxy.key, { key, body: { pan: '4242', status } });
    const refused = await failing(400);
    expect(problemOf(refused)).toEqual([400, 'transform_failed']);
    const later = await failing(503);
    expect(problemOf(later)).toEqual([503, 'dependency_unavailable']);
    expect(problemOf(await failing(0))).toEqual([400, 'transform_failed']);
    const { body } = await management.get(`/proxies/${proxy.id as string}/failures`);
    expect(body.data.map(({ reason }: { reason: string }) => reason)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^The code threw an Error at line /),
        'the code threw an error with the status 400',
      ]),
    );
    expect(JSON.stringify([refused.body, later.body, body])).not.toMatch(/said|4242/);
  });
});

describeNeeding('openDestination', 'a proxy without authentication', () => {
  serving();

  const SIGNED_WITH = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const signed = (id: string, body: string, at = target().now()) => {
    const seconds = String(Math.floor(at / 1000));
    const mac = createHmac('sha256', Buffer.alloc(32, 7)).update(`${id}.${seconds}.${body}`).digest('base64');
    return {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${mac}`,
    };
  };

  it('takes cards from a partner, and evaluates nothing that the partner writes', async () => {
    const app = await anApplication({ permissions: ['token:create', 'token:use'] });
    const { id: card } = (await app.post('/tokens', { type: 'card', data: CARD })).body;
    const proxy = await aProxy({
      require_auth: false,
      application: { id: app.id },
      request_transforms: [{ type: 'tokenize', location: '$.card', token: { type: 'card' } }],
    });
    const { status, got } = await through('', {
      path: `/proxy/in?svc-proxy-key=${proxy.key as string}&x={{${card as string}}}`,
      body: { card: CARD, text: `{{ ${card as string} }}` },
      headers: { 'SVC-PROXY-KEY': proxy.key, 'X-Text': `{{ ${card as string} }}` },
    });
    expect(status).toBe(400);
    const once = await call(
      undefined,
      'POST',
      `/proxy/in?svc-proxy-key=${proxy.key as string}&x={{${card as string}}}`,
      {
        body: { card: CARD, text: `{{ ${card as string} }}` },
        headers: { 'X-Text': `{{ ${card as string} }}` },
      },
    );
    expect([got, once.status]).toEqual([undefined, 200]);
    const [sent] = server().received;
    expect(sent?.url).not.toContain('proxy-key');
    expect(decodeURIComponent(sent?.url ?? '')).toBe(`/base/in?x={{${card as string}}}`);
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      card: expect.stringMatching(/^[\da-f-]{36}$/),
      text: `{{ ${card as string} }}`,
    });
    expect(sent?.headers['x-text']).toBe(`{{ ${card as string} }}`);
    const [record] = (await management.get(`/logs?proxy_id=${proxy.id as string}&outcome=ok`)).body.data;
    expect(record).toMatchObject({ credential: `proxy:${proxy.id as string}`, application_id: app.id });
    await management.delete(`/applications/${app.id}`);
    expect(problemOf(await through(proxy.key, { body: { card: CARD } }))).toEqual([409, 'conflict']);
  });

  it('passes a signed delivery on once', async () => {
    const { id } = await anApplication({ permissions: ['token:create'] });
    const proxy = await aProxy({
      require_auth: false,
      application: { id },
      configuration: { SIGNED_WITH },
      request_transforms: [
        { type: 'verify_signature', scheme: 'standard_webhooks', configuration: 'SIGNED_WITH' },
        { type: 'tokenize', location: '$.card', token: { type: 'card' } },
      ],
    });
    const raw = JSON.stringify({ card: CARD });
    let status = 500;
    server().respond = (_got, response) => {
      response.statusCode = status;
      response.end('made');
    };
    const deliver = (headers: Record<string, string>, content = raw) =>
      through(proxy.key, { raw: content, headers });
    expect(problemOf(await deliver({ 'Content-Type': 'application/json' }))).toEqual([
      401,
      'unauthenticated',
    ]);
    expect(problemOf(await deliver(signed('msg_1', raw), `${raw} `))).toEqual([401, 'unauthenticated']);
    expect(problemOf(await deliver(signed('msg_1', raw, target().now() - 310_000)))).toEqual([
      401,
      'unauthenticated',
    ]);
    const first = await deliver(signed('msg_1', raw));
    status = 201;
    const second = await deliver(signed('msg_1', raw));
    expect([first.status, second.status, second.body]).toEqual([500, 201, 'made']);
    // A retry makes the same tokens.
    expect(second.got?.body.toString()).toBe(first.got?.body.toString());
    const repeat = await deliver(signed('msg_1', raw));
    expect([repeat.status, repeat.body, repeat.got]).toEqual([201, '', undefined]);
    expect((await deliver(signed('msg_2', raw))).got).toBeDefined();
  });
});

describeNeeding('openDestination', 'keys of a proxy', () => {
  serving();

  it('overlap in rotation, and are rejected once they are deleted or expired', async () => {
    const { key } = await anApplication({ permissions: ['token:use'] });
    const proxy = await aProxy();
    const at = `/proxies/${proxy.id as string}/keys`;
    const { body: second } = await management.post(at, { name: 'next' });
    for (const each of [proxy.key, second.key]) expect((await through(each, { key })).status).toBe(200);
    const [newest, oldest] = (await management.get(at)).body;
    expect(newest).toMatchObject({
      id: second.id,
      name: 'next',
      hint: second.key.slice(-4),
      last_used_on: new Date(target().now()).toISOString().slice(0, 10),
    });
    expect((await management.delete(`${at}/${oldest.id as string}`)).status).toBe(204);
    expect(problemOf(await through(proxy.key, { key }))).toEqual([401, 'unauthenticated']);
    expect((await through(second.key, { key })).status).toBe(200);
    for (let count = 1; count < 4; count += 1) expect((await management.post(at)).status).toBe(201);
    expect((await management.post(at)).status).toBe(409);
    const { body: bound } = await management.patch(`${at}/${second.id as string}`, {
      source_addresses: ['203.0.113.0/24'],
    });
    expect(bound.source_addresses).toEqual(['203.0.113.0/24']);
    expect(problemOf(await through(second.key, { key }))).toEqual([403, 'address_not_allowed']);
    const far = await aProxy({ source_addresses: ['203.0.113.0/24'] });
    expect(problemOf(await through(far.key, { key }))).toEqual([403, 'address_not_allowed']);
  });
});

describe('the configuration of a proxy', () => {
  it.each(['constructor', 'toString', '__proto__', '__defineGetter__'])(
    'follows its destination under the name %s',
    async (name) => {
      const { id } = await aProxy({ configuration: Object.fromEntries([[name, SECRET]]) });
      const at = `/proxies/${id as string}`;
      expect((await management.get(at)).body.configuration_names).toEqual([name]);
      const { status, body } = await management.patch(at, {
        destination_url: 'https://elsewhere.example.com',
      });
      expect([status, body.code]).toEqual([400, 'configuration_required']);
      const guess = await management.patch(at, { configuration: { GUESS: SECRET } });
      expect([guess.status, guess.body.code]).toEqual([400, 'configuration_required']);
    },
  );

  it('counts its values in whole steps, so that no length can be measured', async () => {
    const statuses = new Set();
    for (const length of [16, 400, 900]) {
      const { id } = await aProxy({ configuration: { A: 'x'.repeat(length) } });
      for (const beside of [17_900, 18_100, 19_000]) {
        const values = Object.fromEntries(
          ['B', 'C', 'D', 'E', 'F'].map((name) => [
            name,
            { value: 'x'.repeat(beside + (name === 'F' ? 990 : 800)), public: true },
          ]),
        );
        const { status } = await management.patch(`/proxies/${id as string}`, { configuration: values });
        statuses.add(`${String(beside)} ${String(status)}`);
      }
    }
    expect(statuses.size).toBe(3);
  });

  it('follows its destination: another origin needs every value again', async () => {
    const { id } = await aProxy({ configuration: { A: SECRET, B: `${SECRET}-b` } });
    const at = `/proxies/${id as string}`;
    const elsewhere = { destination_url: 'https://elsewhere.example.com/base' };
    for (const body of [elsewhere, { ...elsewhere, configuration: { A: SECRET } }]) {
      const refused = await management.patch(at, body);
      expect([refused.status, refused.body.code]).toEqual([400, 'configuration_required']);
    }
    expect((await management.put(at, { name: 'x', ...elsewhere })).body.code).toBe('configuration_required');
    const alike = await management.patch(at, { destination_url: url('/other') });
    expect([alike.body.code, Object.keys(alike.body.errors)]).toEqual([
      'configuration_required',
      ['configuration.A', 'configuration.B'],
    ]);
    const moved = await management.patch(at, { ...elsewhere, configuration: { A: SECRET, B: null } });
    expect([moved.status, moved.body.configuration_names]).toEqual([200, ['A']]);
    const back = await management.post(`${at}/revert`, { version: 1 });
    expect([back.status, back.body.code]).toEqual([400, 'configuration_required']);
    // A guess beside a secret would be confirmed by what disappears from an answer.
    for (const configuration of [{ GUESS: `Bearer ${SECRET.slice(0, 9)}` }, { A: `${SECRET}x`, C: SECRET }])
      expect((await management.patch(at, { configuration })).status).toBe('C' in configuration ? 200 : 400);
    const guessed = await management.patch(at, { configuration: { GUESS: 'Bearer sk_live_9a' } });
    expect([guessed.body.code, Object.keys(guessed.body.errors)]).toEqual([
      'configuration_required',
      ['configuration.A', 'configuration.C'],
    ]);
    const shown = { GUESS: { value: 'Bearer sk_live_9a', public: true }, C: null };
    expect((await management.patch(at, { configuration: shown })).status).toBe(200);
    const sent = await management.post(`${at}/revert`, { version: 1, configuration: { A: SECRET } });
    expect([sent.status, sent.body.version]).toEqual([200, 3]);
  });
});
