import { aPackageBundle } from '../support/builders/a-package-bundle.ts';
import { randomUUID } from 'node:crypto';
import { plantParkedDelivery } from '../support/parked-delivery.ts';
import {
  CARD,
  client,
  credentials,
  management,
  type HttpClient,
  operator,
  revealing,
} from '../support/service.ts';
import { IS_THOROUGH, randomOfFile } from '../../packages/test-kit/src/thoroughness.ts';

const random = randomOfFile();

async function aTenant(): Promise<{
  id: string;
  manager: HttpClient;
  app: HttpClient;
  webhookSecret: string;
}> {
  const created = await operator({ command: 'create-tenant', name: `Tenant ${randomUUID()}` });
  const manager = client(created['management_key']);
  const { body } = await manager.post('/applications', {
    name: 'app',
    type: 'private',
    rules: [revealing()],
  });
  return {
    id: created['tenant_id'] ?? '',
    manager,
    app: client(body.key),
    webhookSecret: created['webhook_secret'] ?? '',
  };
}

/** Repeats a command of several steps as the command line does. */
async function steps(command: Record<string, string>, isDone: (response: Record<string, any>) => boolean) {
  const responses: Record<string, any>[] = [];
  for (;;) {
    const response: Record<string, any> = await operator(command);
    if ('errorMessage' in response) throw new Error(JSON.stringify(response));
    responses.push(response);
    if (isDone(response)) return responses;
  }
}

const reencrypt = (tenant: string) =>
  steps({ command: 'reencrypt', tenant_id: tenant }, ({ done }) => done === true);
const sum = (responses: readonly Record<string, any>[], member: string) =>
  responses.reduce((total, response) => total + (response[member] as number), 0);

describe('rotation and reencryption under load', () => {
  it('lose nothing and fail nothing', async () => {
    const { id, app, manager } = await aTenant();
    const large = 'x'.repeat(500_000);
    const { dependencies, base64: bundle } = await aPackageBundle({ lodash: 'module.exports = 1;' });
    const first = await app.post('/tokens', { type: 'token', data: large, metadata: { a: 'b' } });
    const reactor = await manager.post('/reactors', {
      name: 'x',
      code: 'module.exports = (req) => ({ raw: req.configuration });',
      configuration: { saved: 'yes' },
      runtime: { dependencies, bundle },
    });
    const known = new Map<string, unknown>([[first.body.id, large]]);
    for (let at = 0; at < (IS_THOROUGH ? 230 : 50); at += 50) {
      const values = Array.from({ length: 50 }, (_, index) => `value ${String(at + index)}`);
      const { body } = await app.post('/tokenize', values);
      (body as string[]).forEach((token, index) => known.set(token, values[index]));
    }
    const failures: unknown[] = [];
    const load = { goesOn: true };
    const requests = { made: 0 };
    const worker = async () => {
      const ids = [...known.keys()];
      while (load.goesOn) {
        const at = Math.floor(random() * ids.length);
        const tokenId = ids[at] ?? '';
        const read = await app.get(`/tokens/${tokenId}`);
        if (read.status !== 200 || read.body.data !== known.get(tokenId)) failures.push(read.body);
        const made = await app.post('/tokens', { type: 'card', data: CARD });
        if (made.status !== 201) failures.push(made.body);
        const changed = await app.patch(`/tokens/${made.body.id as string}`, { metadata: { n: '1' } });
        if (changed.status !== 200) failures.push(changed.body);
        requests.made += 3;
      }
    };
    const running = [worker(), worker()];
    const { key_version: version } = (await operator({
      command: 'rotate-keys',
      tenant_id: id,
    })) as unknown as { key_version: number };
    const walked = await reencrypt(id);
    load.goesOn = false;
    await Promise.all(running);
    expect(failures).toEqual([]);
    expect(version).toBe(2);
    expect(requests.made).toBeGreaterThan(20);
    // Everything that was stored before was encrypted again: tokens and the reactor.
    expect(sum(walked, 'reencrypted')).toBeGreaterThanOrEqual(known.size + 1);
    for (const [tokenId, data] of known) expect((await app.get(`/tokens/${tokenId}`)).body.data).toBe(data);
    const ran = await app.post(`/reactors/${reactor.body.id as string}/react`, {});
    expect(ran.body).toEqual({ raw: { saved: 'yes' } });
    console.log(
      `rotation under load: ${String(requests.made)} requests, ${String(failures.length)} failed, ${String(sum(walked, 'reencrypted'))} records reencrypted in ${String(walked.length)} steps`,
    );
  });
});

