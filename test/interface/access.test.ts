import { randomUUID } from 'node:crypto';
import {
  ALL_TOKEN_PERMISSIONS,
  anApplication,
  aRevealingApplication,
  CARD,
  client,
  management,
  revealing,
  type HttpClient,
  withTenants,
} from '../support/service.ts';
import { until } from '../../packages/test-kit/src/until.ts';

/** Tests what docs/contract.md says about destinations, explanations and views. */

const ECHO = 'module.exports = async ({ args }) => ({ raw: args });';
const AGAIN = { 'SVC-IDEMPOTENCY-KEY': randomUUID() };

async function aReactor(manager: HttpClient = management, more: object = {}): Promise<string> {
  const { status, body } = await manager.post('/reactors', {
    name: 'x',
    code: ECHO,
    configuration: {},
    ...more,
  });
  if (status !== 201) throw new Error(`reactor: ${String(status)}`);
  return body.id as string;
}

const using = (container: string, reactors: readonly string[], priority = 1) => ({
  priority,
  container,
  transform: 'redact',
  permissions: ['token:use'],
  through: { reactors },
});

let named = '';
let other = '';
let owner: HttpClient | undefined;
let card = '';
beforeAll(async () => {
  [named, other] = [await aReactor(), await aReactor()];
  owner = await aRevealingApplication();
  card = (await owner.post('/tokens', { type: 'card', data: CARD })).body.id as string;
});

const react = (by: HttpClient, reactor: string, more: object = {}, headers = {}) =>
  by.post(`/reactors/${reactor}/react`, { args: { card: `{{ ${card} }}` }, ...more }, { headers });
const proxied = (by: HttpClient, body = `{{ ${card} }}`) =>
  by.send('POST', '/proxy', { raw: body, headers: { 'SVC-PROXY-URL': 'https://nowhere.invalid/' } });

