import { withoutRandom } from '../../packages/test-kit/src/without-random.ts';
import {
  ALL_TOKEN_PERMISSIONS,
  anApplication,
  call,
  CARD,
  client,
  credentials,
  management,
} from '../support/service.ts';

describe('every request', () => {
  it('gets a JSON response with a trace id, which is the caller’s own if valid', async () => {
    const mine = await management.get('/applications/key', { headers: { 'SVC-TRACE-ID': 'my-trace.1' } });
    expect(mine.headers.get('svc-trace-id')).toBe('my-trace.1');
    expect(mine.headers.get('content-type')).toBe('application/json');
    for (const bad of ['x'.repeat(201), 'two words']) {
      const other = await management.get('/applications/key', { headers: { 'SVC-TRACE-ID': bad } });
      expect(other.headers.get('svc-trace-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('returns 401 without a key, with an unknown key and with a malformed key', async () => {
    const unknown = `${credentials.management_key.slice(0, -1)}${credentials.management_key.endsWith('1') ? '2' : '1'}`;
    for (const key of [undefined, '', 'x', unknown, 'key_private_1', 'x'.repeat(5_000)]) {
      const { status, body } = await call(key, 'GET', '/applications/key');
      expect(status).toBe(401);
      expect(body).toMatchObject({ title: 'Unauthorized', status: 401 });
    }
  });

  it('returns 404 for an unknown path, and 405 with Allow for a known one', async () => {
    expect((await management.get('/nothing')).body).toMatchObject({ title: 'Not Found', status: 404 });
    expect((await management.get('/')).status).toBe(404);
    expect((await management.get('/tokens/a/b/c')).status).toBe(404);
    const { status, headers, body } = await management.put('/tokens/some-id', {});
    expect([status, headers.get('allow')?.split(', ').includes('GET')]).toEqual([405, true]);
    expect(body).toMatchObject({ title: 'Method Not Allowed', status: 405 });
  });

  it('ignores one trailing slash, and only one', async () => {
    const app = await anApplication();
    const created = await app.post('/tokens/', { type: 'token', data: 'x' });
    expect(created.status).toBe(201);
    expect((await app.get(`/tokens/${created.body.id}/`)).status).toBe(200);
    expect((await app.get(`/tokens/${created.body.id}//`)).status).toBe(404);
  });

  it('allows OPTIONS preflights from any origin', async () => {
    const headers = {
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'svc-api-key,content-type',
    };
    const preflight = await call(undefined, 'OPTIONS', '/tokens', { headers });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('*,authorization');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each([
    ['a success', 200, 'GET', '/applications/key'],
    ['an unknown path', 404, 'GET', '/nothing'],
    ['another method', 405, 'PUT', '/tokens/some-id'],
    ['OPTIONS that is no preflight', 204, 'OPTIONS', '/tokens'],
    ['a body that is too large', 413, 'POST', '/tokens'],
  ])('lets pages of any origin read the response to %s', async (_name, expected, method, path) => {
    const { status, headers } = await call(credentials.management_key, method, path, {
      headers: { Origin: 'https://shop.example', 'Content-Type': 'application/json' },
      ...(expected === 413 && { raw: `"${'x'.repeat(10 * 1024 * 1024)}"` }),
    });
    expect(status).toBe(expected);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe('*');
  });
});

describe('a body', () => {
  const post = (raw: string, type = 'application/json') =>
    anApplication().then((app) => app.post('/tokens', undefined, { raw, headers: { 'Content-Type': type } }));

  it.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json', 'text/json'])(
    'is read as JSON when it is %s',
    async (type) => {
      expect((await post('{"type":"token","data":1}', type)).status).toBe(201);
    },
  );

  it('400: is not JSON, and the response does not repeat it', async () => {
    const { status, body } = await post('{"type":"card","data":{"number":"4242424242424242"');
    expect([status, body.title]).toEqual([400, 'Bad Request']);
    expect(withoutRandom(body)).not.toContain('4242');
    expect((await post('not json')).status).toBe(400);
    expect((await post('[]')).status).toBe(400);
    expect((await post('{"type":"token","data":1}', 'text/plain')).status).toBe(400);
  });

  it('400: nests deeper than 64 levels; 64 levels in all are accepted', async () => {
    const nested = (levels: number) =>
      `{"type":"token","data":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await post(nested(65))).status).toBe(400);
    expect((await post(nested(64))).status).toBe(201);
  });

  it('400: contains a number that cannot be stored exactly', async () => {
    const app = await anApplication({
      rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:create'] }],
    });
    for (const number of ['9007199254740993', '1e400', '0.1234567890123456789']) {
      const { status, body } = await app.post('/tokens', undefined, {
        raw: `{"type":"token","data":${number}}`,
        headers: { 'Content-Type': 'application/json' },
      });
      expect([number, status]).toEqual([number, 400]);
      expect(body.errors.data).toEqual(['is a number that cannot be stored exactly; send it as a string']);
    }
    for (const number of ['9007199254740992', '-0.1', '1.50', '1e3', '1E-7', '123456789012345680000']) {
      const { status, body } = await app.post('/tokens', undefined, {
        raw: `{"type":"token","data":${number}}`,
        headers: { 'Content-Type': 'application/json' },
      });
      expect([number, status, body.data]).toEqual([number, 201, Number(number)]);
    }
  });

  it('413: is larger than 6 MB', async () => {
    expect((await post(`{"type":"token","data":"${'x'.repeat(6_000_001)}"}`)).status).toBe(413);
  });

  it('413: contains data of a token larger than 3.5 MB', async () => {
    const { status, body } = await post(`{"type":"token","data":"${'x'.repeat(3_500_000)}"}`);
    expect([status, body.title]).toEqual([413, 'Payload Too Large']);
  });
});

describe('an idempotency key', () => {
  it('replays the first success, and runs nothing twice', async () => {
    const app = await anApplication();
    const headers = { 'SVC-IDEMPOTENCY-KEY': 'order-1' };
    const first = await app.post('/tokens', { type: 'token', data: 'a' }, { headers });
    const second = await app.post('/tokens', { data: 'a', type: 'token' }, { headers });
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    const other = await app.post('/tokens', { type: 'token', data: 'b' }, { headers });
    expect([other.status, other.body.title]).toEqual([422, 'Unprocessable Content']);
    // Compared before anything is validated.
    expect((await app.post('/tokens', { type: 'nothing' }, { headers })).status).toBe(422);
    const another = await anApplication();
    expect((await another.post('/tokens', { type: 'token', data: 'a' }, { headers })).body.id).not.toBe(
      first.body.id,
    );
  });

  it('replays the key of a created application', async () => {
    const headers = { 'SVC-IDEMPOTENCY-KEY': `application-${String(Date.now())}` };
    const wanted = { name: 'once', type: 'private', permissions: ['token:read'] };
    const first = await management.post('/applications', wanted, { headers });
    const second = await management.post('/applications', wanted, { headers });
    expect(second.body).toEqual(first.body);
    expect((await client(first.body.key).get('/tokens/nothing')).status).toBe(404);
  });

  it('does not store failures', async () => {
    const app = await anApplication();
    const headers = { 'SVC-IDEMPOTENCY-KEY': 'fails-first' };
    expect((await app.post('/tokens', { type: 'nothing', data: 1 }, { headers })).status).toBe(400);
    expect((await app.post('/tokens', { type: 'token', data: 1 }, { headers })).status).toBe(201);
  });

  it('400: is empty or longer than 400 characters', async () => {
    const app = await anApplication();
    for (const key of ['', 'x'.repeat(401)]) {
      expect(
        (await app.post('/tokens', { type: 'token', data: 1 }, { headers: { 'SVC-IDEMPOTENCY-KEY': key } }))
          .status,
      ).toBe(400);
    }
  });

  it('concurrent requests under one key get 409 or the replay, and create one token', async () => {
    const app = await anApplication();
    const headers = { 'SVC-IDEMPOTENCY-KEY': 'at-once' };
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => app.post('/tokens', { type: 'token', data: 1 }, { headers })),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
  });

  it('replays the current token as the caller may read it now, and returns 404 once it is deleted', async () => {
    const revealing = [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] },
      { priority: 2, container: '/', transform: 'reveal', permissions: ['token:update', 'token:delete'] },
    ];
    const { body: application } = await management.post('/applications', {
      name: 'replays',
      type: 'private',
      rules: revealing,
    });
    const app = client(application.key);
    const headers = { 'SVC-IDEMPOTENCY-KEY': 'replayed' };
    const create = () => app.post('/tokens', { type: 'token', data: 'first' }, { headers });
    const { body } = await create();
    await app.patch(`/tokens/${body.id}`, { data: 'second' });
    expect((await create()).body).toMatchObject({ id: body.id, data: 'second' });

    const rules = [
      { priority: 1, container: '/', transform: 'redact', permissions: ['token:create'] },
      { priority: 2, container: '/', transform: 'reveal', permissions: ['token:delete'] },
    ];
    await management.put(`/applications/${application.id}`, { name: 'replays', rules });
    const { id, tenant_id, type, containers } = body;
    const now = await create();
    expect(now.status).toBe(201);
    expect(now.body).toEqual({ id, tenant_id, type, containers, fingerprint: expect.any(String) });

    await management.put(`/applications/${application.id}`, { name: 'replays', rules: rules.slice(1) });
    expect((await create()).status).toBe(403);
    await management.put(`/applications/${application.id}`, { name: 'replays', rules });
    expect((await app.delete(`/tokens/${body.id}`)).status).toBe(204);
    expect((await create()).status).toBe(404);
  });

  it('never stores a cvc', async () => {
    const app = await anApplication({
      rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ALL_TOKEN_PERMISSIONS }],
    });
    const headers = { 'SVC-IDEMPOTENCY-KEY': 'card' };
    const create = () => app.post('/tokens', { type: 'card', data: { ...CARD, cvc: '737' } }, { headers });
    const first = await create();
    expect(first.body.data.cvc).toBe('737');
    const second = await create();
    // Read now, while the cvc exists: the record stores only the id of the token.
    expect(second.body).toEqual(first.body);
    await app.patch(`/tokens/${first.body.id}`, { data: { cvc: null } });
    expect((await create()).body.data).toEqual(CARD);
  });
});