describe('the replacement of a root', () => {
  it('begins with a mandatory wait, and the tenant works meanwhile', async () => {
    const { id, app } = await aTenant();
    const made = await app.post('/tokens', { type: 'token', data: 'x', metadata: { a: 'b' } });
    expect(await operator({ command: 'replace-root', tenant_id: id })).toHaveProperty('errorMessage');
    const begun: object = await operator({ command: 'replace-root', tenant_id: id, start: true });
    expect(begun).toEqual({ tenant_id: id, state: 'waiting', next_step: expect.any(String) });
    expect(
      Math.abs(Date.parse((begun as { next_step: string }).next_step) - Date.now() - 360_000),
    ).toBeLessThan(30_000);
    expect(await operator({ command: 'replace-root', tenant_id: id })).toEqual(begun);
    expect(await operator({ command: 'rotate-keys', tenant_id: id })).toHaveProperty('errorMessage');
    expect((await app.get(`/tokens/${made.body.id as string}`)).body.data).toBe('x');
    const found = await app.post('/tokens/search', { query: 'metadata.a:"b"' });
    expect(found.body.data).toMatchObject([{ id: made.body.id }]);
    expect(sum(await reencrypt(id), 'left')).toBe(0);
  });
});

describe('the deployment key', () => {
  const listed = async () => {
    const { tenants } = (await operator({ command: 'list-tenants' })) as unknown as {
      tenants: { tenant_id: string; wrapped_by: string }[];
    };
    return new Map(tenants.map(({ tenant_id: id, wrapped_by: by }) => [id, by]));
  };
  const rewrap = (flags: Record<string, string> = {}) =>
    steps({ command: 'rewrap-roots', ...flags }, ({ done }) => done === true);

  it('wraps new tenants, is replaced, and lets a tenant move to KMS and back, while all are served', async () => {
    const one = await aTenant();
    const two = await aTenant();
    const direct = await operator({ command: 'create-tenant', name: 'x', wrapped_by: 'kms' });
    const made = await one.app.post('/tokens', { type: 'token', data: 'x' });
    const isRead = async () => (await one.app.get(`/tokens/${made.body.id as string}`)).body.data === 'x';
    const before = await listed();
    expect(before.get(direct['tenant_id'] ?? '')).toBe('kms');
    expect(before.get(one.id)).toBe(before.get(two.id));

    const { deployment_key: key } = await operator({ command: 'rotate-deployment-key' });
    expect((await listed()).get(one.id)).toBe(before.get(one.id));
    expect(await rewrap()).toContainEqual({ rewrapped: expect.any(Number), unreadable: null, done: false });
    const after = await listed();
    expect([after.get(one.id), after.get(two.id)]).toEqual([key, key]);
    expect(after.get(direct['tenant_id'] ?? '')).toBe('kms');
    expect(await isRead()).toBe(true);

    await rewrap({ tenant_id: one.id, wrapped_by: 'kms' });
    expect([(await listed()).get(one.id), (await listed()).get(two.id)]).toEqual(['kms', key]);
    expect(await isRead()).toBe(true);
    await rewrap({ tenant_id: one.id, wrapped_by: 'deployment' });
    expect((await listed()).get(one.id)).toBe(key);
    expect(await isRead()).toBe(true);
    expect(await operator({ command: 'check-tenant', tenant_id: one.id })).toMatchObject({ opens: true });
  });
});

const CODE = 'module.exports = () => ({});';
/** Resources of each kind that has external ids, made by functions with rights of their own. */
const NAMED = [
  ['/applications', { name: 'x', type: 'private', permissions: ['token:create'] }],
  ['/proxies', { name: 'x', destination_url: 'https://api.example.com' }],
  ['/reactors', { name: 'x', code: CODE, configuration: {} }],
] as const;

describe('the destruction of a tenant', () => {
  it('requires its id twice, and leaves nothing of it', async () => {
    const { id, app, manager } = await aTenant();
    for (const [path, body] of NAMED) {
      const made = await manager.post(path, { ...body, external_id: 'a' });
      const one = `${path}/${made.body.id as string}`;
      const { type: _, ...rest } = { type: '', ...body };
      const renamed = await manager.put(one, { ...rest, external_id: 'b' });
      expect([made.status, renamed.status]).toEqual([201, 200]);
      expect((await manager.post(path, { ...body, external_id: 'b' })).body.code).toBe('external_id_taken');
      expect((await manager.get(`${path}?external_id=b`)).body.data).toMatchObject([{ id: made.body.id }]);
      expect((await manager.delete(one)).status).toBe(204);
      expect((await manager.post(path, { ...body, external_id: 'b' })).status).toBe(201);
    }
    await app.post(
      '/tokenize',
      Array.from({ length: 30 }, (_, at) => at),
    );
    const refused = await operator({ command: 'destroy-tenant', tenant_id: id, confirm: 'yes' });
    expect(refused).toHaveProperty('errorMessage');
    expect((await app.get('/tokens')).status).toBe(200);
    const done = await steps(
      { command: 'destroy-tenant', tenant_id: id, confirm: id },
      (response) => response['done'] === true,
    );
    expect(done.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['applications', 'reactors', 'tokens', 'tenant']),
    );
    expect((await app.get('/tokens')).status).toBe(401);
    expect((await manager.get('/applications')).status).toBe(401);
    const { tenants } = (await operator({ command: 'list-tenants' })) as unknown as {
      tenants: { tenant_id: string }[];
    };
    expect(tenants.map(({ tenant_id: other }) => other)).not.toContain(id);
    expect(await operator({ command: 'destroy-tenant', tenant_id: id, confirm: id })).toHaveProperty(
      'errorMessage',
    );
  });
});

