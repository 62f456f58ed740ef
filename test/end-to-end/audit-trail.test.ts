import type { API_OPERATIONS } from '../../src/core/audit/api-operations.ts';
import { PutItemCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { OUTCOMES } from '../../src/core/audit/audit-record.ts';
import { allRoutes, type AnyRoute } from '../../tools/openapi/all-routes.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { allItems, bytesOf, dynamodbOf } from '../support/aws.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import {
  httpClient,
  type ApiResponse,
  type Body,
  type CallOptions,
  type HttpClient,
} from '../support/http-client.ts';
import { occurrences } from '../support/needles.ts';
import { needing } from '../support/needing.ts';
import { invokeFunction, operatorOf } from '../support/operator.ts';
import { plantParkedDelivery } from '../support/parked-delivery.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { ALL_TOKEN_PERMISSIONS, revealing } from '../support/sample-requests.ts';
import { functionEnvironments, functionOf } from '../../tools/bench/local-functions.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';

const { describe } = needing('openssl');

let service: RunningService;
let destination: TestDestination;
let management: HttpClient;

interface App extends HttpClient {
  readonly id: string;
  readonly key: string;
}

const clientOf = (key: string | undefined) => httpClient(service.credentials.base_url, key);

async function anApplication(grants: object, by: HttpClient = management): Promise<App> {
  const { status, body } = await by.post('/applications', { name: 'audited', type: 'private', ...grants });
  expect(status).toBe(201);
  return { id: body.id, key: body.key, ...clientOf(body.key) };
}

const aRevealing = (by?: HttpClient) => anApplication({ rules: [revealing()] }, by);

async function anotherTenant(): Promise<{ readonly id: string; readonly management: HttpClient }> {
  const made = await operatorOf(service.credentials, { command: 'create-tenant', name: 'Another' });
  return { id: String(made['tenant_id']), management: clientOf(String(made['management_key'])) };
}

/** Asks again after a 503, as clients do: a page is some 32 queries. */
async function patientGet(reader: HttpClient, path: string): Promise<ApiResponse> {
  for (;;) {
    const response = await reader.get(path);
    if (response.status !== 503) return response;
    await sleep(500);
  }
}

/** Reads all pages of a list of records, and counts the records of each. */
async function recordsOf(reader: HttpClient, query: Readonly<Record<string, string>> = {}) {
  const records: Body[] = [];
  const sizes: number[] = [];
  for (let after: string | null = ''; after !== null;) {
    const parameters = new URLSearchParams({ size: '100', ...query, ...(after !== '' && { after }) });
    const { status, body } = await patientGet(reader, `/logs?${parameters.toString()}`);
    expect([status, Object.keys(body.pagination)]).toEqual([200, ['page_size', 'after']]);
    records.push(...body.data);
    sizes.push(body.data.length);
    after = body.pagination.after;
  }
  return { records, sizes };
}

/** Records, rows and marks as they are stored (src/adapters/dynamodb/keys.ts). */
async function auditItems(): Promise<Record<string, AttributeValue>[]> {
  const items = await allItems(service.credentials);
  return items.filter(({ pk }) => /#log#|#token#|^open#/.test(pk?.S ?? ''));
}

beforeAll(async () => {
  const certificate = testCertificate();
  destination = await startDestination(certificate);
  destination.respond = (_received, response) => response.end('ok');
  service = await runService(TEST_SETTINGS, {
    NODE_EXTRA_CA_CERTS: certificate.certFile,
  });
  management = clientOf(service.credentials.management_key);
});

afterAll(async () => {
  await Promise.all([service.stop(), destination.close()]);
});

/** The requests with which each route succeeds. */
interface Sample {
  readonly by: HttpClient;
  readonly id?: string;
  readonly invocation?: string;
  readonly keyId?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token that the record names. */
  readonly token?: string;
}

describe('every route', () => {
  const marks: Record<string, string> = Object.fromEntries(
    ['data', 'metadata', 'term', 'name', 'code', 'configuration', 'args', 'forwarded', 'path'].map((name) => [
      name,
      `MARK-${name}-${randomBytes(9).toString('base64url')}`,
    ]),
  );
  const m = (name: string) => marks[name] ?? '';
  let app: App;
  let page: App;
  /** A management application and a private one without any permission that a route requires. */
  let strangers: readonly HttpClient[];
  let reactor: string;

  const aToken = async () =>
    (await app.post('/tokens', { type: 'token', data: m('data'), metadata: { note: m('metadata') } })).body
      .id as string;
  const ofToken = async (body?: unknown): Promise<Sample> => {
    const id = await aToken();
    return { by: app, id, token: id, ...(body !== undefined && { body }) };
  };
  const anotherApplication = async (body?: unknown): Promise<Sample> => ({
    by: management,
    id: (await anApplication({ permissions: ['token:read'] })).id,
    ...(body !== undefined && { body }),
  });
  const ofKey = async (body?: unknown): Promise<Sample> => {
    const sample = await anotherApplication(body);
    const [key] = (await management.get(`/applications/${sample.id ?? ''}/keys`)).body;
    return { ...sample, keyId: key.id };
  };
  const code = `// ${m('code')}\nmodule.exports = ({ args }) => ({ raw: args });`;
  const reactorBody = { name: m('name'), code, configuration: { secret: m('configuration') } };
  const aReactor = async (body?: unknown): Promise<Sample> => ({
    by: management,
    id: (await management.post('/reactors', reactorBody)).body.id,
    ...(body !== undefined && { body }),
  });
  const proxyBody = () => ({
    name: m('name'),
    destination_url: `https://localhost:${String(destination.port)}/${m('path')}`,
    configuration: { SECRET: m('configuration') },
  });
  const aProxy = async (body?: unknown): Promise<Sample> => ({
    by: management,
    id: (await management.post('/proxies', proxyBody())).body.id,
    ...(body !== undefined && { body }),
  });
  const ofProxyKey = async (body?: unknown): Promise<Sample> => {
    const sample = await aProxy(body);
    const [key] = (await management.get(`/proxies/${sample.id ?? ''}/keys`)).body;
    return { ...sample, keyId: key.id };
  };
  const argsWith = async () => {
    const token = await aToken();
    return { token, args: { secret: m('args'), token: `{{ ${token} }}` } };
  };

  const SAMPLES: Readonly<Record<(typeof API_OPERATIONS)[number], () => Sample | Promise<Sample>>> = {
    createToken: () => ({ by: app, body: { type: 'token', data: m('data') } }),
    listTokens: () => ({ by: app }),
    getToken: () => ofToken(),
    updateToken: () => ofToken({ data: m('data') }),
    deleteToken: () => ofToken(),
    searchTokens: () => ({ by: app, body: { query: `metadata.note:"${m('term')}"` } }),
    tokenize: () => ({ by: app, body: { any: m('data') } }),
    detokenize: async () => {
      const token = await aToken();
      return { by: app, body: { got: `{{ ${token} }}` }, token };
    },
    proxy: async () => {
      const token = await aToken();
      return {
        by: app,
        token,
        headers: {
          'SVC-PROXY-URL': `https://localhost:${String(destination.port)}/${m('path')}`,
          'X-Secret': `${m('forwarded')} {{ ${token} }}`,
        },
      };
    },
    createApplication: () => ({
      by: management,
      body: { name: m('name'), type: 'private', permissions: ['token:read'] },
    }),
    listApplications: () => ({ by: management }),
    getApplicationByKey: () => ({ by: management }),
    getApplication: () => anotherApplication(),
    updateApplication: () => anotherApplication({ name: m('name'), permissions: ['token:use'] }),
    regenerateApplicationKey: () => anotherApplication(),
    createApplicationKey: () => anotherApplication({ name: m('name') }),
    listApplicationKeys: () => anotherApplication(),
    getApplicationKey: () => ofKey(),
    updateApplicationKey: () => ofKey({ name: m('name') }),
    deleteApplicationKey: () => ofKey(),
    deleteApplication: () => anotherApplication(),
    listPermissions: () => ({ by: app }),
    explainAccess: () => ({
      by: management,
      body: { permissions: ['token:read'], permission: 'token:read', container: `/${m('path')}/` },
    }),
    getTenant: () => ({ by: management }),
    updateTenant: () => ({ by: management, body: { name: m('name'), settings: {} } }),
    createSession: () => ({ by: page }),
    authorizeSession: async () => {
      const { nonce } = (await page.post('/sessions')).body;
      return { by: app, body: { nonce, permissions: ['token:read'] } };
    },
    createReactor: () => ({ by: management, body: reactorBody }),
    listReactors: () => ({ by: management }),
    getReactor: () => ({ by: management, id: reactor }),
    updateReactor: () => aReactor(reactorBody),
    patchReactor: () => aReactor({ name: m('name') }),
    deleteReactor: () => aReactor(),
    invokeReactor: async () => {
      const { token, args } = await argsWith();
      return { by: app, id: reactor, body: { args }, token };
    },
    getReactorResult: async () => {
      const { args } = await argsWith();
      const callback_url = `https://localhost:${String(destination.port)}/done`;
      const { body } = await app.post(`/reactors/${reactor}/react`, { args, callback_url });
      return { by: app, id: reactor, invocation: body.id };
    },
    listReactorDeliveries: () => ({ by: management, id: reactor }),
    getReactorSbom: () => ({ by: management, id: reactor }),
    listRuntimes: () => ({ by: management }),
    resendReactorDelivery: async () => {
      const invocation = await plantParkedDelivery(service.credentials, reactor);
      return { by: management, id: reactor, invocation };
    },
    createProxy: () => ({ by: management, body: proxyBody() }),
    listProxies: () => ({ by: management }),
    getProxy: () => aProxy(),
    updateProxy: () => aProxy(proxyBody()),
    patchProxy: () => aProxy({ name: m('name') }),
    deleteProxy: () => aProxy(),
    listProxyVersions: () => aProxy(),
    listProxyFailures: () => aProxy(),
    revertProxy: () => aProxy({ version: 1 }),
    createProxyKey: () => aProxy({ name: m('name') }),
    listProxyKeys: () => aProxy(),
    getProxyKey: () => ofProxyKey(),
    updateProxyKey: () => ofProxyKey({ name: m('name') }),
    deleteProxyKey: () => ofProxyKey(),
    listLogs: () => ({ by: management }),
  };

  let serial = 0;

  /** Sends a request of a route with its own trace id, by which its records are found. */
  async function sent(route: AnyRoute, by: HttpClient, sample: Partial<Sample>, query: string) {
    serial += 1;
    const trace = `trace-${String(serial)}`;
    const path = route.path
      .replace('{id}', sample.id ?? 'x')
      .replace('{invocation_id}', sample.invocation ?? 'x')
      .replace('{key_id}', sample.keyId ?? 'x')
      .replace('{suffix+}', m('path'));
    const options: CallOptions = {
      headers: { 'SVC-TRACE-ID': trace, ...sample.headers },
      ...(['GET', 'DELETE'].includes(route.method) || sample.body === undefined ? {} : { body: sample.body }),
    };
    const { status } = await by.send(route.method, path + query, options);
    return { status, sample, trace };
  }

  /**
   * Sends a request of each route before the tests, and then reads the trail once: a page of it
   * takes 32 queries. Returns the outcome of a route with its records, the oldest first.
   */
  function sentBefore(
    routes: readonly AnyRoute[],
    {
      by,
      query = () => '',
    }: { readonly by?: (route: AnyRoute) => HttpClient; readonly query?: () => string },
  ) {
    const outcomes = new Map<AnyRoute, PromiseSettledResult<Awaited<ReturnType<typeof sent>>>>();
    let trail: readonly Body[] = [];
    beforeAll(async () => {
      for (const route of routes) {
        const outcome = async () => {
          const sample = await SAMPLES[route.operation as (typeof API_OPERATIONS)[number]]();
          return sent(route, by?.(route) ?? sample.by, sample, query());
        };
        const [settled] = await Promise.allSettled([outcome()]);
        outcomes.set(route, settled);
      }
      trail = (await recordsOf(management)).records;
    });
    return (route: AnyRoute) => {
      const outcome = outcomes.get(route);
      if (outcome?.status !== 'fulfilled') throw outcome?.reason;
      const { status, sample, trace } = outcome.value;
      return { status, sample, records: trail.filter(({ trace_id }) => trace_id === trace).toReversed() };
    };
  }

  beforeAll(async () => {
    app = await aRevealing();
    page = await anApplication({ type: 'public', permissions: ['token:create'] });
    strangers = [
      await anApplication({ permissions: ['token:use'] }),
      await anApplication({ permissions: ['token:search'] }),
    ];
    reactor = (await management.post('/reactors', reactorBody)).body.id;
  });

  const ROUTES = allRoutes().map((route) => [`${route.method} ${route.path}`, route] as const);

  describe('that succeeds', () => {
    const outcomeOf = sentBefore(
      ROUTES.map(([, route]) => route),
      {},
    );

    it.each(ROUTES)('%s leaves a record of success', (_name, route) => {
      const { status, sample, records } = outcomeOf(route);
      expect(status).toBe(route.operation === 'proxy' ? 200 : route.success);
      expect(records.length).toBeGreaterThanOrEqual(1);
      const [first, ...others] = records;
      expect(first).toMatchObject({
        operation: route.operation,
        outcome: expect.stringMatching(/^(ok|begun)$/),
        credential: expect.stringMatching(/^key:[\da-f-]{36}$/),
        source_ip: expect.stringMatching(/^[\d.:a-f]+$/),
      });
      expect(first?.application_id).toMatch(/^[\da-f-]{36}$/);
      for (const other of others)
        expect(other).toMatchObject({
          operation: route.operation,
          outcome: expect.stringMatching(/^(ok|begun)$/),
        });
      const named = records.flatMap(({ tokens = [] }) => tokens.map(({ id }: Body) => id));
      if (sample.token !== undefined) expect(named).toContain(sample.token);
    });
  });

  describe('that is refused', () => {
    const guarded = ROUTES.filter(([, { operation }]) => operation !== 'listPermissions');
    const outcomeOf = sentBefore(
      guarded.map(([, route]) => route),
      {
        // At least one of the two callers lacks the permission; an operation without one is for
        // another type, and a private application reads itself.
        by: ({ operation, permission }) => {
          const [one, two] = strangers;
          if (operation === 'authorizeSession' || operation === 'getApplicationByKey') return page;
          return (permission === 'token:use' ? two : one) ?? page;
        },
      },
    );

    it.each(guarded)('%s leaves a record of a refusal', (_name, route) => {
      const { status, sample, records } = outcomeOf(route);
      expect([status, records]).toEqual([
        403,
        [expect.objectContaining({ operation: route.operation, outcome: 'refused', status: 403 })],
      ]);
      if (route.path === '/tokens/{id}')
        expect(records[0]?.tokens).toEqual([{ id: sample.id, form: 'refused' }]);
    });
  });

  describe('that is invalid', () => {
    const checked = ROUTES.filter(([, { passesOn }]) => passesOn !== true);
    const outcomeOf = sentBefore(
      checked.map(([, route]) => route),
      { query: () => `?${m('term')}=${m('term')}` },
    );

    it.each(checked)('%s leaves a record of an invalid request', (_name, route) => {
      const { status, records } = outcomeOf(route);
      expect([status, records.map(({ outcome, status: said }) => [outcome, said])]).toEqual([
        400,
        [['invalid', 400]],
      ]);
    });
  });

  it('every route without a valid key leaves a record in the trail of the deployment only', async () => {
    for (const { method, path } of allRoutes())
      expect((await clientOf('key_private_unknown').send(method, path)).status).toBe(401);
    const items = await auditItems();
    const entries = items
      .filter(({ pk }) => pk?.S?.startsWith('deployment#log#') === true)
      .map(({ body }): Body => JSON.parse(body?.S ?? ''));
    expect(entries.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
    expect(entries.every(({ app: of, tokens }) => of === undefined && tokens === undefined)).toBe(true);
    const { records } = await recordsOf(management);
    expect(records.filter(({ status }) => status === 401)).toEqual([]);
  });

  it('every route without a valid key leaves few records, however many addresses it comes from', async () => {
    const rejected = async () =>
      (await auditItems()).filter(({ pk }) => pk?.S?.startsWith('deployment#log#') === true).length;
    const { port } = new URL(service.credentials.base_url);
    const before = await rejected();
    const statuses = new Set<number | undefined>();
    for (let at = 1; at <= 150; at += 1)
      await new Promise<void>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: '/tokens', localAddress: `127.0.1.${String(at)}` };
        request({ ...options, headers: { 'SVC-API-KEY': 'key_private_unknown' } }, (response) => {
          statuses.add(response.statusCode);
          response.resume().once('end', resolve);
        })
          .once('error', reject)
          .end();
      });
    expect([...statuses]).toEqual([401]);
    // At most four a minute, and a minute may begin meanwhile.
    expect((await rejected()) - before).toBeLessThanOrEqual(8);
  });

  it('leaves no data in any record', async () => {
    const { records } = await recordsOf(management);
    const table = (await auditItems()).map(bytesOf).join('\n');
    expect(records.length).toBeGreaterThan(2 * allRoutes().length);
    expect(table.length).toBeGreaterThan(50_000);
    const secrets = {
      ...marks,
      managementKey: service.credentials.management_key,
      key: app.key,
      publicKey: page.key,
    };
    expect(
      occurrences(secrets, {
        'GET /logs': Buffer.from(JSON.stringify(records)),
        'the Audit table': Buffer.from(table, 'latin1'),
      }),
    ).toEqual([]);
  });
});

