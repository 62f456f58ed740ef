import { until } from '../../packages/test-kit/src/until.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { inBrowser, sdkModule } from '../support/browser.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { needing } from '../support/needing.ts';
import {
  CONTRACT,
  runService,
  temporaryFolder,
  TEST_SETTINGS,
  type RunningService,
} from '../support/run-service.ts';
import { CARD, revealing } from '../support/sample-requests.ts';

const { describe } = needing('openssl');

/**
 * The OpenAPI document with the changes to responses that docs/lenient.md describes: settings are
 * text, a tenant has an owner and a time, and a written reactor may have warnings.
 */
function lenientContract(): string {
  const document = JSON.parse(readFileSync(CONTRACT, 'utf8'));
  const { Tenant: tenant, Reactor: reactor } = document.components.schemas;
  for (const name of Object.keys(tenant.properties.settings.properties))
    tenant.properties.settings.properties[name] = { enum: ['true', 'false'] };
  tenant.properties.owner_id = { type: 'string', format: 'uuid' };
  tenant.properties.created_at = { type: 'string', format: 'date-time' };
  tenant.required.push('owner_id', 'created_at');
  const warnings = { type: 'array', items: { type: 'string' } };
  reactor.properties._extras = { type: 'object', properties: { warnings }, required: ['warnings'] };
  const file = join(temporaryFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: any;
}

/**
 * A client in the field: written for another service of this kind, with its own header prefix and
 * the habits of its HTTP library. It cannot be changed, only configured with another host.
 */
class FieldClient {
  readonly #base: URL;
  readonly #key: string;

  constructor(host: string, key: string) {
    // A safeguard against leaks by developers: all requests use TLS except those to one host name.
    const input = new URL(host);
    this.#base = new URL(`${input.hostname === 'localhost' ? 'http' : 'https'}://${input.host}`);
    this.#key = key;
  }

  get protocol(): string {
    return this.#base.protocol;
  }

  send(
    method: string,
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const [name = '', query] = path.split('?');
    const url = new URL(`${name}/${query === undefined ? '' : `?${query}`}`, this.#base);
    const text = body === undefined ? '' : JSON.stringify(body);
    // Its library sends a POST without a body as a form.
    const type =
      body === undefined
        ? method === 'POST'
          ? { 'content-type': 'application/x-www-form-urlencoded' }
          : {}
        : {
            'content-type':
              method === 'PATCH'
                ? 'application/merge-patch+json; charset=utf-8'
                : 'application/json; charset=utf-8',
          };
    const headers = {
      accept: 'application/json',
      'user-agent': 'acme-node/3.1.4',
      'acme-api-key': this.#key,
      'content-length': String(Buffer.byteLength(text)),
      ...type,
      ...more,
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const reply = Buffer.concat(chunks).toString('utf8');
          const { statusCode = 0, headers: answered } = response;
          resolve({
            status: statusCode,
            headers: answered,
            body: reply === '' ? undefined : JSON.parse(reply),
          });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

let service: RunningService;
let destination: TestDestination;
let manager: FieldClient;
let application: FieldClient;
let applicationId: string;

beforeAll(async () => {
  const certificate = testCertificate();
  destination = await startDestination(certificate);
  destination.respond = ({ headers, body }, response) =>
    response
      .setHeader('content-type', 'application/json')
      .setHeader('x-of-the-destination', 'seen')
      .end(JSON.stringify({ headers, body: body.toString() }));
  const settings = ['--set', 'headerPrefixes=ACME,SVC,BT', '--set', 'clientCompatibility=lenient'];
  service = await runService(
    [...TEST_SETTINGS, ...settings],
    { NODE_EXTRA_CA_CERTS: certificate.certFile },
    { contract: lenientContract() },
  );
  manager = new FieldClient(service.credentials.base_url, service.credentials.management_key);
  const made = await manager.send('POST', '/applications', {
    name: 'Field',
    type: 'private',
    // Members that the other service knows and this one does not.
    can_create_expiring_applications: true,
    rules: [{ description: 'everything', ...revealing(), granted_by: 'unknown' }],
  });
  expect(made.status).toBe(201);
  applicationId = made.body.id as string;
  application = new FieldClient(service.credentials.base_url, made.body.key as string);
});

afterAll(async () => {
  await destination.close();
  await service.stop();
});

const aToken = async (more: object = {}) => {
  const { status, body } = await application.send('POST', '/tokens', {
    type: 'card',
    data: CARD,
    unheard_of: 1,
    ...more,
  });
  expect(status).toBe(201);
  return body.id as string;
};

describe('a client in the field', () => {
  it('reaches a local service without TLS because its host is exactly localhost', () => {
    expect(new URL(service.credentials.base_url).hostname).toBe('localhost');
    expect([application.protocol, new FieldClient('http://127.0.0.1:1', '').protocol]).toEqual([
      'http:',
      'https:',
    ]);
  });

  it('gets response headers with its own prefix, and replays under its own idempotency key header', async () => {
    const headers = { 'acme-trace-id': 'trace-1', 'acme-idempotency-key': 'once' };
    const body = { type: 'token', data: 'x' };
    const first = await application.send('POST', '/tokens', body, headers);
    const second = await application.send('POST', '/tokens', body, headers);
    expect([first.status, first.headers['acme-trace-id'], first.headers['svc-trace-id']]).toEqual([
      201,
      'trace-1',
      undefined,
    ]);
    expect(second.body).toEqual(first.body);
  });

  it('reads, patches and deletes with a slash at the end of every path', async () => {
    const id = await aToken();
    expect((await application.send('GET', `/tokens/${id}`)).body).toMatchObject({ id, data: CARD });
    const patched = await application.send('PATCH', `/tokens/${id}`, {
      metadata: { a: 'b' },
      encryption: null,
    });
    expect([patched.status, patched.body.metadata]).toEqual([200, { a: 'b' }]);
    expect((await application.send('DELETE', `/tokens/${id}`)).status).toBe(204);
    expect((await application.send('GET', `/tokens/${id}`)).status).toBe(404);
  });

  it('filters by metadata as JSON', async () => {
    const wanted = await aToken({ metadata: { Customer: 'C-9', tier: 'gold' } });
    await aToken({ metadata: { customer: 'C-8' } });
    const filter = encodeURIComponent(JSON.stringify({ customer: 'c-9', tier: 'GOLD' }));
    const found = await application.send('GET', `/tokens?metadata=${filter}&size=5`);
    expect([found.status, found.body.data.map(({ id }: { id: string }) => id)]).toEqual([200, [wanted]]);
  });

  it('creates, lists and deletes keys of an application', async () => {
    const path = `/applications/${applicationId}/keys`;
    const created = await manager.send('POST', path);
    expect(created).toMatchObject({ status: 201, body: { id: expect.any(String), key: expect.any(String) } });
    const { id, key, created_at, created_by } = created.body;
    const listed = await manager.send('GET', path);
    expect(listed.body).toContainEqual(expect.objectContaining({ id, created_at, created_by }));
    expect((await manager.send('GET', `${path}/${id as string}`)).body).not.toHaveProperty('key');
    const next = new FieldClient(service.credentials.base_url, key as string);
    expect((await next.send('POST', '/tokens', { type: 'token', data: 'a' })).status).toBe(201);
    expect((await manager.send('DELETE', `${path}/${id as string}`)).status).toBe(204);
    expect((await next.send('POST', '/tokens', { type: 'token', data: 'a' })).status).toBe(401);
  });

  it('sends no POST as a form', async () => {
    const collecting = await manager.send('POST', '/applications', {
      name: 'Page',
      type: 'public',
      permissions: ['token:create'],
    });
    const regenerated = await manager.send('POST', `/applications/${String(collecting.body.id)}/regenerate`);
    expect([regenerated.status, typeof regenerated.body.key]).toEqual([200, 'string']);
    const page = new FieldClient(service.credentials.base_url, regenerated.body.key as string);
    const session = await page.send('POST', '/sessions');
    expect(session.status).toBe(201);
    const authorized = await application.send('POST', '/sessions/authorize', {
      nonce: session.body.nonce,
      permissions: ['token:read'],
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    });
    expect(authorized.status).toBe(200);
  });

  it('looks itself up by its key without a permission for that', async () => {
    expect((await application.send('GET', '/applications/key')).body).toMatchObject({
      id: applicationId,
      name: 'Field',
    });
  });

  it('reads and writes the settings of the tenant as text', async () => {
    const { body } = await manager.send('GET', '/tenants/self');
    expect(body.settings).toEqual({ deduplicate_tokens: 'false', ephemeral_proxy: 'true' });
    const { name } = body as { name: string };
    for (const [deduplicates, proxies] of [
      ['true', false],
      [false, 'true'],
    ] as const) {
      const written = await manager.send('PUT', '/tenants/self', {
        name,
        settings: { deduplicate_tokens: deduplicates, ephemeral_proxy: proxies, of_another_service: 'x' },
      });
      const settings = { deduplicate_tokens: String(deduplicates), ephemeral_proxy: String(proxies) };
      expect([written.status, written.body.settings]).toEqual([200, settings]);
    }
    const refused = await manager.send('PUT', '/tenants/self', {
      name: 'x',
      settings: { deduplicate_tokens: 'yes' },
    });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([
      400,
      ['settings.deduplicate_tokens'],
    ]);
  });

  it('may send unknown members in data and where none are read, but no unknown query parameters', async () => {
    const id = await aToken({ data: { ...CARD, holder: 'Ada' } });
    const read = await application.send('GET', `/tokens/${id}`);
    expect(Object.keys(read.body.data as object)).toEqual(Object.keys(CARD));
    const tokenized = await application.send('POST', '/tokenize', {
      card: { type: 'card', data: { ...CARD, holder: 'Ada' }, unheard_of: 1 },
    });
    expect([tokenized.status, Object.keys(tokenized.body.card.data as object)]).toEqual([
      200,
      Object.keys(CARD),
    ]);
    const deleted = await application.send('DELETE', `/tokens/${id}`, { reason: 'x' });
    expect(deleted.status).toBe(204);
    const filtered = await application.send('GET', '/tokens?type=card');
    expect([filtered.status, Object.keys(filtered.body.errors as object)]).toEqual([400, ['type']]);
  });

  it('calls the proxy with its own headers, none of which reach the destination', async () => {
    const id = await aToken();
    const reply = await application.send(
      'POST',
      '/proxy',
      { card: `{{ ${id} | json: '$.number' }}` },
      {
        'acme-proxy-url': `https://localhost:${String(destination.port)}/charge`,
      },
    );
    expect([reply.status, reply.headers['acme-proxy-destination-status']]).toEqual([200, '200']);
    expect(JSON.parse(reply.body.body as string)).toEqual({ card: CARD.number });
    const arrived = Object.keys(reply.body.headers as object);
    expect(arrived.filter((name) => /^(acme|svc|bt)-(?!trace-id)/.test(name))).toEqual([]);
  });

  it('writes a destination down in its own spelling, and calls it', async () => {
    const made = await manager.send('POST', '/proxies', {
      name: 'Provider',
      destinationUrl: `https://localhost:${String(destination.port)}/base`,
      requireAuth: true,
      configuration: { API_KEY: 'a secret of the provider' },
      requestTransforms: [
        { type: 'append_header', options: { name: 'X-Secret', value: '{{ configuration.API_KEY }}' } },
        { type: 'append_json', options: { location: '$.merchant', value: 'm-7' } },
      ],
      responseTransforms: [
        { type: 'mask', matcher: 'regex', expression: 'm-\\d', replacement: '[merchant]' },
      ],
      project: 'ignored',
    });
    expect([made.status, made.body.key]).toEqual([201, expect.stringMatching(/^key_proxy_/)]);
    const { respond } = destination;
    destination.respond = ({ headers, body }, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ secret: headers['x-secret'], body: body.toString() }));
    for (const [path, headers] of [
      ['/proxy', { 'acme-proxy-key': made.body.key }],
      [`/proxy?acme-proxy-key=${made.body.key as string}`, {}],
    ] as const) {
      const { status, body } = await application.send('POST', path, { a: 1 }, headers);
      expect([status, body]).toEqual([200, { secret: '[removed]', body: '{"a":1,"merchant":"[merchant]"}' }]);
      expect(destination.received.at(-1)?.url).toBe('/base');
    }
    destination.respond = respond;
    const again = await manager.send('PATCH', `/proxies/${made.body.id as string}`, { name: 'Renamed' });
    expect([again.status, again.body.name]).toEqual([200, 'Renamed']);
    for (const name of ['requestTransform', 'response_reactor_id', 'method']) {
      const refused = await manager.send('PUT', `/proxies/${made.body.id as string}`, {
        ...made.body,
        key: undefined,
        [name]: 'x',
      });
      expect([name, refused.status, Object.keys(refused.body.errors)]).toEqual([name, 400, [name]]);
    }
  });

  it('creates a reactor without configuration, whose client uses its prefix, and sends callbackUrl and timeoutMs', async () => {
    const made = await manager.send('POST', '/reactors', {
      name: 'Field',
      application: { id: applicationId, name: 'ignored' },
      formula: null,
      code: 'module.exports = async ({ args, bt }) => ({ raw: { last4: args.number.slice(-4), type: (await bt.tokens.retrieve(args.id)).type } });',
    });
    expect([made.status, made.body.configuration]).toEqual([201, {}]);
    const id = await aToken();
    const args = { number: `{{ ${id} | json: '$.number' }}`, id };
    const path = `/reactors/${String(made.body.id)}/react`;
    const now = await application.send('POST', path, { args, unheard_of: true });
    expect(now.body).toEqual({ raw: { last4: '4242', type: 'card' } });
    const later = await application.send('POST', path, {
      args,
      callbackUrl: `https://localhost:${String(destination.port)}/hook`,
      timeoutMs: 20_000,
    });
    expect(later.status).toBe(202);
    const arrived = () => destination.received.find(({ headers }) => headers['webhook-id'] === later.body.id);
    expect(JSON.parse((await until(arrived)).body.toString())).toEqual({
      raw: { last4: '4242', type: 'card' },
      reactor_id: made.body.id,
      application_id: expect.any(String),
    });
  });

  it('runs the code of a reactor in the field: its error classes, its packages, members in camel case', async () => {
    const code = `const { BadRequestError, CustomHttpResponseError } = require('@basis-theory/basis-theory-reactor-formulas-sdk-js');
      const stringify = require('json-stable-stringify');
      module.exports = async ({ args, bt }) => {
        if (args.bad) throw new BadRequestError({ 'card.number': ['bad'] });
        if (args.custom) throw new CustomHttpResponseError({ status: 429, body: { code: 7 } });
        const token = { type: 'token', data: stringify(args), deduplicateToken: true, expiresAt: '2999-01-01T00:00:00Z' };
        const [first, second] = [await bt.tokens.create(token), await bt.tokens.create(token)];
        return { raw: { same: first.id === second.id, expiresAt: first.expiresAt, createdAt: typeof first.createdAt } };
      };`;
    const made = await manager.send('POST', '/reactors', {
      name: 'F',
      code,
      application: { id: applicationId },
    });
    const react = async (args: object) => {
      const path = `/reactors/${String(made.body.id)}/react`;
      const { status, body } = await application.send('POST', path, { args });
      return [status, body];
    };
    expect(await react({ b: 1, a: 2 })).toEqual([
      200,
      { raw: { same: true, expiresAt: '2999-01-01T00:00:00+00:00', createdAt: 'string' } },
    ]);
    expect(await react({ bad: 1 })).toMatchObject([400, { errors: { 'card.number': ['bad'] } }]);
    expect(await react({ custom: 1 })).toMatchObject([429, { errors: { body: ['{"code":7}'] } }]);
  });
});

describe('what a client in the field restricts', () => {
  const EXPIRY = '2999-01-01T00:00:00+00:00';
  const anApplication = (more: object) =>
    manager.send('POST', '/applications', {
      name: 'F',
      type: 'private',
      permissions: ['token:read'],
      ...more,
    });
  const problemsOf = ({ status, body }: Response) => [status, body?.errors];

  it('is read in camel case, in every body', async () => {
    const { status, body } = await anApplication({
      permissions: undefined,
      Permissions: ['token:read'],
      expiresAt: EXPIRY,
      rules: [{ Priority: 1, CONTAINER: '/a/', transform: 'mask', permissions: ['token:read'] }],
    });
    expect([status, body.expires_at, body.permissions, body.rules]).toEqual([
      ...[201, EXPIRY, ['token:read']],
      [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }],
    ]);
    const updated = await manager.send('PUT', `/applications/${String(body.id)}`, {
      name: 'F',
      permissions: ['token:read'],
      expiresAt: '2998-01-01T00:00:00+00:00',
    });
    expect(problemsOf(updated)).toEqual([400, { expires_at: [expect.stringMatching(/^cannot be changed/)] }]);

    const more = {
      Containers: ['/camel/'],
      expiresAt: EXPIRY,
      deduplicateToken: true,
      Mask: '{{ data.number | last4 }}',
    };
    const id = await aToken(more);
    const read = await application.send('GET', `/tokens/${id}`);
    expect(read.body).toMatchObject({ containers: ['/camel/'], expires_at: EXPIRY, mask: more.Mask });
    expect(await aToken(more)).toBe(id);
    const sooner = '2998-01-01T00:00:00+00:00';
    const patched = await application.send('PATCH', `/tokens/${id}`, { expiresAt: sooner });
    expect([patched.status, patched.body.expires_at]).toEqual([200, sooner]);
    const tokenized = await application.send('POST', '/tokenize', {
      a: { type: 'token', data: 1, ...more, Mask: null },
    });
    expect(tokenized.body.a).toMatchObject({ containers: ['/camel/'], expires_at: EXPIRY });
    expect(
      problemsOf(
        await application.send('POST', '/sessions/authorize', {
          nonce: 'n',
          permissions: ['token:read'],
          expiresAt: '2000-01-01',
        }),
      )[0],
    ).toBe(400);
    for (const [deduplicates, proxies] of [
      [true, false],
      [false, true],
    ]) {
      const camel = { deduplicateTokens: deduplicates, ephemeralProxy: proxies };
      const written = await manager.send('PUT', '/tenants/self', { name: 'T', settings: camel });
      const settings = { deduplicate_tokens: String(deduplicates), ephemeral_proxy: String(proxies) };
      expect(written.body.settings).toEqual(settings);
    }
    const found = await application.send('POST', '/tokens/search', { Query: `id:${id}` });
    expect(found.body.data.map((each: { id: string }) => each.id)).toEqual([id]);
  });

  it('is refused where it is misspelt, sent twice, or read by no one', async () => {
    expect(problemsOf(await anApplication({ expire_at: EXPIRY, rule: [] }))).toEqual([
      400,
      {
        expire_at: ['is not known; did you mean `expires_at`?'],
        rule: ['is not known; did you mean `rules`?'],
      },
    ]);
    expect(problemsOf(await anApplication({ expiresAt: EXPIRY, expires_at: EXPIRY }))).toEqual([
      400,
      { expires_at: ['is another spelling of `expiresAt`; send one of them'] },
    ]);
    const token = { type: 'token', data: { expiresAt: 'of the client', container: '/x/' } };
    const refused = await application.send('POST', '/tokens', {
      ...token,
      container: '/x/',
      ttl: 60,
      privacy: {},
    });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([
      400,
      ['container', 'ttl', 'privacy'],
    ]);
    const made = await application.send('POST', '/tokens', { ...token, privacy: null });
    expect((await application.send('GET', `/tokens/${String(made.body.id)}`)).body.data).toEqual(token.data);
    const regenerated = await manager.send('POST', `/applications/${applicationId}/regenerate`, {
      expiresAt: EXPIRY,
    });
    expect(problemsOf(regenerated)).toEqual([
      400,
      { expiresAt: [expect.stringContaining('is not read by this operation')] },
    ]);
  });

  it('is refused by other names of its kind, and ordinary words are not', async () => {
    const rule = { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] };
    expect(
      problemsOf(await anApplication({ expirationDate: EXPIRY, rules: [{ ...rule, filter: {} }] })),
    ).toEqual([
      400,
      {
        expirationDate: ['is not known; did you mean `expires_at`?'],
        'rules[0].filter': ['is not known; did you mean `conditions`?'],
      },
    ]);
    const refused = await application.send('POST', '/tokens', {
      type: 'token',
      data: 1,
      expirationDate: EXPIRY,
      allowed_containers: [],
      maskFormat: 'x',
    });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([
      400,
      ['expirationDate', 'allowed_containers', 'maskFormat'],
    ]);
    const misspelt = await application.send('POST', '/tokenize', {
      a: { type: 'token', Data: 's', containers: ['/pci/high/'] },
    });
    expect(problemsOf(misspelt)).toEqual([400, { 'a.Data': ['must be named `data`'] }]);
    const id = await aToken();
    expect((await application.send('DELETE', `/tokens/${id}`, { title: 1, task: 1 })).status).toBe(204);
  });

  it('stores and hashes no cvc in another spelling', async () => {
    const create = (cvv: string) =>
      application.send(
        'POST',
        '/tokens',
        { type: 'card', data: { number: CARD.number, CVV: cvv, Cvc: cvv } },
        { 'acme-idempotency-key': 'cvv' },
      );
    const first = await create('123');
    const second = await create('124');
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
    expect(Object.keys(first.body.data as object)).toEqual(['number']);
  });

  it('is the tenant, which has an owner and a time of creation', async () => {
    const { body } = await manager.send('GET', '/tenants/self');
    expect(body.owner_id).toBe(body.id);
    expect(Date.parse(body.created_at as string)).toBeGreaterThan(Date.now() - 3_600_000);
    // The response of a read can be sent back.
    expect((await manager.send('PUT', '/tenants/self', body)).body).toEqual(body);
  });
});

describe('code of a client in the field', () => {
  const BROKEN = 'module.exports = async function (req) { // a comment return { raw: 1 }; }';
  const react = async (id: unknown) => {
    const { status, body } = await application.send('POST', `/reactors/${String(id)}/react`, {});
    return [status, body];
  };
  const reactorOf = (code: string) => manager.send('POST', '/reactors', { name: 'F', code });

  it('is stored with a warning where its syntax is wrong, and fails when it runs', async () => {
    const made = await reactorOf(BROKEN);
    const { id } = made.body as { id: string };
    const warnings = [expect.stringMatching(/^code has a syntax error at line 1, column \d+: /)];
    expect([made.status, made.body.code, made.body._extras]).toEqual([201, BROKEN, { warnings }]);
    expect(await react(id)).toMatchObject([
      422,
      { code: 'reactor_not_loaded', detail: 'The code has a syntax error.' },
    ]);
    const replaced = await manager.send('PUT', `/reactors/${id}`, { name: 'F', code: BROKEN });
    expect([replaced.status, replaced.body._extras]).toEqual([200, { warnings }]);
    const mended = await manager.send('PUT', `/reactors/${id}`, {
      name: 'F',
      code: 'module.exports = () => ({ raw: 1 })',
    });
    expect([mended.status, mended.body._extras]).toEqual([200, undefined]);
    expect(await react(id)).toEqual([200, { raw: 1 }]);
    expect((await manager.send('PATCH', `/reactors/${id}`, { code: BROKEN })).status).toBe(204);
    expect((await react(id))[0]).toBe(422);
    expect((await manager.send('GET', `/reactors/${id}`)).body._extras).toBeUndefined();
  });

  it('fails where nothing of its result is read, and where it calls fetch', async () => {
    const transform = await reactorOf('module.exports = async () => ({ body: { a: 1 }, headers: {} })');
    expect(await react(transform.body.id)).toMatchObject([
      500,
      {
        code: 'reactor_failed',
        detail:
          'The code returned an object of which nothing is read: only the members `raw` and `tokenize` are.',
      },
    ]);
    const partly = await reactorOf('module.exports = async () => ({ raw: 1, headers: {} })');
    expect(await react(partly.body.id)).toEqual([200, { raw: 1 }]);
    const fetching = await reactorOf(
      "module.exports = async () => ({ raw: await fetch('https://example.com') })",
    );
    expect(await react(fetching.body.id)).toMatchObject([
      500,
      {
        detail: expect.stringMatching(
          /^The code threw a ReferenceError at line 1, column \d+\. Node\.js 16 has no fetch/,
        ),
      },
    ]);
  });
});

/** A page's calls with the SDK (prefix SVC), and with `fetch` as clients in the field do (BT). */
const CLIENTS_IN_A_PAGE = `
  const { createClient } = await import(URL.createObjectURL(new Blob([args.sdk], { type: 'text/javascript' })));
  const sdk = createClient({ baseUrl: args.baseUrl, apiKey: args.key });
  const fetching = async (method, path, body, more = {}) => {
    const headers = {
      'BT-API-KEY': args.key, 'X-Fern-Language': 'JavaScript', 'BT-CLIENT-USER-AGENT': '{"client":"js"}',
      'BT-TRACE-ID': 'of-the-page', 'Content-Type': 'application/json', Authorization: 'Bearer x', ...more,
    };
    const response = await fetch(args.baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, traceId: response.headers.get('BT-TRACE-ID'), body: text && JSON.parse(text) };
  };`;

describe('a page of another origin', () => {
  const inPage = async (key: string, script: string, more: object = {}) =>
    inBrowser(`${CLIENTS_IN_A_PAGE}\n${script}`, {
      baseUrl: service.credentials.base_url,
      key,
      sdk: await sdkModule(),
      ...more,
    });
  const made = async (path: string, body: object) => (await manager.send('POST', path, body)).body;

  /** Authorizes a session as a server does, with the permissions that pages may have. */
  const authorize = async (nonce: string) => {
    const granted = { permissions: ['token:read', 'token:use'], container: '/', transform: 'reveal' };
    const grants = { nonce, rules: [{ priority: 1, ...granted }] };
    expect((await application.send('POST', '/sessions/authorize', grants)).status).toBe(200);
  };

  needing('Chromium').it('uses tokens, sessions, the proxy and reactors under two prefixes', async () => {
    const permissions = ['token:create', 'token:update'];
    const page = await made('/applications', { name: 'Page', type: 'public', permissions });
    const reactor = await made('/reactors', {
      name: 'Last four',
      code: 'module.exports = async ({ args }) => ({ raw: args.number.slice(-4) });',
      configuration: {},
    });
    const collected = await inPage(
      page.key,
      `const ofSdk = await sdk.tokens.create({ type: 'card', data: args.card });
       const patched = await sdk.tokens.update(ofSdk.id, { metadata: { a: 'b' } });
       const posted = await fetching('POST', '/tokens', { type: 'card', data: args.card });
       const merged = await fetching('PATCH', '/tokens/' + posted.body.id, { metadata: { a: 'b' } }, { 'Content-Type': 'application/merge-patch+json' });
       const refused = await fetching('GET', '/nothing');
       return {
         ids: [ofSdk.id, posted.body.id], patched: patched.id, statuses: [posted.status, merged.status, refused.status],
         traceIds: [posted.traceId, merged.traceId, refused.traceId],
         sessions: [await sdk.sessions.create(), (await fetching('POST', '/sessions')).body],
       };`,
      { card: CARD },
    );
    expect(collected).toMatchObject({
      patched: collected.ids[0],
      statuses: [201, 200, 404],
      traceIds: ['of-the-page', 'of-the-page', 'of-the-page'],
    });
    for (const { nonce } of collected.sessions) await authorize(nonce as string);
    const [id, otherId] = collected.ids as string[];
    const [ofSdk, ofFetch] = collected.sessions as { session_key: string }[];
    const seen = await inPage(
      ofSdk?.session_key ?? '',
      `const read = await sdk.tokens.retrieve(args.id);
       const proxied = await sdk.proxy({ url: args.destination, method: 'POST', headers: { 'X-Merchant': 'm-1' }, body: { card: '{{ ' + args.id + " | json: '$.number' }}" } });
       const reacted = await sdk.reactors.react(args.reactor, { args: '{{ ' + args.id + ' }}' });
       args.key = args.fetchKey;
       const got = await fetching('GET', '/tokens/' + args.otherId);
       const sent = await fetching('POST', '/proxy', { card: '{{ ' + args.otherId + " | json: '$.number' }}" }, { 'BT-PROXY-URL': args.destination });
       const run = await fetching('POST', '/reactors/' + args.reactor + '/react', { args: '{{ ' + args.otherId + ' }}' });
       return {
         ofSdk: [read.data, proxied.status, proxied.json(), proxied.headers['x-of-the-destination'], reacted],
         ofFetch: [got.body.data, sent.headers.get('BT-PROXY-DESTINATION-STATUS'), sent.body, sent.headers.get('x-of-the-destination'), run.body],
         traceIds: [got.traceId, sent.traceId, run.traceId],
       };`,
      {
        id,
        otherId,
        reactor: reactor.id,
        fetchKey: ofFetch?.session_key,
        destination: `https://localhost:${String(destination.port)}/charge`,
      },
    );
    const outcome = (headers: object) => [
      CARD,
      ...[
        expect.anything(),
        { headers: expect.objectContaining(headers), body: JSON.stringify({ card: CARD.number }) },
      ],
      ...['seen', { raw: '4242' }],
    ];
    expect(seen).toEqual({
      ofSdk: outcome({ 'x-merchant': 'm-1' }),
      ofFetch: outcome({ authorization: 'Bearer x' }),
      traceIds: ['of-the-page', 'of-the-page', 'of-the-page'],
    });
  });
});