describe('a recovery key', () => {
  it('makes the applications of a tenant that lost its keys, which sees who made it', async () => {
    const { id, manager } = await aTenant();
    expect((await manager.get('/tenants/self')).body.recovered_at).toBeNull();
    const command = { command: 'create-management-key', tenant_id: id, expires: '2d' };
    const principal = 'arn:aws:iam::111122223333:user/on-call';
    const made = await operator({ ...command, principal });
    const recovery = client(made['key']);
    const next = await recovery.post('/applications', {
      name: 'Next manager',
      type: 'management',
      permissions: ['application:update', 'log:read', 'tenant:read'],
    });
    const nextManager = client(next.body.key);
    const { body: self } = await nextManager.get('/tenants/self');
    expect(Date.parse(made['expires_at'] ?? '') - Date.parse(self.recovered_at)).toBe(2 * 86_400_000);
    const { body: logs } = await nextManager.get('/logs?operation=create-management-key');
    const resource = `application:${String(made['application_id'])}`;
    expect(logs.data.find((record: { resource?: string }) => record.resource === resource)).toMatchObject({
      credential: `operator:${principal}`,
      change: { members: expect.arrayContaining([`keys.${String(made['key_id'])}`]) },
    });
    const refused = { ...command, expires: '31d' };
    expect(await operator(refused)).toMatchObject({
      errorMessage: 'Missing or invalid in the payload: expires.',
    });
    expect(await operator({ ...command, tenant_id: randomUUID() })).toMatchObject({
      errorMessage: 'The tenant does not exist.',
    });
  });
});

describe('the operator', () => {
  it('lists all tenants and the state of the deployment', async () => {
    const { id } = await aTenant();
    const { tenants } = (await operator({ command: 'list-tenants' })) as unknown as {
      tenants: { tenant_id: string; next_rotation: string }[];
    };
    expect(tenants.find(({ tenant_id: each }) => each === id)?.next_rotation).toMatch(/\+00:00$/);
    expect(await operator({ command: 'check-tenant', tenant_id: id })).toEqual({
      tenant_id: id,
      opens: true,
    });
    const found = (await operator({ command: 'health' })) as unknown as Record<string, unknown>;
    expect(found).toMatchObject({
      healthy: true,
      overdue_seconds: { tokens: expect.any(Number), access: expect.any(Number) },
      waiting: { invocations: expect.any(Number), deliveries: expect.any(Number) },
      parked_deliveries: expect.any(Number),
    });
  });

  it.each([
    { command: 'nothing' },
    { command: 'check-tenant', tenant_id: randomUUID() },
    { command: 'rotate-keys', tenant_id: 'x' },
    { command: 'rotate-keys', tenant_id: randomUUID() },
    { command: 'replace-root', tenant_id: randomUUID() },
    { command: 'reencrypt', tenant_id: randomUUID() },
    { command: 'rewrap-roots', tenant_id: randomUUID() },
    { command: 'rewrap-roots', wrapped_by: 'x' },
    { command: 'resend-delivery', tenant_id: randomUUID(), invocation_id: randomUUID() },
  ])('gets an error that explains what is wrong with %j', async (command) => {
    expect(await operator(command)).toHaveProperty('errorMessage');
  });
});

describe('a parked delivery', () => {
  it('is listed for the operator and for its tenant, and the trail has who sent it again', async () => {
    const body = { name: 'x', code: 'module.exports = () => ({});', configuration: {} };
    const reactor = (await management.post('/reactors', body)).body.id as string;
    const invocation = await plantParkedDelivery(credentials, reactor);
    const other = await plantParkedDelivery(credentials, reactor);
    const listed = async () =>
      (await management.get(`/reactors/${reactor}/deliveries`)).body.data.map(
        ({ invocation_id: id }: { invocation_id: string }) => id,
      );
    expect(new Set(await listed())).toEqual(new Set([invocation, other]));
    const { deliveries }: Record<string, any> = await operator({ command: 'list-deliveries' });
    for (const id of [invocation, other])
      expect(deliveries).toContainEqual(
        expect.objectContaining({ invocation_id: id, reactor_id: reactor, delivery: 'parked' }),
      );
    const of = { tenant_id: credentials.tenant_id, invocation_id: invocation };
    expect(await operator({ command: 'resend-delivery', ...of })).toEqual(of);
    expect(await listed()).toEqual([other]);
    // No other suite of this service finds what this one has parked.
    expect((await management.post(`/reactors/${reactor}/deliveries/${other}/resend`)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await management.get('/logs?operation=resend-delivery')).body.data).toContainEqual(
      expect.objectContaining({
        outcome: 'begun',
        credential: expect.stringMatching(/^operator:/),
        resource: `reactor:${reactor}`,
        invocation_id: invocation,
      }),
    );
  });
});
