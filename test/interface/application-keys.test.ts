// Checks docs/contract.md#keys-of-an-application over HTTP.
import { setTimeout as sleep } from 'node:timers/promises';
import { target } from '../support/targets/target.ts';
import { anApplication, call, client, credentials, management, type Answer } from '../support/service.ts';

const LISTING = '/permissions';

/** Reads the error code, or the status of a success. */
const outcomeOf = ({ status, body }: Answer) => (status < 300 ? status : body.code);
const keysOf = (id: string) => `/applications/${id}/keys`;

async function aKeyOf(id: string, choice: object = {}) {
  const { status, body } = await management.post(keysOf(id), choice);
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
  return { id: body.id as string, key: body.key as string, body };
}

describe('a key of an application', () => {
  it('is shown once, with its text, and then by its last characters', async () => {
    const app = await anApplication();
    const { id, key, body } = await aKeyOf(app.id, { name: 'second', source_addresses: ['127.0.0.1'] });
    const { key: _, ...shown } = body;
    expect(shown).toEqual({
      id,
      name: 'second',
      hint: key.slice(-4),
      created_at: expect.stringMatching(/^\d{4}-/),
      created_by: expect.stringMatching(/^[\da-f-]{36}$/),
      source_addresses: ['127.0.0.1/32'],
    });
    const listed = await management.get(keysOf(app.id));
    expect(listed.body).toEqual([shown, expect.objectContaining({ hint: app.key.slice(-4) })]);
    expect((await management.get(`${keysOf(app.id)}/${id}`)).body).toEqual(shown);
    expect((await management.get(`/applications/${app.id}`)).body).not.toHaveProperty('keys');
    for (const each of [app.key, key]) expect((await call(each, 'GET', LISTING)).status).toBe(200);
    const [{ last_used_on: day }] = (await management.get(keysOf(app.id))).body;
    expect(day).toBe(new Date().toISOString().slice(0, 10));
  });

  it('is replayed under the idempotency key of its creation', async () => {
    const app = await anApplication();
    const headers = { 'SVC-IDEMPOTENCY-KEY': `keys-${app.id}` };
    const made = await management.post(keysOf(app.id), { name: 'once' }, { headers });
    const again = await management.post(keysOf(app.id), { name: 'once' }, { headers });
    expect([again.status, again.body]).toEqual([201, made.body]);
    expect((await management.get(keysOf(app.id))).body).toHaveLength(2);
  });

  it.each([
    [{ permissions: ['token:read'] }, 'permissions'],
    [{ key: 'key_private_mine' }, 'key'],
    [{ source_addresses: ['203.0.113.7/24'] }, 'source_addresses[0]'],
    [{ source_addresses: ['::ffff:203.0.113.7'] }, 'source_addresses[0]'],
    [
      { source_addresses: Array.from({ length: 21 }, (_, at) => `203.0.113.${String(at)}`) },
      'source_addresses',
    ],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ name: 'n'.repeat(201) }, 'name'],
  ])('400: is not made of %j', async (body, path) => {
    const app = await anApplication();
    const refused = await management.post(keysOf(app.id), body);
    expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([400, [path]]);
    const { id } = await aKeyOf(app.id);
    const unchanged = await management.send('PATCH', `${keysOf(app.id)}/${id}`, { body });
    expect([unchanged.status, Object.keys(unchanged.body.errors ?? {})]).toEqual([400, [path]]);
  });

  it('409: is not made beside eight others, of which an expired one counts', async () => {
    const app = await anApplication();
    const soon = new Date(target().now() + target().shortLifetimeMs).toISOString();
    const { id, key } = await aKeyOf(app.id, { expires_at: soon });
    for (let made = 2; made < 8; made += 1) await aKeyOf(app.id);
    expect(outcomeOf(await management.post(keysOf(app.id)))).toBe('conflict');
    await target().pass(target().shortLifetimeMs + 50);
    expect(outcomeOf(await call(key, 'GET', LISTING))).toBe('key_expired');
    expect(outcomeOf(await management.post(keysOf(app.id)))).toBe('conflict');
    const revived = { body: { expires_at: null } };
    expect(outcomeOf(await management.send('PATCH', `${keysOf(app.id)}/${id}`, revived))).toBe('not_found');
    expect(outcomeOf(await management.send('DELETE', `${keysOf(app.id)}/${id}`))).toBe(204);
    expect(outcomeOf(await call(key, 'GET', LISTING))).toBe('unauthenticated');
    await aKeyOf(app.id);
  });

  it('404: is not found in another application, or once it is deleted', async () => {
    const mine = await anApplication();
    const other = await anApplication();
    const { id, key } = await aKeyOf(other.id);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      for (const path of [
        `${keysOf(mine.id)}/${id}`,
        `${keysOf(other.id)}/${mine.id}`,
        `${keysOf('x')}/${id}`,
      ])
        expect([method, path, outcomeOf(await management.send(method, path))]).toEqual([
          method,
          path,
          'not_found',
        ]);
    expect((await call(key, 'GET', LISTING)).status).toBe(200);
    expect(outcomeOf(await management.send('DELETE', `${keysOf(other.id)}/${id}`))).toBe(204);
    expect(outcomeOf(await management.get(`${keysOf(other.id)}/${id}`))).toBe('not_found');
    expect(outcomeOf(await management.send('DELETE', `${keysOf(other.id)}/${id}`))).toBe('not_found');
  });

  it('may delete itself, and the last key of its application', async () => {
    const permissions = ['application:read', 'application:update'];
    const self = await anApplication({ type: 'management', permissions });
    const [{ id }] = (await self.get(keysOf(self.id))).body;
    expect(outcomeOf(await self.send('DELETE', `${keysOf(self.id)}/${id as string}`))).toBe(204);
    expect(outcomeOf(await self.get(keysOf(self.id)))).toBe('unauthenticated');
    expect((await management.get(keysOf(self.id))).body).toEqual([]);
    const { key } = await aKeyOf(self.id);
    expect(outcomeOf(await call(key, 'GET', keysOf(self.id)))).toBe(200);
  });

  it('gives its rights to no session after its deletion, and its nonces are unknown then', async () => {
    const page = await anApplication({ type: 'public', permissions: ['token:create'] });
    const app = await anApplication({ permissions: ['token:read'] });
    const second = await aKeyOf(page.id);
    const begun = (await client(second.key).post('/sessions')).body;
    const waiting = (await client(second.key).post('/sessions')).body;
    const authorize = (nonce: unknown) =>
      app.post('/sessions/authorize', { nonce, permissions: ['token:read'] });
    expect((await authorize(begun.nonce)).status).toBe(200);
    expect((await call(begun.session_key, 'GET', '/tokens/x')).status).toBe(404);
    await management.send('DELETE', `${keysOf(page.id)}/${second.id}`);
    expect(outcomeOf(await call(begun.session_key, 'GET', '/tokens/x'))).toBe('unauthenticated');
    expect(outcomeOf(await authorize(waiting.nonce))).toBe('not_found');
  });

  it('403: is accepted from its networks alone, whatever headers a caller sends', async () => {
    const app = await anApplication();
    const { id, key } = await aKeyOf(app.id, { source_addresses: ['203.0.113.0/24'] });
    for (const headers of [{}, { 'X-Forwarded-For': '203.0.113.7' }, { Forwarded: 'for=203.0.113.7' }])
      expect(outcomeOf(await call(key, 'GET', LISTING, { headers }))).toBe('address_not_allowed');
    const here = { body: { source_addresses: ['127.0.0.0/8', '::1'] } };
    expect((await management.send('PATCH', `${keysOf(app.id)}/${id}`, here)).body.source_addresses).toEqual([
      '127.0.0.0/8',
      '::1/128',
    ]);
    expect(outcomeOf(await call(key, 'GET', LISTING))).toBe(200);
  });

  it('needs no more than the rights to regenerate, and to read', async () => {
    const app = await anApplication();
    const reader = await anApplication({ type: 'management', permissions: ['application:read'] });
    const updater = await anApplication({ type: 'management', permissions: ['application:update'] });
    const [{ id }] = (await reader.get(keysOf(app.id))).body;
    const path = `${keysOf(app.id)}/${id as string}`;
    expect(outcomeOf(await reader.get(path))).toBe(200);
    expect(outcomeOf(await updater.get(path))).toBe('forbidden');
    expect(outcomeOf(await reader.post(keysOf(app.id)))).toBe('forbidden');
    expect(outcomeOf(await reader.send('PATCH', path, { body: { name: 'x' } }))).toBe('forbidden');
    expect(outcomeOf(await reader.send('DELETE', path))).toBe('forbidden');
    expect(outcomeOf(await updater.post(keysOf(app.id)))).toBe(201);
    expect(outcomeOf(await updater.send('PATCH', path, { body: { name: 'x' } }))).toBe(200);
    expect(outcomeOf(await updater.send('DELETE', path))).toBe(204);
  });
});