describe('a rule with destinations', () => {
  it('sends plaintext to the reactors that it names alone, also in replays', async () => {
    const app = await anApplication({ rules: [using('/pci/', [named])] });
    const first = await react(app, named, {}, AGAIN);
    expect([first.status, first.body]).toEqual([200, { raw: { card: CARD } }]);
    expect((await react(app, named, {}, AGAIN)).body).toEqual(first.body);
    for (const args of [{ card: `{{ ${card} }}` }, {}])
      expect((await react(app, other, { args })).status).toBe(403);
    for (const body of [`{{ ${card} }}`, 'nothing']) expect((await proxied(app, body)).status).toBe(403);
    const callback = { callback_url: 'https://example.com/hook' };
    expect((await react(app, named, { ...callback, args: {} })).status).toBe(403);
    expect((await app.get(`/reactors/${other}/results/${randomUUID()}`)).status).toBe(403);
    expect((await app.get(`/reactors/${named}/results/${randomUUID()}`)).status).toBe(404);
    const rules = [using('/pci/', [other])];
    await management.put(`/applications/${app.id}`, { name: 'x', rules });
    const replayed = await react(app, named, {}, AGAIN);
    expect([replayed.status, replayed.body.code]).toEqual([403, 'forbidden']);
  });

  it('is asked again for the repeated start of an invocation', async () => {
    const app = await anApplication({ rules: [revealing()] });
    const start = () =>
      react(app, named, { callback_url: 'https://nowhere.invalid/hook' }, { 'SVC-IDEMPOTENCY-KEY': 'start' });
    const first = await start();
    expect([first.status, (await start()).body]).toEqual([202, first.body]);
    await management.put(`/applications/${app.id}`, { name: 'x', rules: [using('/', [named])] });
    expect((await start()).status).toBe(403);
  });

  it('decides even when it does not name the destination, and no later rule is asked', async () => {
    const everywhere = {
      priority: 2,
      container: '/',
      transform: 'reveal',
      permissions: ALL_TOKEN_PERMISSIONS,
    };
    const app = await anApplication({
      permissions: ['token:use'],
      rules: [using('/pci/', [named]), everywhere],
    });
    expect((await react(app, other)).status).toBe(403);
    expect((await react(app, named)).status).toBe(200);
    expect((await react(app, named, { callback_url: 'https://example.com/hook' })).status).toBe(403);
    expect((await proxied(app)).status).toBe(403);
    // The rule without destinations decides elsewhere, and permits invocations without a token.
    expect((await react(app, other, { args: {} })).status).toBe(200);
    const elsewhere = await app.post('/tokens', {
      type: 'token',
      data: 'x',
      containers: ['/general/', '/pci/'],
    });
    expect((await react(app, other, { args: { both: `{{ ${elsewhere.body.id as string} }}` } })).status).toBe(
      403,
    );
  });

  it('lets results be read, and sent to its callbacks alone', async () => {
    const callbacks = ['https://nowhere.invalid/hooks'];
    const rules = [{ ...using('/pci/', [named]), through: { reactors: [named], callbacks } }];
    const app = await anApplication({ rules });
    expect((await management.get(`/applications/${app.id}`)).body.rules).toEqual(rules);
    const { status, body } = await react(app, named, { async: true, timeout_ms: 20_000 });
    expect(status).toBe(202);
    const result = async () => (await app.get(`/reactors/${named}/results/${body.id as string}`)).body;
    await until(async () => (await result()).status === 'succeeded' || undefined);
    expect((await result()).result).toEqual({ raw: { card: CARD } });
    expect((await react(app, other, { async: true })).status).toBe(403);
    const sentTo = async (callback_url: string, reactor = named) => {
      const use = {
        permission: 'token:use',
        container: '/pci/',
        through: { reactors: [reactor], callback_url },
      };
      const explained = await management.post('/access/explain', { application_id: app.id, ...use });
      return [(await react(app, reactor, { callback_url })).status, explained.body.allowed];
    };
    expect(await sentTo('https://nowhere.invalid/hooks/7')).toEqual([202, true]);
    expect(await sentTo('https://nowhere.invalid/hooks7')).toEqual([403, false]);
    expect(await sentTo('https://nowhere.invalid/hooks/7', other)).toEqual([403, false]);
    const refused = await react(app, named, { callback_url: callbacks[0], async: false });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['async']]);
  });

  it('is delegated to a session only in part, and narrows it when it changes', async () => {
    const app = await anApplication({ rules: [using('/pci/', [named])] });
    const shop = await anApplication({ type: 'public', permissions: ['token:create'] });
    const authorize = async (rules: object[]) => {
      const { body } = await shop.post('/sessions');
      const { status } = await app.post('/sessions/authorize', { nonce: body.nonce, rules });
      return { status, ...client(body.session_key as string) };
    };
    expect((await authorize([using('/pci/', [named, other])])).status).toBe(403);
    const { through: _, ...unbound } = using('/pci/', [named]);
    expect((await authorize([unbound])).status).toBe(403);
    const session = await authorize([using('/pci/high/', [named])]);
    expect([session.status, (await react(session, named)).status]).toEqual([200, 200]);
    expect((await react(session, other)).status).toBe(403);
    await management.put(`/applications/${app.id}`, { name: 'x', rules: [using('/pci/', [other])] });
    expect((await react(session, named)).status).toBe(403);
  });

  it('does not let the code of a reactor name a destination for the application that it acts for', async () => {
    const app = await anApplication({ rules: [using('/pci/', [named])] });
    const code = `module.exports = async ({ args, bt }) => {
      const body = '{{ ' + args.id + ' }}';
      const { status } = await bt.proxy({ url: 'https://nowhere.invalid/', method: 'POST', body })
        .catch((error) => error);
      return { raw: { status } };
    };`;
    const proxying = await aReactor(management, { code, application: { id: app.id } });
    const invoker = await aRevealingApplication();
    expect((await react(invoker, proxying, { args: { id: card } })).body).toEqual({ raw: { status: 403 } });
  });

  it('is shown as it was written, and its change is in the trail', async () => {
    const app = await anApplication({ rules: [using('/pci/', [named, other])] });
    const read = (await management.get(`/applications/${app.id}`)).body;
    expect(read.rules[0].through).toEqual({ reactors: [named, other] });
    const narrower = { name: 'x', rules: [using('/pci/', [named])] };
    const manager = await anApplication({ type: 'management', permissions: ['application:update'] });
    expect((await manager.put(`/applications/${app.id}`, narrower)).status).toBe(200);
    await manager.put(`/applications/${app.id}`, { name: 'x', rules: read.rules });
    const { body } = await management.get(`/logs?application_id=${manager.id}&size=20`);
    const changes = body.data
      .filter(({ resource }: { resource?: string }) => resource === `application:${app.id}`)
      .map(
        ({
          operation,
          change,
        }: {
          operation: string;
          change?: { granted?: string[]; withdrawn?: string[] };
        }) => [operation, change?.granted, change?.withdrawn],
      );
    expect(changes).toContainEqual(['updateApplication', undefined, ['token:use']]);
    expect(changes).toContainEqual(['updateApplication', ['token:use'], undefined]);
  });

  it.each([
    ['no list', {}, 'rules[0].through'],
    ['an empty list', { reactors: [] }, 'rules[0].through'],
    [
      '21 reactors',
      { reactors: Array.from({ length: 21 }, () => randomUUID()) },
      'rules[0].through.reactors',
    ],
    [
      '21 in both lists',
      {
        reactors: Array.from({ length: 11 }, () => randomUUID()),
        proxies: Array.from({ length: 10 }, () => randomUUID()),
      },
      'rules[0].through',
    ],
    ['an id of another form', { reactors: ['NOT-AN-ID'] }, 'rules[0].through.reactors[0]'],
    ['an id in upper case', { proxies: [randomUUID().toUpperCase()] }, 'rules[0].through.proxies[0]'],
    [
      'callbacks of no reactor',
      { proxies: [randomUUID()], callbacks: ['https://a.example/'] },
      'rules[0].through',
    ],
    [
      'an address that is not allowed',
      { reactors: [randomUUID()], callbacks: ['https://a.example/', 'http://10.0.0.1/'] },
      'rules[0].through.callbacks[1]',
    ],
    ['no address', { reactors: [randomUUID()], callbacks: ['x'] }, 'rules[0].through.callbacks[0]'],
    ['an unknown member', { reactor: [randomUUID()] }, 'rules[0].through.reactor'],
    ['an array', [randomUUID()], 'rules[0].through'],
    ['null', null, 'rules[0].through'],
  ])('is refused with %s', async (_what, through, path) => {
    const rules = [{ ...using('/pci/', []), through }];
    const { status, body } = await management.post('/applications', { name: 'x', type: 'private', rules });
    expect([status, Object.keys(body.errors)]).toEqual([400, [path]]);
  });

  it('is refused without token:use, and destinations of top-level permissions too', async () => {
    const rules = [{ ...using('/pci/', [named]), permissions: ['token:read'] }];
    const refused = await management.post('/applications', { name: 'x', type: 'private', rules });
    expect(refused.body.errors).toEqual({
      'rules[0].through': ['is only allowed for rules that grant token:use'],
    });
    const top = { name: 'x', type: 'private', permissions: ['token:use'], through: { reactors: [named] } };
    expect((await management.post('/applications', top)).status).toBe(400);
  });
});

