import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleCode } from '../../bin/reactor/bundle-code.ts';
import { aRevealingApplication, anApplication, CARD, client, management } from '../support/service.ts';

/** A service names the page of an error if it has documentation. */
const withoutType = ({ type: _page, ...problem }: any): object => problem;

const manager = management;

async function aReactor(code: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await manager.post('/reactors', {
    name: `Reactor ${randomUUID()}`,
    code,
    configuration: {},
    ...more,
  });
  if (status !== 201) throw new Error(`reactor: ${String(status)} ${JSON.stringify(body)}`);
  return body.id as string;
}

const ECHO = 'module.exports = async (req) => ({ raw: req.args });';

let invoker: Awaited<ReturnType<typeof aRevealingApplication>>;
let echo: string;
beforeAll(async () => {
  invoker = await aRevealingApplication();
  echo = await aReactor(ECHO);
});

describe('a reactor', () => {
  it('runs code that was bundled with a package that the runtime does not have', async () => {
    // Below the project, so that its packages are found.
    const folder = mkdtempSync(resolve('.cache', 'bundle-'));
    const file = join(folder, 'code.js');
    const code = `const { default: distance } = require('leven');
      module.exports = ({ args }) => ({ raw: { distance: distance(args.a, args.b), uuid: require('uuid').NIL } });`;
    writeFileSync(file, code);
    const bundled = await bundleCode(file, { isLenient: false, image: 'node16' });
    rmSync(folder, { recursive: true });
    const id = await aReactor(bundled.code);
    const { body } = await invoker.post(`/reactors/${id}/react`, { args: { a: 'kitten', b: 'sitting' } });
    expect(body).toEqual({ raw: { distance: 3, uuid: '00000000-0000-0000-0000-000000000000' } });
  });

  it('is created with its application, shown without its key, and can be read', async () => {
    const application = await anApplication();
    const { status, body } = await manager.post('/reactors', {
      name: 'Charge card',
      code: ECHO,
      configuration: { url: 'https://example.com' },
      application: { id: application.id },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Charge card',
      code: ECHO,
      configuration: { url: 'https://example.com' },
      application: { id: application.id, type: 'private' },
      created_by: expect.any(String),
      created_at: expect.stringMatching(/\+00:00$/),
    });
    expect(body.application).not.toHaveProperty('key');
    expect((await manager.get(`/reactors/${body.id}`)).body).toEqual(body);
  });

  it.each([
    [{ code: undefined }, 'code'],
    [{ code: '' }, 'code'],
    [{ code: 'x'.repeat(50_001) }, 'code'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: undefined }, 'name'],
    [{ configuration: undefined }, 'configuration'],
    [{ configuration: { a: 1 } }, 'configuration.a'],
    [
      { configuration: Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`k${String(at)}`, 'v'])) },
      'configuration',
    ],
    [{ application: { id: randomUUID() } }, 'application.id'],
    [{ application: 'x' }, 'application'],
  ])('is rejected when it is %o', async (change, path) => {
    const wanted = { name: 'x', code: ECHO, configuration: {}, ...change };
    const { status, body } = await manager.post('/reactors', wanted);
    expect([status, Object.keys(body.errors)]).toEqual([400, [path]]);
  });

  it('is replaced by PUT, including code, configuration and application', async () => {
    const application = await anApplication();
    const id = await aReactor(ECHO, { application: { id: application.id } });
    const { status, body } = await manager.put(`/reactors/${id}`, {
      name: 'Another',
      code: 'module.exports = (req) => ({ raw: { who: req.configuration.who, bt: req.bt } });',
      configuration: { who: 'me' },
    });
    expect([status, body.name, body.application]).toEqual([200, 'Another', undefined]);
    expect(body.modified_at).toBeDefined();
    const { body: response } = await invoker.post(`/reactors/${id}/react`, {});
    expect(response).toEqual({ raw: { who: 'me', bt: null } });
  });

  it('a PATCH replaces or removes its application, and says so if it names neither', async () => {
    const application = await anApplication();
    const other = await anApplication();
    const id = await aReactor(ECHO, { application: { id: application.id } });
    const now = async () => (await manager.get(`/reactors/${id}`)).body.application?.id as unknown;
    for (const unclear of [{}, { name: 'x' }, 'x']) {
      const { status, body } = await manager.patch(`/reactors/${id}`, { application: unclear });
      expect([status, Object.keys(body.errors)]).toEqual([400, [expect.stringMatching(/^application/)]]);
    }
    expect(await now()).toBe(application.id);
    await manager.patch(`/reactors/${id}`, { application: { id: other.id } });
    expect(await now()).toBe(other.id);
    for (const gone of [null, { id: null }]) {
      await manager.patch(`/reactors/${id}`, { application: { id: other.id } });
      expect((await manager.patch(`/reactors/${id}`, { application: gone })).status).toBe(204);
      expect(await now()).toBeUndefined();
    }
  });

  it('is patched member by member: 204, and 415 for another media type', async () => {
    const id = await aReactor(ECHO, { configuration: { a: '1', b: '2' } });
    const patched = await manager.patch(`/reactors/${id}`, { configuration: { a: null, c: '3' } });
    expect([patched.status, patched.body]).toEqual([204, '']);
    expect((await manager.get(`/reactors/${id}`)).body.configuration).toEqual({ b: '2', c: '3' });
    const refused = await manager.patch(
      `/reactors/${id}`,
      { name: 'x' },
      { headers: { 'Content-Type': 'application/json' } },
    );
    expect(refused.status).toBe(415);
    expect((await manager.patch(`/reactors/${id}`, { code: '' })).status).toBe(400);
    expect((await manager.patch(`/reactors/${randomUUID()}`, { name: 'x' })).status).toBe(404);
  });

  it('is not stored with a syntax error: 400 with its position, and the code stays unchanged', async () => {
    const code = 'module.exports = (req) => {\n  return req.args.;\n};';
    const id = await aReactor(ECHO);
    const body = { name: 'Broken', code, configuration: {} };
    for (const { status, body: problem } of [
      await manager.post('/reactors', body),
      await manager.put(`/reactors/${id}`, body),
      await manager.patch(`/reactors/${id}`, { code }),
    ])
      expect([status, problem.errors]).toEqual([
        400,
        { code: ['has a syntax error at line 2, column 19: Unexpected token'] },
      ]);
    expect((await manager.get(`/reactors/${id}`)).body.code).toBe(ECHO);
  });

  it('is listed newest first, by ids and by a wildcard in its name', async () => {
    const tag = randomUUID().slice(0, 8);
    const ids = [];
    for (const name of [`${tag} charge one`, `${tag} Charge two`, `${tag} refund`])
      ids.push(await aReactor(ECHO, { name }));
    const names = async (query: string) =>
      ((await manager.get(`/reactors?${query}`)).body.data as { name: string }[]).map(({ name }) => name);
    expect(await names(`name=${tag}`)).toEqual([`${tag} refund`, `${tag} Charge two`, `${tag} charge one`]);
    expect(await names(`name=${tag}*charge*`)).toEqual([`${tag} Charge two`, `${tag} charge one`]);
    expect(await names(`name=${tag}+CHARGE*ONE`)).toEqual([`${tag} charge one`]);
    expect(await names(`name=${tag}&size=1&page=2`)).toEqual([`${tag} Charge two`]);
    expect(await names(`id=${ids[0] ?? ''}&id=${randomUUID()}`)).toEqual([`${tag} charge one`]);
  });

  it('is missing after its deletion', async () => {
    const id = await aReactor(ECHO);
    expect((await manager.delete(`/reactors/${id}`)).status).toBe(204);
    expect((await manager.get(`/reactors/${id}`)).status).toBe(404);
    expect((await manager.delete(`/reactors/${id}`)).status).toBe(404);
    expect((await invoker.post(`/reactors/${id}/react`, {})).status).toBe(404);
  });

  it('is created once under one idempotency key', async () => {
    const headers = { 'SVC-IDEMPOTENCY-KEY': randomUUID() };
    const wanted = { name: 'Once', code: ECHO, configuration: {} };
    const first = await manager.post('/reactors', wanted, { headers });
    const second = await manager.post('/reactors', wanted, { headers });
    expect(second.body).toEqual(first.body);
  });
});

