import { readFileSync } from 'node:fs';
import {
  createVault,
  vaultMatchers,
  type DestinationHandler,
  type Failure,
  type Vault,
  type VaultOptions,
} from '../src/index.ts';
import { verifyWebhook, type ApiError, type Client } from '../../sdk/src/index.ts';
import { OPERATIONS } from '../src/gateway.ts';

/** Reads the members of the type. */
const OPERATION_NAMES_OF_TYPE = [
  ...(
    /type OperationName =([^;]+);/.exec(readFileSync('packages/testing/src/vault.ts', 'utf8'))?.[1] ?? ''
  ).matchAll(/'(\w+)'/g),
].map(([, name]) => name);

const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035, cvc: '123' };
const ALL = ['token:create', 'token:read', 'token:use', 'token:delete'] as const;

async function aShop(vault: Vault) {
  const rules = [{ priority: 1, container: '/', permissions: [...ALL], transform: 'reveal' as const }];
  const application = await vault.applications.create({ name: 'Shop', type: 'private', rules });
  return { application, client: vault.client({ apiKey: application.key }) };
}

afterEach(() => jest.restoreAllMocks());

describe('a vault', () => {
  it('answers its own address alone, with or without the origin', async () => {
    const vault = await createVault();
    const headers = { 'SVC-API-KEY': vault.managementKey };
    expect((await vault.fetch('/tenants/self', { headers })).status).toBe(200);
    expect((await vault.fetch(`${vault.baseUrl}/tenants/self`, { headers })).status).toBe(200);
    expect((await vault.fetch(new Request(`${vault.baseUrl}/tenants/self`, { headers }))).status).toBe(200);
    expect((await vault.fetch('/tenants/self')).status).toBe(401);
    await expect(vault.fetch('https://example.com/tokens')).rejects.toThrow(TypeError);
    await expect(vault.fetch('//example.com/tokens')).rejects.toThrow(TypeError);
    expect(await (await vault.fetch('/nothing')).json()).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('knows nothing of another vault', async () => {
    const [one, other] = [await createVault(), await createVault()];
    const { client } = await aShop(one);
    const { id } = await client.tokens.create({ type: 'token', data: 1 });
    const headers = { 'SVC-API-KEY': one.managementKey };
    expect((await other.fetch('/tenants/self', { headers })).status).toBe(401);
    expect([one.typeOf(id), other.typeOf(id)]).toEqual(['token', undefined]);
    other.destination('https://bank.example', () => new Response());
    await expect(client.proxy({ url: 'https://bank.example' })).rejects.toMatchObject({ status: 502 });
  });

  it.each([
    [{ baseUrl: 'http://vault.test' }, 'https'],
    [{ baseUrl: 'https://vault.test/path' }, 'without a path'],
    [{ now: 'yesterday' }, 'now'],
    [{ baseURL: 'https://vault.test' }, 'createVault'],
    [{ cvcLifetimeSeconds: -1 }, 'cvcLifetimeSeconds'],
    [{ egressAllowList: 'localhost' }, 'egressAllowList'],
    [{ print: 'x' }, 'print'],
  ])('refuses %o', async (options, message) => {
    await expect(createVault(options as VaultOptions)).rejects.toThrow(message);
  });

  it('has the settings of a deployment', async () => {
    const vault = await createVault({
      headerPrefix: 'BT',
      clientCompatibility: 'lenient',
      cvcLifetimeSeconds: 60,
      baseUrl: 'https://tokens.example/',
    });
    expect(vault.baseUrl).toBe('https://tokens.example');
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    expect((await client.tokens.retrieve(id)).data).toHaveProperty('cvc');
    await vault.clock.advance('61s');
    expect((await client.tokens.retrieve(id)).data).not.toHaveProperty('cvc');
  });

  it('prints what the service logs, and no value', async () => {
    const lines: string[] = [];
    const vault = await createVault({ print: (line) => lines.push(line) });
    const { client, application } = await aShop(vault);
    await client.tokens.create({ type: 'card', data: CARD });
    expect(lines.some((line) => line.includes('"operation":"createToken"'))).toBe(true);
    for (const secret of [CARD.number, application.key, vault.managementKey])
      expect(lines.join('\n')).not.toContain(secret);
  });

  it('refuses a head that the gateway refuses', async () => {
    const vault = await createVault();
    const headers = { 'SVC-API-KEY': vault.managementKey };
    expect((await vault.fetch(`/logs?token_id=${'x'.repeat(10_240)}`, { headers })).status).toBe(431);
    const long = { ...headers, 'X-Long': 'x'.repeat(10_240) };
    expect((await vault.fetch('/logs', { headers: long })).status).toBe(431);
  });

  it('lets the timers of a test go on between calls', async () => {
    const vault = await createVault();
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    for (let at = 0; at < 200; at += 1) await vault.logs.list();
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
  });
});

describe('the clock of a vault', () => {
  it('stands still, moves with each request, and begins where the test says', async () => {
    const vault = await createVault({ now: '2030-01-01T00:00:00Z' });
    const { client } = await aShop(vault);
    const tokens = [];
    for (let at = 0; at < 3; at += 1) tokens.push(await client.tokens.create({ type: 'token', data: at }));
    expect(tokens.map(({ created_at: at }) => at)).toEqual([
      '2030-01-01T00:00:00.002+00:00',
      '2030-01-01T00:00:00.003+00:00',
      '2030-01-01T00:00:00.004+00:00',
    ]);
    expect(vault.clock.now().toISOString()).toBe('2030-01-01T00:00:00.004Z');
    const { data } = await client.tokens.list();
    expect(data.map(({ id }) => id)).toEqual(tokens.map(({ id }) => id).toReversed());
  });

  it('ends tokens, keys, sessions and cvcs', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const at = (hours: number) => new Date(vault.clock.now().getTime() + hours * 3_600_000).toISOString();
    const short = await client.tokens.create({ type: 'card', data: CARD, expires_at: at(2) });
    const long = await client.tokens.create({ type: 'card', data: CARD });
    const { key } = await vault.applications.keys.create(application.id, { expires_at: at(3) });
    const other = vault.client({ apiKey: key });
    expect((await other.tokens.retrieve(short.id)).data).toMatchObject({ cvc: '123' });
    await vault.clock.advance('1h 1m');
    expect((await other.tokens.retrieve(short.id)).data).not.toHaveProperty('cvc');
    await vault.clock.advance(3_600_000);
    await expect(other.tokens.retrieve(short.id)).rejects.toMatchObject({ status: 404 });
    expect(vault.typeOf(short.id)).toBeUndefined();
    await vault.clock.advance('1h');
    await expect(other.tokens.retrieve(long.id)).rejects.toMatchObject({ code: 'key_expired' });
    expect((await client.tokens.retrieve(long.id)).id).toBe(long.id);
  });

  it('goes a year ahead in a moment, with keys of the tenant that rotate on the way', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    await vault.clock.advance('365d');
    expect((await client.tokens.retrieve(id)).data).toMatchObject({ number: CARD.number });
  });

  it('moves by the sum of what a test asks for at once', async () => {
    const vault = await createVault({ now: '2030-01-01T00:00:00Z' });
    await Promise.all([vault.clock.advance('1h'), vault.clock.advance('2h'), vault.clock.advance(1)]);
    expect(vault.clock.now().toISOString()).toBe('2030-01-01T03:00:00.001Z');
  });

  it('moves by at most a century', async () => {
    const vault = await createVault();
    expect(() => vault.clock.advance('99999d')).toThrow(RangeError);
  });

  it.each(['2 hours', '-1h', '', 'h', -1, Number.NaN])('does not move by %j', async (duration) => {
    const vault = await createVault();
    expect(() => vault.clock.advance(duration)).toThrow(TypeError);
  });
});