describe('GET /logs', () => {
  let tenant: { readonly id: string; readonly management: HttpClient };
  let app: App;
  let other: App;
  let ids: readonly string[];
  let from: string;
  /** Contains the records that the tenant has up to now, the newest first. */
  let all: Body[];
  let to: string;

  beforeAll(async () => {
    tenant = await anotherTenant();
    app = await aRevealing(tenant.management);
    other = await anApplication({ permissions: ['token:read', 'token:use'] }, tenant.management);
    from = (await recordsOf(tenant.management)).records[0].created_at;
    ids = (await app.post('/tokenize', ['a', 'b', 'c'])).body;
    for (const id of ids) {
      await app.get(`/tokens/${id}`);
      await other.get(`/tokens/${id}`);
      await other.delete(`/tokens/${id}`);
    }
    await app.get('/tokens');
    await app.delete(`/tokens/${ids[2] ?? ''}`);
    await app.get(`/tokens/${ids[2] ?? ''}`);
    await app.post('/tokens', { type: 'token' });
    const { records } = await recordsOf(tenant.management);
    // This time is after all of them, and before the next second.
    to = new Date(Date.parse(records[0].created_at) + 1).toISOString();
    all = (await recordsOf(tenant.management, { to })).records;
  });

  it('lists all requests of the tenant, newest first, each once', () => {
    expect(all.length).toBeGreaterThan(15);
    const position = all.map(({ id }) => id as string);
    expect(position).toEqual(position.toSorted().toReversed());
    expect(new Set(position).size).toBe(position.length);
    expect(all.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['createApplication', 'tokenize', 'getToken', 'deleteToken', 'listLogs']),
    );
  });

  const namesToken = (record: Body, id: string) => {
    const of = (record.tokens ?? []) as readonly { readonly id: string; readonly form: string }[];
    const isVeiled = (form: string) => ['mask', 'redact'].includes(form);
    const isAmongOthers = of.length > 1;
    return of.some((token) => token.id === id && !(isAmongOthers && isVeiled(token.form)));
  };

  const isNamedIn = (tokens: Body, form: string, id: string) =>
    ((tokens ?? []) as readonly Body[]).some((token) => token.id === id && token.form === form);

  it('filters by token, form, application, operation, outcome and time, separately and combined', async () => {
    const [first = '', , gone = ''] = ids;
    const middle = all[Math.floor(all.length / 2)].created_at as string;
    const cases: readonly (readonly [Record<string, string>, (record: Body) => boolean])[] = [
      [{ token_id: first }, (record) => namesToken(record, first)],
      [{ token_id: gone }, (record) => namesToken(record, gone)],
      [{ application_id: other.id }, ({ application_id }) => application_id === other.id],
      [{ operation: 'getToken' }, ({ operation }) => operation === 'getToken'],
      ...OUTCOMES.map((wanted) => [{ outcome: wanted }, ({ outcome }: Body) => outcome === wanted] as const),
      ...(['reveal', 'create', 'refused'] as const).map(
        (form) => [{ token_id: first, form }, ({ tokens }: Body) => isNamedIn(tokens, form, first)] as const,
      ),
      [{ from: middle }, ({ created_at }) => Date.parse(created_at) >= Date.parse(middle)],
      [{ to: middle }, ({ created_at }) => Date.parse(created_at) < Date.parse(middle)],
      [{ from }, ({ created_at }) => Date.parse(created_at) >= Date.parse(from)],
      [{ token_id: 'never was' }, () => false],
      [{ application_id: 'never was' }, () => false],
      [{ operation: 'rotate-keys' }, () => false],
      [
        { token_id: first, application_id: other.id, operation: 'deleteToken', outcome: 'refused', from },
        (record) =>
          namesToken(record, first) &&
          record.application_id === other.id &&
          record.operation === 'deleteToken' &&
          record.outcome === 'refused',
      ],
    ];
    for (const [at, [query, isWanted]] of cases.entries())
      // A small page reads all partitions, as a large one does.
      for (const size of IS_THOROUGH || at % 4 === 0 ? ['3', '100'] : ['100']) {
        const { records, sizes } = await recordsOf(tenant.management, { to, ...query, size });
        expect([query, records]).toEqual([query, all.filter(isWanted)]);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(Number(size));
      }
    // The cases cover every outcome that is possible without a fault.
    expect([...new Set(all.map(({ outcome }) => outcome))].toSorted()).toEqual([
      ...['begun', 'invalid', 'ok', 'refused'],
    ]);
  });

  it('lists every operation on a token', async () => {
    const { records } = await recordsOf(tenant.management, { to, token_id: ids[2] ?? '' });
    const life = records
      .toReversed()
      .map(({ operation, outcome, application_id, tokens }) => [
        application_id === app.id ? 'app' : 'other',
        operation,
        outcome,
        tokens.find(({ id }: Body) => id === ids[2]).form,
      ]);
    expect(life).toEqual([
      ['app', 'tokenize', 'begun', 'create'],
      ['app', 'getToken', 'ok', 'reveal'],
      // The rule says mask, and the token has none.
      ['other', 'getToken', 'ok', 'redact'],
      ['other', 'deleteToken', 'refused', 'refused'],
      ['app', 'listTokens', 'ok', 'reveal'],
      ['app', 'deleteToken', 'begun', 'delete'],
      ['app', 'getToken', 'refused', 'refused'],
    ]);
  });

  it('accepts times with offsets, whether or not the plus sign is encoded', async () => {
    const at = all[3].created_at as string;
    expect(at).toMatch(/\+00:00$/);
    const plain = await tenant.management.get(`/logs?from=${at}&size=100&to=${to}`);
    const encoded = await tenant.management.get(`/logs?from=${encodeURIComponent(at)}&size=100&to=${to}`);
    expect(plain.body.data).toEqual(encoded.body.data);
    expect(plain.body.data.length).toBeGreaterThanOrEqual(4);
    expect((await tenant.management.get('/logs?from=2020-01-01&to=2020-02-01')).body.data).toEqual([]);
    expect((await tenant.management.get('/logs?from=9999-12-31')).body.data).toEqual([]);
    const before = '?from=1970-01-01T00:00:00.001%2B14:00&to=1970-01-01T00:00:00.002%2B14:00';
    expect((await tenant.management.get(`/logs${before}`)).body.data).toEqual([]);
  });

  it('binds a cursor to its filters and its application', async () => {
    const query = `operation=getToken&to=${to}&size=2`;
    const { after } = (await tenant.management.get(`/logs?${query}`)).body.pagination;
    const next = await tenant.management.get(`/logs?${query}&after=${after as string}`);
    expect([next.status, next.body.data.length]).toEqual([200, 2]);
    const larger = await tenant.management.get(
      `/logs?operation=getToken&to=${to}&size=5&after=${after as string}`,
    );
    expect(larger.body.data.slice(0, 2)).toEqual(next.body.data);
    const reader = await anApplication({ type: 'management', permissions: ['log:read'] }, tenant.management);
    const attempts = [
      await tenant.management.get(`/logs?operation=tokenize&to=${to}&after=${after as string}`),
      await tenant.management.get(`/logs?to=${to}&after=${after as string}`),
      await tenant.management.get(`/logs?operation=getToken&after=${after as string}`),
      await tenant.management.get(`/logs?${query}&after=${after as string}A`),
      await tenant.management.get(`/applications?after=${after as string}`),
      await reader.get(`/logs?${query}&after=${after as string}`),
      await management.get(`/logs?${query}&after=${after as string}`),
    ];
    expect(attempts.map(({ status, body }) => [status, Object.keys(body.errors ?? {})])).toEqual(
      attempts.map(() => [400, ['after']]),
    );
  });

  it.each([
    ['aplication_id=x', 'aplication_id', /application_id/],
    ['page=1', 'page', /is not a query parameter/],
    ['from=yesterday', 'from', /ISO 8601/],
    ['to=2026-13-01', 'to', /ISO 8601/],
    ['from=', 'from', /ISO 8601/],
    ['outcome=refusd', 'outcome', /refused/],
    ['outcome=', 'outcome', /refused/],
    ['token_id=', 'token_id', /must not be empty/],
    ['application_id=', 'application_id', /must not be empty/],
    ['operation=', 'operation', /^is not known$/],
    ['from=2026-01-02&to=2026-01-01', 'to', /after from/],
    ['from=2026-01-01&to=2026-01-01', 'to', /after from/],
    ['size=0', 'size', /from 1 to 100/],
    ['size=101', 'size', /from 1 to 100/],
    ['size=2&size=3', 'size', /twice/],
    ['token_id=a&token_id=b', 'token_id', /twice/],
    ['after=nonsense', 'after', /not a cursor/],
  ])('rejects ?%s', async (query, name, message) => {
    const { status, body } = await management.get(`/logs?${query}`);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.errors[name]).toEqual([expect.stringMatching(message)]);
  });

  it('requires log:read', async () => {
    const admin = await anApplication({
      type: 'management',
      permissions: ['application:read', 'tenant:read'],
    });
    for (const caller of [app, other, admin]) expect((await caller.get('/logs')).status).toBe(403);
    expect((await clientOf(undefined).get('/logs')).status).toBe(401);
    expect((await clientOf('key_management_unknown').get('/logs')).status).toBe(401);
    // No private application can have it.
    const greedy = { name: 'x', type: 'private', permissions: ['log:read', ...ALL_TOKEN_PERMISSIONS] };
    expect((await management.post('/applications', greedy)).status).toBe(400);
  });

  it('never shows a record of another tenant', async () => {
    const own = new Set(all.map(({ id }) => id));
    const { records } = await recordsOf(management);
    expect(records.length).toBeGreaterThan(0);
    expect(records.filter(({ id }) => own.has(id))).toEqual([]);
    for (const query of [{ token_id: ids[0] ?? '' }, { application_id: app.id }])
      expect((await recordsOf(management, query)).records).toEqual([]);
    const applications = new Set([app.id, other.id]);
    expect(records.filter(({ application_id }) => applications.has(application_id))).toEqual([]);
  });

  it('names the permissions that an application gained and lost', async () => {
    const { id } = await anApplication({ permissions: ['token:read', 'token:use'] }, tenant.management);
    await tenant.management.put(`/applications/${id}`, {
      name: 'other',
      permissions: ['token:read', 'token:delete'],
    });
    const { records } = await recordsOf(tenant.management, { operation: 'updateApplication' });
    expect(records[0]).toMatchObject({
      outcome: 'begun',
      resource: `application:${id}`,
      change: {
        members: ['name', 'permissions'],
        granted: ['token:delete'],
        withdrawn: ['token:use'],
      },
    });
  });

  it('finds an operation by its recorded name, and rejects a name that no record can have', async () => {
    expect((await tenant.management.get('/logs?operation=proxy')).status).toBe(200);
    const wrong = await tenant.management.get('/logs?operation=deleteTokens');
    expect([wrong.status, wrong.body.errors]).toEqual([
      400,
      { operation: [expect.stringContaining('deleteToken') as string] },
    ]);
    expect((await tenant.management.get('/logs?after=')).status).toBe(400);
  });

  it('has one record of a refused deletion, which names the token', async () => {
    const rule = { priority: 1, container: '/low/', transform: 'redact', permissions: ['token:delete'] };
    const weak = await anApplication({ permissions: [], rules: [rule] }, tenant.management);
    const owner = await anApplication({ permissions: ['token:create'] }, tenant.management);
    const { body } = await owner.post('/tokens', { type: 'token', data: 'x', containers: ['/high/'] });
    expect((await weak.delete(`/tokens/${body.id as string}`)).status).toBe(403);
    const { records } = await recordsOf(tenant.management, { token_id: body.id as string });
    const deletions = records.filter(({ operation }) => operation === 'deleteToken');
    expect(deletions.map(({ outcome, tokens }) => [outcome, tokens])).toEqual([
      ['refused', [{ id: body.id, form: 'refused' }]],
    ]);
  });

  it('calls a token without a mask redacted for a reader under a mask rule', async () => {
    const reader = await anApplication({ permissions: ['token:create', 'token:read'] }, tenant.management);
    const { body } = await reader.post('/tokens', { type: 'token', data: 'x', mask: null });
    await reader.get(`/tokens/${body.id as string}`);
    const { records } = await recordsOf(tenant.management, { token_id: body.id as string });
    const reads = records.filter(({ operation }) => operation === 'getToken');
    const forms = reads.map(({ tokens }) => tokens.find(({ id }: Body) => id === body.id).form);
    expect(forms).toEqual(['redact']);
  });

  it('names the permissions that a wider rule grants, and the session that got them', async () => {
    const rule = (container: string, transform: string) => ({
      priority: 1,
      container,
      transform,
      permissions: ['token:read', 'token:use'],
    });
    const input = { permissions: [], rules: [rule('/low/', 'redact')] };
    const strong = await anApplication(input, tenant.management);
    const widened = { name: 'x', permissions: [], rules: [rule('/', 'reveal')] };
    await tenant.management.put(`/applications/${strong.id}`, widened);
    const updates = await recordsOf(tenant.management, { operation: 'updateApplication' });
    expect(updates.records[0]).toMatchObject({
      resource: `application:${strong.id}`,
      change: { granted: ['token:read', 'token:use'] },
    });

    const asking = await anApplication({ type: 'public', permissions: ['token:create'] }, tenant.management);
    const { body } = await asking.post('/sessions');
    const grants = { nonce: body.nonce as string, permissions: ['token:read'] };
    expect((await strong.post('/sessions/authorize', grants)).status).toBe(200);
    await clientOf(body.session_key as string).get('/tokens');
    const used = await recordsOf(tenant.management, { operation: 'listTokens' });
    const authorized = await recordsOf(tenant.management, { operation: 'authorizeSession' });
    expect(authorized.records[0]).toMatchObject({
      application_id: strong.id,
      resource: used.records[0]?.credential,
      change: { granted: ['token:read'] },
    });
  });
});

describe('the trail', () => {
  it('is sealed, checked and protected by the deployed functions and tables', async () => {
    const { credentials } = service;
    // A move of less than a minute starts no schedule.
    for (let moved = 0; moved < 4; moved += 1) await advanceClock(credentials, 59);
    const sealer = functionOf(await functionEnvironments(credentials), 'audit-sealer').name;
    expect(await invokeFunction(credentials, sealer, {})).toEqual({ payload: null, hasFailed: false });
    const check = { command: 'verify-audit', principal: 'schedule', latest: true };
    const found = await operatorOf(credentials, check);
    expect(found).toMatchObject({ intact: true, late: false, next: null });
    expect([found['unprotected'], found['unprotected_data']]).toEqual([undefined, undefined]);
    expect(found['seals']).toBeGreaterThan(0);
    const [Item] = await auditItems();
    const change = dynamodbOf(credentials).send(new PutItemCommand({ TableName: 'Cloakroom-Audit', Item }));
    await expect(change).rejects.toThrow(/explicit deny in a resource-based policy/);
  });
});