describe('a synchronous invocation', () => {
  it('gets plain arguments, whole objects and parts of tokens', async () => {
    const { body: card } = await invoker.post('/tokens', { type: 'card', data: CARD });
    const { status, body } = await invoker.post(`/reactors/${echo}/react`, {
      args: {
        card: `{{ ${card.id as string} }}`,
        number: `{{ ${card.id as string} | json: '$.number' }}`,
        text: `Last: {{ ${card.id as string} | json: '$.number' | last4 }}`,
        plain: [1, 'two', null],
      },
    });
    expect([status, body]).toEqual([
      200,
      { raw: { card: CARD, number: CARD.number, text: 'Last: 4242', plain: [1, 'two', null] } },
    ]);
  });

  it('accepts a single token as all of its arguments', async () => {
    const { body: card } = await invoker.post('/tokens', { type: 'card', data: CARD });
    const { body } = await invoker.post(`/reactors/${echo}/react`, { args: `{{ ${card.id as string} }}` });
    expect(body).toEqual({ raw: CARD });
    const { body: text } = await invoker.post('/tokens', { type: 'token', data: 'text' });
    const refused = await invoker.post(`/reactors/${echo}/react`, { args: `{{ ${text.id as string} }}` });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['args']]);
  });

  it('returns {} when the code returns nothing', async () => {
    const id = await aReactor('module.exports = async () => {};');
    expect((await invoker.post(`/reactors/${id}/react`)).body).toEqual({});
  });

  it('tokenizes the output of the code, on behalf of the caller', async () => {
    const id = await aReactor(`module.exports = (req) => ({
      tokenize: { card: { type: 'card', data: req.args.card }, note: 'a text', nothing: null },
      raw: { done: true },
    });`);
    const { status, body } = await invoker.post(`/reactors/${id}/react`, { args: { card: CARD } });
    expect(status).toBe(200);
    expect(body.raw).toEqual({ done: true });
    expect(body.tokens).toMatchObject({
      card: { type: 'card', created_by: invoker.id },
      note: expect.any(String),
      nothing: null,
    });
    expect((await invoker.get(`/tokens/${body.tokens.note as string}`)).body.data).toBe('a text');
    const withoutCreate = await anApplication({ permissions: ['token:use'] });
    const refused = await withoutCreate.post(`/reactors/${id}/react`, { args: { card: CARD } });
    expect(refused.status).toBe(403);
    const invalid = await invoker.post(`/reactors/${id}/react`, { args: { card: { number: '1' } } });
    expect([invalid.status, Object.keys(invalid.body.errors)]).toEqual([400, ['tokenize.card.data.number']]);
  });

  it('calls the service as the application of the reactor, with a credential that ends with the invocation', async () => {
    const application = await anApplication({ permissions: ['token:create', 'token:use'] });
    const id = await aReactor(
      `module.exports = async (req) => {
        const token = await req.bt.tokens.create({ type: 'token', data: 'made by code' });
        const failures = [];
        for (const act of [() => req.bt.sessions.create(), () => req.bt.reactors.react('${echo}', {}), () => req.bt.tokens.retrieve(token.id)])
          try { await act(); failures.push(0); } catch (error) { failures.push(error.status); }
        return { raw: { token, failures, key: req.bt.apiKey || JSON.stringify(req.bt) } };
      };`,
      { application: { id: application.id } },
    );
    const { status, body } = await invoker.post(`/reactors/${id}/react`);
    expect([status, body.raw?.token?.created_by]).toEqual([200, application.id]);
    expect(body.raw.failures).toEqual([403, 403, 403]);
  });

  it('has no client when its application was deleted', async () => {
    const application = await anApplication();
    const id = await aReactor('module.exports = (req) => ({ raw: { bt: req.bt } });', {
      application: { id: application.id },
    });
    await manager.delete(`/applications/${application.id}`);
    expect((await invoker.post(`/reactors/${id}/react`)).body).toEqual({ raw: { bt: null } });
    expect((await manager.get(`/reactors/${id}`)).body).not.toHaveProperty('application');
  });

  it.each([
    ['BadRequestError', 400, 'Bad Request', 'validation_failed'],
    ['InvalidReactorConfigurationError', 400, 'Bad Request', 'validation_failed'],
    ['AuthenticationError', 401, 'Unauthorized', 'unauthenticated'],
    ['InvalidPaymentMethodError', 402, 'Payment Required', 'payment_required'],
    ['AuthorizationError', 403, 'Forbidden', 'forbidden'],
    ['RateLimitError', 429, 'Too Many Requests', 'too_many_requests'],
    ['ReactorRuntimeError', 500, 'Reactor Runtime Error', 'reactor_failed'],
    ['ServiceUnavailableError', 503, 'Service Unavailable', 'dependency_unavailable'],
  ])('returns a %s of the code as %i', async (name, status, title, code) => {
    const id = await aReactor(`const { ${name} } = require('@cloakroom/sdk');
      module.exports = async () => { throw new ${name}('Not today', { errors: { card: ['declined'] } }); };`);
    const response = await invoker.post(`/reactors/${id}/react`);
    expect([response.status, withoutType(response.body)]).toEqual([
      status,
      { title, status, code, detail: 'Not today', errors: { card: ['declined'] } },
    ]);
  });

  it('returns only class and position of any other error', async () => {
    const id = await aReactor(
      'module.exports = async (req) => {\n  throw Object.assign(new Error("card " + req.args.number), { status: 418 }); };',
    );
    const { status, body } = await invoker.post(`/reactors/${id}/react`, { args: { number: '4242' } });
    expect([status, withoutType(body)]).toEqual([
      500,
      {
        title: 'Reactor Runtime Error',
        status: 500,
        code: 'reactor_failed',
        detail: 'The code threw an Error at line 2, column 23.',
      },
    ]);
  });

  it.each([
    ['throws while it loads', 'throw new Error("x");', 'threw an Error at line 1, column 7 while it loaded.'],
    [
      'exports no function',
      'module.exports = { handler: 1 };',
      'does not export a function by module.exports.',
    ],
    [
      'requires a missing package',
      'require("left-pad"); module.exports = () => ({});',
      "requires 'left-pad', which is not among the packages of reactors: @cloakroom/sdk, ",
    ],
  ])('is 422 for code that %s', async (_title, code, detail) => {
    const id = await aReactor(code);
    const { status, body } = await invoker.post(`/reactors/${id}/react`);
    expect(status).toBe(422);
    expect(body.detail).toContain(`The code ${detail}`);
  });

  it('leaves no state for the next one', async () => {
    const id = await aReactor(`let count = 0; global.saved = (global.saved || 0) + 1;
      module.exports = () => ({ raw: { count: ++count, saved: global.saved } });`);
    for (let at = 0; at < 3; at += 1)
      expect((await invoker.post(`/reactors/${id}/react`)).body).toEqual({ raw: { count: 1, saved: 1 } });
  });

  it('is rejected for a caller without permission', async () => {
    for (const other of [
      await anApplication({ permissions: ['token:read'] }),
      await anApplication({ type: 'public', permissions: ['token:create'] }),
      management,
      client(undefined),
    ])
      expect([401, 403]).toContain((await other.post(`/reactors/${echo}/react`, {})).status);
    const { body: card } = await invoker.post('/tokens', { type: 'card', data: CARD });
    const elsewhere = await anApplication({
      rules: [{ priority: 1, container: '/bank/', transform: 'reveal', permissions: ['token:use'] }],
    });
    const refused = await elsewhere.post(`/reactors/${echo}/react`, {
      args: { card: `{{ ${card.id as string} }}` },
    });
    expect(refused.status).toBe(403);
  });

  it.each([
    [{ args: 'text' }, 'args'],
    [{ args: 5 }, 'args'],
    [{ args: { a: '{{' } }, 'args.a'],
    [{ timeout_ms: 20_000 }, 'timeout_ms'],
    [{ callback_url: 'https://example.com', timeout_ms: 9_999 }, 'timeout_ms'],
    [{ callback_url: 'https://example.com', timeout_ms: 210_001 }, 'timeout_ms'],
    [{ callback_url: 'http://example.com' }, 'callback_url'],
    [{ callback_url: 'https://127.0.0.1/x' }, 'callback_url'],
    [{ callbackUrl: 'https://user@example.com/' }, 'callback_url'],
  ])('is rejected for %o', async (body, path) => {
    const { status, body: problem } = await invoker.post(`/reactors/${echo}/react`, body);
    expect([status, Object.keys(problem.errors ?? {})]).toEqual([400, [path]]);
  });

  it('names unknown tokens, and accepts a hundred at most', async () => {
    const unknown = await invoker.post(`/reactors/${echo}/react`, { args: { a: '{{ missing }}' } });
    expect([unknown.status, unknown.body.detail]).toEqual([400, 'Failed to detokenize some tokens: missing']);
    const many = Array.from({ length: 101 }, (_, at) => `{{ token-${String(at)} }}`);
    expect((await invoker.post(`/reactors/${echo}/react`, { args: many })).status).toBe(400);
  });

  it('accepts 5 MB and no more', async () => {
    const args = { text: 'x'.repeat(4_990_000) };
    const id = await aReactor('module.exports = (req) => ({ raw: { length: req.args.text.length } });');
    expect((await invoker.post(`/reactors/${id}/react`, { args })).body).toEqual({
      raw: { length: 4_990_000 },
    });
    const larger = await invoker.post(`/reactors/${id}/react`, { args: { text: 'x'.repeat(5_000_000) } });
    expect(larger.status).toBe(413);
  });

  it('rejects a result over 5 MB', async () => {
    const id = await aReactor('module.exports = () => ({ raw: "x".repeat(5000000) });');
    const { status, body } = await invoker.post(`/reactors/${id}/react`);
    expect([status, body.detail]).toEqual([
      500,
      'The result is larger than 5 MB, or contains more than 100,000 elements and members.',
    ]);
  });

  it('runs new code as soon as the response to an update is sent', async () => {
    const id = await aReactor('module.exports = () => ({ raw: 1 });');
    for (const value of [2, 3]) {
      await manager.put(`/reactors/${id}`, {
        name: 'x',
        code: `module.exports = () => ({ raw: ${String(value)} });`,
        configuration: {},
      });
      expect((await invoker.post(`/reactors/${id}/react`)).body).toEqual({ raw: value });
    }
  });

  it('uses code and configuration of one version while both are updated', async () => {
    const version = (at: number) => ({
      name: 'x',
      code: `module.exports = (req) => ({ raw: { code: '${String(at)}', configuration: req.configuration.at } });`,
      configuration: { at: String(at) },
    });
    const { body: reactor } = await manager.post('/reactors', version(0));
    const progress = { isDone: false };
    const update = (async () => {
      for (let at = 1; at <= 3; at += 1) await manager.put(`/reactors/${reactor.id as string}`, version(at));
      progress.isDone = true;
    })();
    const seen: string[] = [];
    while (!progress.isDone) {
      const { status, body } = await invoker.post(`/reactors/${reactor.id as string}/react`);
      expect(status).toBe(200);
      expect(body.raw.code).toBe(body.raw.configuration);
      seen.push(body.raw.code as string);
    }
    await update;
    expect(seen).toEqual(seen.toSorted());
  });

  it('runs once under one idempotency key', async () => {
    const id = await aReactor('module.exports = () => ({ raw: Math.random() });');
    const headers = { 'SVC-IDEMPOTENCY-KEY': randomUUID() };
    const first = await invoker.post(`/reactors/${id}/react`, {}, { headers });
    const second = await invoker.post(`/reactors/${id}/react`, {}, { headers });
    expect(second.body).toEqual(first.body);
  });
});