describe('a failing call', () => {
  it.each([
    [409, 'conflict'],
    [429, undefined],
    [500, 'internal_error'],
    [503, 'dependency_unavailable'],
  ] as const)('fails with %i (%s) as often as asked, without an effect', async (status, code) => {
    const vault = await createVault();
    const { application } = await aShop(vault);
    const client = vault.client({ apiKey: application.key, maxRetries: 0 });
    vault.fail({ operation: 'createToken', times: 2, status });
    for (let at = 0; at < 2; at += 1)
      await expect(client.tokens.create({ type: 'token', data: 1 })).rejects.toMatchObject({ status, code });
    await client.tokens.create({ type: 'token', data: 1 });
    expect((await client.tokens.list()).data).toHaveLength(1);
  });

  it('has the form of the proxy if it was one', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    for (const [status, code] of [
      [408, 'destination_timeout'],
      [502, 'destination_unreachable'],
    ] as const) {
      vault.fail({ operation: 'proxy', status });
      await expect(client.proxy({ url: 'https://bank.example' })).rejects.toMatchObject({ status, code });
    }
  });

  it.each([
    [{ operation: 'createTokens' }, 'no operation createTokens'],
    [{ operation: 'createToken', status: 418 }, 'status'],
    [{ operation: 'createToken', time: 3 }, 'vault.fail'],
    [{ operation: 'createToken', status: 502 }, 'never fails'],
    [{ operation: 'getToken', status: 409 }, 'never fails'],
    [{ operation: 'createToken', times: 0 }, 'times'],
  ])('is refused as %o', async (failure, message) => {
    const vault = await createVault();
    expect(() => vault.fail(failure as Failure)).toThrow(message);
  });
});

