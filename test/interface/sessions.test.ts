import { randomUUID } from 'node:crypto';
import {
  ALL_TOKEN_PERMISSIONS,
  anApplication,
  aRevealingApplication,
  CARD,
  client,
  management,
} from '../support/service.ts';
import { target } from '../support/targets/target.ts';

const aPublicApplication = () => anApplication({ type: 'public', permissions: ['token:create'] });

async function aSession() {
  const { status, body } = await (await aPublicApplication()).post('/sessions');
  if (status !== 201) throw new Error(`session: ${String(status)}`);
  return {
    nonce: body.nonce as string,
    key: body.session_key as string,
    expires_at: body.expires_at as string,
    ...client(body.session_key),
  };
}

const reading = (conditions: unknown[]) => ({
  priority: 1,
  transform: 'reveal',
  permissions: ['token:read'],
  conditions,
});

describe('a session', () => {
  it('is another one for each request, whatever the idempotency key', async () => {
    const app = await aPublicApplication();
    const make = () => app.post('/sessions', undefined, { headers: { 'SVC-IDEMPOTENCY-KEY': 'order-77' } });
    const first = await make();
    const second = await make();
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.session_key).not.toBe(first.body.session_key);
    expect(second.body.nonce).not.toBe(first.body.nonce);
  });

  it('begins with three minutes and no access', async () => {
    const session = await aSession();
    expect(session.key).toMatch(/^key_session_/);
    expect(Math.abs(Date.parse(session.expires_at) - target().now() - 180_000)).toBeLessThan(10_000);
    for (const path of ['/tokens', '/tokens/nothing', '/permissions', '/applications/key'])
      expect((await session.get(path)).status).toBe(403);
  });

  it('has a record of each request before it is authorized, in the trail of its tenant', async () => {
    const { body: page } = await management.post('/applications', {
      name: 'page',
      type: 'public',
      permissions: ['token:create'],
    });
    const { body } = await client(page.key).post('/sessions');
    const session = client(body.session_key);
    for (const path of ['/tokens', `/tokens/${randomUUID()}`, '/permissions'])
      expect((await session.get(path)).status).toBe(403);
    const { data } = (await management.get(`/logs?application_id=${page.id as string}`)).body as {
      data: { operation: string; credential: string; outcome: string; status?: number }[];
    };
    const refused = data.filter(({ status }) => status === 403);
    expect(refused.map(({ operation, outcome }) => [operation, outcome]).toSorted()).toEqual([
      ['getToken', 'refused'],
      ['listPermissions', 'refused'],
      ['listTokens', 'refused'],
    ]);
    expect(new Set(refused.map(({ credential }) => credential)).size).toBe(1);
    expect(refused[0]?.credential).toMatch(/^session:[0-9a-f-]{36}$/);
  });

  it('gets access once, from a private application, to the tokens that its conditions name', async () => {
    const session = await aSession();
    const app = await aRevealingApplication();
    const mine = (await app.post('/tokens', { type: 'card', data: CARD })).body.id as string;
    const other = (await app.post('/tokens', { type: 'card', data: CARD })).body.id as string;
    const rules = [reading([{ attribute: 'id', operator: 'equals', value: mine }])];
    const authorized = await app.post('/sessions/authorize', { nonce: session.nonce, rules });
    expect([authorized.status, authorized.body]).toEqual([200, '']);
    expect((await session.get(`/tokens/${mine}`)).body.data).toEqual(CARD);
    expect((await session.get(`/tokens/${other}`)).status).toBe(403);
    expect((await session.delete(`/tokens/${mine}`)).status).toBe(403);
    expect((await app.post('/sessions/authorize', { nonce: session.nonce, rules })).status).toBe(409);
    expect((await session.get('/permissions')).status).toBe(200);
  });

  it('applies all conditions of a rule, on ids and containers', async () => {
    const app = await aRevealingApplication();
    const id = `sess-${String(Date.now())}`;
    await app.post('/tokens', { type: 'token', data: 1, id: `${id}-a`, containers: ['/Shop/eu/'] });
    await app.post('/tokens', { type: 'token', data: 2, id: `${id}-b`, containers: ['/shop/us/'] });
    await app.post('/tokens', { type: 'token', data: 3, id: `other-${id}`, containers: ['/shop/eu/'] });
    const session = await aSession();
    const conditions = [
      { attribute: 'id', operator: 'starts_with', value: id },
      { attribute: 'container', operator: 'starts_with', value: '/SHOP/eu/' },
    ];
    expect(
      (await app.post('/sessions/authorize', { nonce: session.nonce, rules: [reading(conditions)] })).status,
    ).toBe(200);
    const statuses = await Promise.all(
      [`${id}-a`, `${id}-b`, `other-${id}`].map(
        async (each) => (await session.get(`/tokens/${each}`)).status,
      ),
    );
    expect(statuses).toEqual([200, 403, 403]);
    expect((await session.get(`/tokens?id=${id}-a&id=${id}-b`)).body.pagination.total_items).toBe(1);
  });

  it('accepts one of several concurrent uses of a nonce', async () => {
    const session = await aSession();
    const app = await aRevealingApplication();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () =>
        app.post('/sessions/authorize', { nonce: session.nonce, permissions: ['token:read'] }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 409),
    ]);
  });

  it('403: gets no more access than the application has, and the nonce stays unused', async () => {
    const session = await aSession();
    const rules = [
      { priority: 1, container: '/a/secret/', transform: 'redact', permissions: ['token:read'] },
      { priority: 2, container: '/a/', transform: 'mask', permissions: ['token:read', 'token:use'] },
    ];
    const app = await anApplication({ rules });
    const grant = (input: Record<string, unknown>) =>
      app.post('/sessions/authorize', { nonce: session.nonce, ...input });
    const rule = (more: Record<string, unknown>) => ({
      rules: [{ priority: 1, transform: 'mask', permissions: ['token:read'], ...more }],
    });
    for (const beyond of [
      { permissions: ['token:read'] },
      { permissions: ['token:use'] },
      rule({ container: '/' }),
      rule({ container: '/a/' }),
      rule({ container: '/a/x/', transform: 'reveal' }),
      rule({ container: '/a/x/', permissions: ['token:delete'] }),
      rule({ conditions: [{ attribute: 'id', operator: 'equals', value: 'x' }] }),
      rule({ conditions: [{ attribute: 'container', operator: 'starts_with', value: '/a' }] }),
      rule({ conditions: [{ attribute: 'container', operator: 'equals', value: '/a/secret/' }] }),
    ]) {
      expect([beyond, (await grant(beyond)).status]).toEqual([beyond, 403]);
    }
    expect((await grant(rule({ container: '/a/x/' }))).status).toBe(200);
  });

  it('has up to 20 conditions in a rule, 500 in all and 300,000 bytes', async () => {
    const app = await aRevealingApplication();
    const grant = async (conditions: readonly number[], value: string) => {
      const { nonce } = await aSession();
      const rules = conditions.map((count, at) => ({
        ...reading(
          Array.from({ length: count }, () => ({ attribute: 'id', operator: 'starts_with', value })),
        ),
        priority: at + 1,
      }));
      const { status, body } = await app.post('/sessions/authorize', { nonce, rules });
      return [status, ...Object.keys(body.errors ?? {})];
    };
    const full = Array.from({ length: 25 }, () => 20);
    expect(await grant(full, 'x'.repeat(500))).toEqual([200]);
    expect(await grant([21], 'x')).toEqual([400, 'rules[0].conditions']);
    expect(await grant([...full, 1], 'x')).toEqual([400, 'rules']);
    expect(await grant(full, 'ä'.repeat(500))).toEqual([413]);
  });

  it('returns 400 for an invalid authorization, 404 for an unknown nonce, 403 for the wrong kind of application', async () => {
    const session = await aSession();
    const app = await aRevealingApplication();
    const grant = (input: Record<string, unknown>) =>
      app.post('/sessions/authorize', { nonce: session.nonce, permissions: ['token:read'], ...input });
    const both = { ...reading([{ attribute: 'id', operator: 'equals', value: 'x' }]), container: '/' };
    for (const [input, path] of [
      [{ permissions: [] }, 'permissions'],
      [{ permissions: ['nothing'] }, 'permissions[0]'],
      [{ nonce: undefined }, 'nonce'],
      [{ rules: [both] }, 'rules[0].conditions'],
      [{ rules: [reading([])] }, 'rules[0].conditions'],
      [
        { rules: [reading([{ attribute: 'type', operator: 'equals', value: 'x' }])] },
        'rules[0].conditions[0].attribute',
      ],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [{ expires_at: '2099-01-01T00:00:00Z' }, 'expires_at'],
    ] as const) {
      const { status, body } = await grant(input);
      expect([input, status, Object.keys(body.errors ?? {})]).toEqual([input, 400, [path]]);
    }
    expect((await grant({ nonce: 'unknown' })).status).toBe(404);
    expect(
      (
        await (
          await aPublicApplication()
        ).post('/sessions/authorize', { nonce: session.nonce, permissions: ['token:create'] })
      ).status,
    ).toBe(403);
    expect(
      (await management.post('/sessions/authorize', { nonce: session.nonce, permissions: ['token:read'] }))
        .status,
    ).toBe(403);
    expect((await app.post('/sessions')).status).toBe(403);
    expect((await grant({})).status).toBe(200);
  });

  it('ends at its expiry', async () => {
    const session = await aSession();
    const app = await aRevealingApplication();
    await app.post('/sessions/authorize', {
      nonce: session.nonce,
      permissions: ['token:read'],
      expires_at: new Date(target().now() + target().shortLifetimeMs).toISOString(),
    });
    expect((await session.get('/tokens/nothing')).status).toBe(404);
    await target().pass(target().shortLifetimeMs + 50);
    expect((await session.get('/tokens/nothing')).status).toBe(401);
  });

  it('is narrowed with the application that authorized it', async () => {
    const session = await aSession();
    const app = await anApplication({ permissions: ['token:read', 'token:create'] });
    await app.post('/sessions/authorize', {
      nonce: session.nonce,
      permissions: ['token:read', 'token:create'],
    });
    expect((await session.post('/tokens', { type: 'token', data: 1 })).status).toBe(201);
    await management.put(`/applications/${app.id}`, { name: 'narrowed', permissions: ['token:read'] });
    expect((await session.post('/tokens', { type: 'token', data: 1 })).status).toBe(403);
    expect((await session.get('/tokens/nothing')).status).toBe(404);
  });

  it('ends with the key that authorized it, and with the one that made it', async () => {
    const asking = await aPublicApplication();
    const open = async () => {
      const { body } = await asking.post('/sessions');
      const app = await anApplication({ permissions: ALL_TOKEN_PERMISSIONS });
      const expires_at = new Date(target().now() + 23 * 3_600_000).toISOString();
      await app.post('/sessions/authorize', { nonce: body.nonce, permissions: ['token:read'], expires_at });
      return { app, session: client(body.session_key) };
    };
    const first = await open();
    const second = await open();
    const { body: waiting } = await asking.post('/sessions');
    expect((await first.session.get('/tokens/nothing')).status).toBe(404);
    await management.post(`/applications/${first.app.id}/regenerate`);
    expect((await first.session.get('/tokens/nothing')).status).toBe(401);
    expect((await second.session.get('/tokens/nothing')).status).toBe(404);
    await management.post(`/applications/${asking.id}/regenerate`);
    expect((await second.session.get('/tokens/nothing')).status).toBe(401);
    expect((await client(waiting.session_key).get('/tokens/nothing')).status).toBe(401);
    const late = { nonce: waiting.nonce as string, permissions: ['token:read'] };
    expect((await second.app.post('/sessions/authorize', late)).status).toBe(404);
  });

  it('ends with the application that authorized it, and with the one that created it', async () => {
    const asking = await aPublicApplication();
    const open = async () => {
      const { body } = await asking.post('/sessions');
      const app = await anApplication({ permissions: ALL_TOKEN_PERMISSIONS });
      await app.post('/sessions/authorize', { nonce: body.nonce, permissions: ['token:read'] });
      return { app, session: client(body.session_key) };
    };
    const first = await open();
    const second = await open();
    expect((await first.session.get('/tokens/nothing')).status).toBe(404);
    await management.delete(`/applications/${first.app.id}`);
    expect((await first.session.get('/tokens/nothing')).status).toBe(401);
    expect((await second.session.get('/tokens/nothing')).status).toBe(404);
    await management.delete(`/applications/${asking.id}`);
    expect((await second.session.get('/tokens/nothing')).status).toBe(401);
  });
});