withTenants('a tenant may turn the ephemeral proxy off for all, and reactors go on', async (createTenant) => {
  const manager = client((await createTenant('No proxy')).management_key);
  const reactor = await aReactor(manager);
  const { key } = (await manager.post('/applications', { name: 'x', type: 'private', rules: [revealing()] }))
    .body;
  const app = client(key as string);
  const { id } = (await app.post('/tokens', { type: 'token', data: 'x' })).body;
  const question = { permissions: ['token:use'], permission: 'token:use', container: '/' };
  const explained = async (more = {}) =>
    (await manager.post('/access/explain', { ...question, ...more })).body;
  // A name that does not exist is the destination's failure, not one of rights.
  expect((await proxied(app, 'x')).status).toBe(502);
  expect((await explained()).allowed).toBe(true);
  const off = { name: 'No proxy', settings: { ephemeral_proxy: false } };
  expect((await manager.put('/tenants/self', off)).body.settings).toEqual({
    deduplicate_tokens: false,
    ephemeral_proxy: false,
  });
  const refused = await proxied(app, 'x');
  expect([refused.status, refused.body.proxy_error.detail]).toEqual([
    403,
    expect.stringContaining('ephemeral_proxy'),
  ]);
  const { status } = await app.post(`/reactors/${reactor}/react`, { args: { x: `{{ ${id as string} }}` } });
  expect(status).toBe(200);
  expect(await explained()).toMatchObject({
    allowed: false,
    decided_by: { rule: null },
    steps: [{ rule: null }],
  });
  expect((await explained({ through: { reactors: [reactor] } })).allowed).toBe(true);
});