describe('a destination', () => {
  it('gets what the proxy fills in, and its newest handler answers the longest path', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    const bank = vault.destination('https://bank.example', async (request) =>
      Response.json({ got: await request.json(), path: new URL(request.url).pathname }, { status: 201 }),
    );
    const refunds = vault.destination('https://bank.example/refunds', () => new Response('refunded'));
    const proxied = (path: string) =>
      client.proxy({
        url: `https://bank.example${path}`,
        method: 'POST',
        headers: { Authorization: 'Bearer x' },
        body: { card: `{{ ${id} | json: '$.number' }}` },
      });
    const charged = await proxied('/charges');
    expect([charged.status, charged.json()]).toEqual([201, { got: { card: CARD.number }, path: '/charges' }]);
    expect((await proxied('/refunds/7')).text()).toBe('refunded');
    expect((await proxied('/refundsX')).status).toBe(201);
    expect([bank.requests.length, refunds.requests.length]).toEqual([2, 1]);
    expect(bank.requests[0]?.headers.get('authorization')).toBe('Bearer x');
    vault.destination('https://bank.example', () => new Response('new'));
    expect((await proxied('/charges')).text()).toBe('new');
  });

  const outcomeOf = (client: Client) =>
    client.proxy({ url: 'https://bank.example/charges?card=4242' }).then(
      ({ status }) => [status, ''],
      (error: unknown) => [(error as ApiError).code, (error as ApiError).detail],
    );
  const never = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
  });

  it.each([
    ['there is none', undefined, 'The vault has none at https://bank.example/charges.'],
    ['it throws', () => Promise.reject(new Error('not as expected')), 'failed: not as expected'],
    ['it returns nothing', () => undefined, 'returned no Response'],
    ['it returns what is no response', () => ({ status: 200 }), 'returned no Response'],
    ['it breaks the connection', () => Response.error(), 'cannot be reached.'],
    ['it sends too much', () => new Response('x'.repeat(7_000_000)), 'larger than'],
    ['it sends without an end', () => new Response(never), 'larger than'],
  ])('is unreachable if %s, and the error says why', async (_why, handler, detail) => {
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const vault = await createVault();
    const { client } = await aShop(vault);
    const bank = handler && vault.destination('https://bank.example', handler as DestinationHandler);
    const [code, reason] = await outcomeOf(client);
    expect([code, reason]).toEqual(['destination_unreachable', expect.stringContaining(detail)]);
    expect(reason).not.toContain('4242');
    const hasThrown = detail.includes('failed') || detail.includes('returned no');
    expect([bank?.errors.length ?? 0, shown.mock.calls.length]).toEqual(hasThrown ? [1, 1] : [0, 0]);
  });

  it('that is silent times out with the clock', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    vault.destination('https://bank.example', () => new Promise<Response>(() => undefined));
    const waiting = outcomeOf(client);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await vault.clock.advance('1m');
    expect((await waiting)[0]).toBe('destination_timeout');
  });

  it.each([
    'http://bank.example',
    'https://127.0.0.1',
    'https://bank.example:8443',
    'bank.example',
    'https://bank.example/?a=b',
    'https://bank.example/#a',
  ])('cannot be %s, which the service would not call', async (url) => {
    const vault = await createVault();
    expect(() => vault.destination(url, () => new Response())).toThrow(TypeError);
  });

  it('may be an origin that the deployment allows', async () => {
    const vault = await createVault({ egressAllowList: ['localhost:8443'] });
    const { client } = await aShop(vault);
    vault.destination('https://localhost:8443', () => new Response('local'));
    expect((await client.proxy({ url: 'https://localhost:8443/x' })).text()).toBe('local');
  });
});