describe('a rotation under load', () => {
  it('fails no request on the old key until it is deleted, and accepts none after that', async () => {
    const app = await anApplication();
    const [{ id: oldId }] = (await management.get(keysOf(app.id))).body;
    let key = app.key;
    const sent: { readonly key: string; readonly status: number }[] = [];
    const underWay = new Set<string>();
    const isOver = () => sent.length >= 500;
    async function load(_: undefined, client: number) {
      while (!isOver()) {
        const used = key;
        underWay.add(`${used} ${String(client)}`);
        const { status } = await call(used, 'GET', LISTING);
        underWay.delete(`${used} ${String(client)}`);
        sent.push({ key: used, status });
      }
    }
    const clients = Promise.all(Array.from({ length: 8 }, load));
    const after = async (count: number) => {
      while (sent.length < count) await sleep(5);
    };
    await after(150);
    const next = await aKeyOf(app.id);
    await after(250);
    key = next.key;
    await after(350);
    // Requests of the old key that are under way may be late on a busy machine.
    while ([...underWay].some((each) => each.startsWith(app.key))) await sleep(5);
    await management.send('DELETE', `${keysOf(app.id)}/${oldId as string}`);
    const late = await Promise.all(Array.from({ length: 60 }, () => call(app.key, 'GET', LISTING)));
    await clients;
    expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
    expect(sent.filter((each) => each.key === app.key).length).toBeGreaterThan(150);
    expect(sent.filter((each) => each.key === next.key).length).toBeGreaterThan(50);
    expect(new Set(late.map(outcomeOf))).toEqual(new Set(['unauthenticated']));
  });

  it('is visible in the trail by the id of each key', async () => {
    const app = await anApplication();
    const { id, key } = await aKeyOf(app.id);
    await call(key, 'GET', LISTING);
    const read = await management.get(`/logs?application_id=${app.id}&size=50`);
    expect(read.body.data.map(({ credential }: { credential: string }) => credential)).toContain(`key:${id}`);
    const { body } = await client(credentials.management_key).get(
      '/logs?operation=createApplicationKey&size=100',
    );
    expect(body.data.map(({ resource }: { resource: string }) => resource)).toContain(
      `application:${app.id}`,
    );
  });
});