describe('explain', () => {
  const explain = (body: object, by: HttpClient = management) => by.post('/access/explain', body);

  it('names the rule that decides for an application, for rules that no application has, and for a destination', async () => {
    const rules = [
      using('/pci/', [named], 2),
      { priority: 1, container: '/pci/low/', transform: 'mask', permissions: ['token:read'] },
    ];
    const app = await anApplication({ permissions: ['token:read'], rules });
    const of = { application_id: app.id };
    expect((await explain({ ...of, permission: 'token:read', container: '/pci/low/' })).body).toMatchObject({
      allowed: true,
      transform: 'mask',
      decided_by: { rule: 1 },
      steps: [{ rule: 1, matched: true, because: expect.stringContaining('decides') }],
    });
    expect((await explain({ ...of, permission: 'token:read', container: '/pci/' })).body).toMatchObject({
      allowed: true,
      transform: 'mask',
      decided_by: { rule: 'permissions' },
      steps: [
        { rule: 1, matched: false },
        { rule: 2, matched: false },
        { rule: 'permissions', matched: true },
      ],
    });
    const use = { permission: 'token:use', container: '/pci/high/' };
    for (const subject of [of, { permissions: ['token:read'], rules }]) {
      const through = (reactor: string) => explain({ ...subject, ...use, through: { reactors: [reactor] } });
      expect((await through(named)).body).toMatchObject({
        allowed: true,
        transform: 'reveal',
        decided_by: { rule: 2 },
      });
      expect((await through(other)).body).toMatchObject({
        allowed: false,
        transform: null,
        decided_by: { rule: 2 },
      });
      expect((await explain({ ...subject, ...use })).body).toMatchObject({
        allowed: false,
        decided_by: { rule: 2 },
      });
    }
    const manager = await anApplication({ type: 'management', permissions: ['application:read'] });
    expect((await explain({ ...of, ...use }, manager)).status).toBe(200);
    const { body: logs } = await management.get(`/logs?application_id=${manager.id}&size=20`);
    expect(logs.data.map(({ resource }: { resource?: string }) => resource)).toContain(
      `application:${app.id}`,
    );
  });

  it('does not know what depends on the id of a token', async () => {
    const conditions = [{ attribute: 'id', operator: 'equals', value: card }];
    const rules = [
      { priority: 1, conditions, transform: 'reveal', permissions: ['token:read'] },
      { priority: 2, container: '/', transform: 'mask', permissions: ['token:read'] },
    ];
    const { body } = await explain({ rules, permission: 'token:read', container: '/pci/' });
    expect(body).toMatchObject({
      allowed: 'unknown',
      transform: null,
      decided_by: { rule: null },
      steps: [{ rule: 1, matched: 'unknown' }],
    });
  });

  it('is for holders of application:read, and refuses questions without a clear meaning', async () => {
    const question = { permissions: ['token:read'], permission: 'token:read', container: '/' };
    expect((await explain(question, await aRevealingApplication())).status).toBe(403);
    expect((await explain({ ...question, application_id: randomUUID() })).status).toBe(400);
    expect((await explain({ permission: 'token:read', container: '/' })).status).toBe(400);
    const unknown = { application_id: randomUUID(), permission: 'token:read', container: '/' };
    expect((await explain(unknown)).status).toBe(404);
    const refused: [object, string][] = [
      [{ permission: 'application:read' }, 'permission'],
      [{ permission: undefined }, 'permission'],
      [{ container: 'pci' }, 'container'],
      [{ container: undefined }, 'container'],
      [{ through: { reactors: [named] } }, 'through'],
      [{ permission: 'token:use', through: {} }, 'through'],
      [{ permission: 'token:use', through: { reactors: [named, other] } }, 'through'],
      [{ permission: 'token:use', through: { reactors: [named], proxies: [other] } }, 'through'],
      [{ rules: [{ priority: 1, transform: 'mask', permissions: ['token:read'] }] }, 'rules[0].conditions'],
      [{ token: card }, 'token'],
    ];
    for (const [change, path] of refused) {
      const { status, body } = await explain({ ...question, ...change });
      expect([status, Object.keys(body.errors)]).toEqual([400, [path]]);
    }
  });
});