describe('a reactor', () => {
  const reactorWith = (vault: Vault, code: string, application?: { id: string }) =>
    vault.reactors.create({
      name: 'x',
      configuration: {},
      code,
      ...(application && { application: { id: application.id } }),
    });

  it('reaches the vault as req.bt, and destinations by every client of HTTP', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    const bank = vault.destination('https://bank.example', async (request) =>
      Response.json({ method: request.method, body: await request.text() }),
    );
    const reactor = await reactorWith(
      vault,
      `const axios = require('axios'), fetch = require('node-fetch'), https = require('https');
       module.exports = async ({ args, bt }) => {
         const { data } = await bt.tokens.retrieve(args.id);
         const got = await new Promise((resolve, reject) => {
           https.get('https://bank.example/a', (response) => {
             let text = '';
             response.on('data', (chunk) => (text += chunk));
             response.on('end', () => resolve(JSON.parse(text).method));
           }).on('error', reject);
         });
         const posted = (await axios.post('https://bank.example/b', { n: data.number })).data;
         const fetched = await (await fetch('https://bank.example/c', { method: 'PUT', body: 'x' })).json();
         return { raw: { got, posted, fetched } };
       };`,
      application,
    );
    expect(await client.reactors.react(reactor.id, { args: { id } })).toEqual({
      raw: {
        got: 'GET',
        posted: { method: 'POST', body: JSON.stringify({ n: CARD.number }) },
        fetched: { method: 'PUT', body: 'x' },
      },
    });
    expect(bank.requests).toHaveLength(3);
  });

  it('that never ends is ended by the clock, and by a reset', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const endless = await reactorWith(vault, 'module.exports = () => { for (;;); };', application);
    const taken = vault.snapshot();
    const run = () =>
      client.reactors.react(endless.id, {}).catch((error: unknown) => (error as ApiError).status);
    const first = run();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await vault.clock.advance('1m');
    expect(await first).toBe(500);
    const second = run();
    await new Promise((resolve) => setTimeout(resolve, 50));
    vault.restore(taken);
    expect(await second).toBe(500);
    const third = run();
    vault.reset();
    expect(await third).toBe(500);
  });

  it('reaches nothing else', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const reactor = await reactorWith(
      vault,
      `const code = (run) => new Promise((resolve) => run(resolve)).then((error) => error.code);
       module.exports = async () => ({ raw: [
         await code((done) => require('https').get('https://nowhere.example').on('error', done)),
         await code((done) => require('net').connect(443, '127.0.0.1').on('error', done)),
         typeof fetch,
       ] });`,
    );
    expect(await client.reactors.react(reactor.id, {})).toEqual({
      raw: ['ECONNREFUSED', 'ECONNREFUSED', 'undefined'],
    });
  });

  it('delivers its result as a signed webhook, again if it was not taken', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const reactor = await reactorWith(vault, 'module.exports = ({ args }) => ({ raw: args });');
    let status = 500;
    const hooks = vault.destination('https://shop.example/hooks', () => new Response(null, { status }));
    const callback = { args: { a: 1 }, callback_url: 'https://shop.example/hooks' };
    const { id } = await client.reactors.reactAsync(reactor.id, callback);
    await vault.settled();
    expect([vault.webhooks.length, hooks.requests.length]).toEqual([1, 1]);
    status = 204;
    await vault.clock.advance('1h');
    expect(vault.webhooks.length).toBe(2);
    await vault.clock.advance('1d');
    expect(vault.webhooks.length).toBe(2);
    const [, { url, headers, body } = { url: '', headers: {}, body: '' }] = vault.webhooks;
    expect(url).toBe('https://shop.example/hooks');
    const toleranceSeconds = 10 ** 9;
    const sent = await verifyWebhook({ headers, body, secret: vault.webhookSecret, toleranceSeconds });
    expect([sent.id, sent.result]).toEqual([id, { raw: { a: 1 } }]);
  });
});

describe('the state of a vault', () => {
  it('goes back to a snapshot as often as wanted, with its time', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'token', data: 1 });
    const [taken, time] = [vault.snapshot(), vault.clock.now()];
    for (let at = 0; at < 2; at += 1) {
      await client.tokens.delete(id);
      const other = await client.tokens.create({ type: 'token', data: 2 });
      await vault.clock.advance('1d');
      vault.restore(taken);
      expect(vault.clock.now()).toEqual(time);
      expect((await client.tokens.list()).data.map((token) => token.id)).toEqual([id]);
      await expect(client.tokens.retrieve(other.id)).rejects.toMatchObject({ status: 404 });
      vault.restore(taken);
    }
  });

  it('does not change by what ran before a restore', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const [taken, time] = [vault.snapshot(), vault.clock.now()];
    const running = [
      vault.clock.advance('365d'),
      client.tokens.create({ type: 'token', data: 1 }).catch(() => undefined),
    ];
    vault.restore(taken);
    await Promise.all(running);
    expect(vault.clock.now()).toEqual(time);
    expect((await client.tokens.list()).data).toEqual([]);
  });

  it('has the destinations, failures and webhooks of the snapshot', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const bank = vault.destination('https://bank.example', () => new Response('first'));
    const call = async () => (await client.proxy({ url: 'https://bank.example' })).text();
    await call();
    vault.fail({ operation: 'listTokens', status: 500 });
    const taken = vault.snapshot();
    vault.destination('https://bank.example', () => new Response('second'));
    await expect(client.tokens.list()).rejects.toMatchObject({ status: 500 });
    expect(await call()).toBe('second');
    const later = vault.snapshot();
    for (let at = 0; at < 2; at += 1) {
      vault.restore(later);
      vault.restore(taken);
      expect(bank.requests).toHaveLength(1);
      expect(await call()).toBe('first');
      expect(bank.requests).toHaveLength(2);
      await expect(client.tokens.list()).rejects.toMatchObject({ status: 500 });
    }
  });

  it('is not that of another vault', async () => {
    const [one, other] = [await createVault(), await createVault()];
    for (const wrong of [other.snapshot(), {}, undefined])
      expect(() => one.restore(wrong as ReturnType<Vault['snapshot']>)).toThrow(TypeError);
    expect((await one.applications.list()).data).toHaveLength(1);
  });

  it('is empty after a reset, with the same key of the management application', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    await client.tokens.create({ type: 'token', data: 1 });
    vault.destination('https://bank.example', () => new Response());
    vault.fail({ operation: 'createApplication' });
    vault.reset();
    await expect(client.tokens.list()).rejects.toMatchObject({ status: 401 });
    const again = await aShop(vault);
    expect((await again.client.tokens.list()).data).toEqual([]);
    await expect(again.client.proxy({ url: 'https://bank.example' })).rejects.toMatchObject({
      status: 502,
    });
  });
});

describe('the matchers', () => {
  it('know tokens, their types, and who has seen them, and show no value that is no token', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const matchers = vaultMatchers(vault);
    const masking = await vault.applications.create({
      name: 'Masked',
      type: 'private',
      permissions: ['token:read', 'token:create'],
    });
    const masked = vault.client({ apiKey: masking.key });
    const token = await masked.tokens.create({ type: 'card', data: CARD });
    expect(matchers.toBeToken(token).pass).toBe(true);
    expect(matchers.toBeToken(token.id, 'card').pass).toBe(true);
    expect(matchers.toBeToken(token.id, 'bank').message()).toContain('its type is card');
    for (const value of [CARD.number, 7, null, { id: 7 }, {}]) {
      const { pass, message } = matchers.toBeToken(value);
      expect([pass, message()]).toEqual([false, expect.not.stringContaining(CARD.number)]);
    }
    expect((await matchers.toHaveBeenRevealedTo(token, application)).pass).toBe(false);
    await client.tokens.retrieve(token.id);
    expect((await matchers.toHaveBeenRevealedTo(token, application)).pass).toBe(true);
    expect((await matchers.toHaveBeenRevealedTo(token.id, masking.id)).pass).toBe(false);
    for (const wrong of [application.key, 'x', {}, undefined, token.id])
      await expect(matchers.toHaveBeenRevealedTo(token, wrong as string)).rejects.toThrow('no application');
    await expect(matchers.toHaveBeenRevealedTo('x', application)).rejects.toThrow('no token');
    await client.tokens.delete(token.id);
    expect(matchers.toBeToken(token.id).pass).toBe(false);
  });
});

it('the names of operations that can fail are those of the service', () => {
  expect(new Set(OPERATION_NAMES_OF_TYPE)).toEqual(new Set(OPERATIONS));
});