describe('a request that asks to see less', () => {
  const asking = (transform: string) => ({ headers: { 'SVC-TRANSFORM': transform } });
  const MASKED = { ...CARD, number: 'XXXXXXXXXXXX4242' };

  it('sees the more restrictive of that and the rule, wherever tokens are shown', async () => {
    const app = owner as HttpClient;
    const query = `id:${card}`;
    const expression = `{{ ${card} }}`;
    const read = async (transform: string) => [
      (await app.get(`/tokens/${card}`, asking(transform))).body.data,
      (await app.get(`/tokens?id=${card}`, asking(transform))).body.data[0].data,
      (await app.post('/tokens/search', { query }, asking(transform))).body.data[0].data,
      (await app.post('/detokenize', { card: expression }, asking(transform))).body.card,
    ];
    const masked = (await app.get(`/tokens/${card}`, asking('mask'))).body.data;
    expect(masked.number).toBe(MASKED.number);
    expect(await read('mask')).toEqual([masked, masked, masked, masked]);
    expect(await read('redact')).toEqual([undefined, undefined, undefined, null]);
    const redacted = await anApplication({
      rules: [{ priority: 1, container: '/', transform: 'redact', permissions: ['token:read'] }],
    });
    expect((await redacted.get(`/tokens/${card}`, asking('mask'))).body.data).toBeUndefined();
    const { body } = await management.get(`/logs?token_id=${card}&size=20`);
    const forms = body.data.flatMap(({ operation, tokens }: any) =>
      operation === 'getToken' ? tokens.map(({ form }: any) => form) : [],
    );
    expect(new Set(forms)).toEqual(new Set(['mask', 'redact']));
  });

  it('finds nothing by data that it does not want to see', async () => {
    const app = owner as HttpClient;
    const data = `secret-${randomUUID()}`;
    await app.post('/tokens', { type: 'token', data, mask: null, search_indexes: ['{{ data }}'] });
    const search = async (headers = {}) =>
      (await app.post('/tokens/search', { query: `data:"${data}"` }, { headers })).body.data.length as number;
    expect([
      await search(),
      await search({ 'SVC-TRANSFORM': 'mask' }),
      await search({ 'SVC-TRANSFORM': 'redact' }),
    ]).toEqual([1, 0, 0]);
  });

  it('goes on with a cursor only under the same header', async () => {
    const app = owner as HttpClient;
    await app.post('/tokens', { type: 'token', data: 'one more' });
    const { after } = (await app.get('/tokens?size=1', asking('mask'))).body.pagination;
    const next = `/tokens?size=1&after=${encodeURIComponent(after as string)}`;
    expect((await app.get(next, asking('mask'))).status).toBe(200);
    expect((await app.get(next)).status).toBe(400);
    expect((await app.get(next, asking('redact'))).status).toBe(400);
  });

  it('sees less of what it writes, and writes the same', async () => {
    const app = owner as HttpClient;
    const input = { type: 'card', data: CARD, metadata: { note: 'mine' }, deduplicate_token: false };
    for (const [transform, data] of [
      ['mask', MASKED],
      ['redact', undefined],
    ] as const) {
      const created = await app.post('/tokens', input, asking(transform));
      expect([created.status, created.body.data]).toEqual([201, data]);
      expect(Object.hasOwn(created.body, 'fingerprint')).toBe(transform === 'mask');
      const path = `/tokens/${created.body.id as string}`;
      // The header decides about no right: this patch needs the transform `reveal`.
      const patch = { data: { expiration_year: 2031 }, containers: ['/pci/low/'] };
      const updated = await app.patch(path, patch, asking(transform));
      expect([updated.status, updated.body.data]).toEqual([200, data && { ...data, expiration_year: 2031 }]);
      expect(Object.hasOwn(updated.body, 'fingerprint')).toBe(transform === 'mask');
      expect(updated.body).toEqual((await app.get(path, asking(transform))).body);
      const { body: whole } = await app.get(path);
      expect(whole).toMatchObject({ data: { ...CARD, expiration_year: 2031 }, containers: ['/pci/low/'] });
    }
  });

  it('sees less of a duplicate and of a replay, by the header of the request that it sends now', async () => {
    const app = owner as HttpClient;
    const number = `token-${randomUUID()}`;
    const input = { type: 'token', data: number, mask: '{{ data | last4 }}', deduplicate_token: true };
    const first = (await app.post('/tokens', input)).body;
    const again = async (headers: Record<string, string>) =>
      (await app.post('/tokens', input, { headers })).body;
    const last4 = number.slice(-4);
    const shown = ({ id, data, fingerprint, _extras }: any) => [id, data, fingerprint, _extras];
    const DUPLICATE = { deduplicated: true };
    expect(shown(await again({ 'SVC-TRANSFORM': 'mask' }))).toEqual([
      ...[first.id, last4, first.fingerprint],
      DUPLICATE,
    ]);
    expect(shown(await again({ 'SVC-TRANSFORM': 'redact' }))).toEqual([
      ...[first.id, undefined, undefined],
      DUPLICATE,
    ]);
    // A writer that may not read gets its identity, and under the header nothing to compare.
    const blind = await anApplication({ permissions: ['token:create'] });
    const identity = (headers = {}) => blind.post('/tokens', input, { headers });
    expect((await identity()).body).toHaveProperty('fingerprint', first.fingerprint);
    expect((await identity({ 'SVC-TRANSFORM': 'redact' })).body).not.toHaveProperty('fingerprint');

    const key = { 'SVC-IDEMPOTENCY-KEY': randomUUID() };
    const patched = (headers: Record<string, string>) =>
      app.patch(
        `/tokens/${first.id as string}`,
        { metadata: { a: 'b' } },
        { headers: { ...key, ...headers } },
      );
    expect((await patched({ 'SVC-TRANSFORM': 'redact' })).body.data).toBeUndefined();
    expect((await patched({})).body.data).toBe(number);
    expect((await patched({ 'SVC-TRANSFORM': 'mask' })).body.data).toBe(last4);
    const { body } = await management.get(`/logs?token_id=${first.id as string}&operation=updateToken`);
    const forms = body.data.map(({ tokens }: any) => tokens.map(({ form }: any) => form).toSorted());
    expect(forms).toEqual([['mask'], ['reveal'], ['redact', 'update']]);
  });

  it('is refused with another value, and by operations that respond with no tokens', async () => {
    const app = owner as HttpClient;
    for (const value of ['reveal', 'MASK', 'mask, redact', ' ', 'none']) {
      const { status, body } = await app.get(`/tokens/${card}`, asking(value));
      expect([status, Object.keys(body.errors)]).toEqual([400, ['SVC-TRANSFORM']]);
    }
    const others: [string, string, object?][] = [
      ['DELETE', `/tokens/${card}`],
      ['POST', '/tokenize', { a: 1 }],
      ['POST', `/reactors/${named}/react`, { args: {} }],
      ['GET', `/reactors/${named}/results/${randomUUID()}`],
      ['GET', '/permissions'],
    ];
    for (const [method, path, body] of others)
      expect([path, (await app.send(method, path, { body, ...asking('mask') })).status]).toEqual([path, 400]);
    const headers = { 'SVC-PROXY-URL': 'https://nowhere.invalid/', 'SVC-TRANSFORM': 'mask' };
    expect((await app.send('POST', '/proxy', { raw: 'x', headers })).status).toBe(400);
    expect((await management.get('/applications', asking('mask'))).status).toBe(400);
    expect((await app.get(`/tokens/${card}`)).body.data).toEqual(CARD);
  });
});
