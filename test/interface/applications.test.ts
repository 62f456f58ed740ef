import { anApplication, client, credentials, management, withTenants } from '../support/service.ts';
import { SERVICE_VERSION } from '../../src/core/shared/service-version.ts';
import { target } from '../support/targets/target.ts';

describe('an application', () => {
  it('returns its key in the response to its creation only', async () => {
    const wanted = { name: 'Shop', type: 'private', permissions: ['token:create'], rules: [] };
    const created = await management.post('/applications', wanted);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...wanted, tenant_id: credentials.tenant_id });
    expect(created.body.key).toMatch(/^key_private_[1-9A-HJ-NP-Za-km-z]{64,66}$/);
    const { key: _, ...rest } = created.body;
    expect((await management.get(`/applications/${created.body.id}`)).body).toEqual(rest);
  });

  it('is found by its key', async () => {
    const { body } = await management.get('/applications/key');
    expect(body).toMatchObject({ type: 'management', tenant_id: credentials.tenant_id });
    expect(body).not.toHaveProperty('key');
  });

  it.each(['private', 'public'])(
    'reads itself without a permission for it only if it is private: %s',
    async (type) => {
      const permissions = ['token:create'];
      const { body: created } = await management.post('/applications', { name: 'Itself', type, permissions });
      const { status, body } = await client(created.key).get('/applications/key');
      expect(status).toBe(type === 'private' ? 200 : 403);
      if (type === 'private') expect(body).toMatchObject({ id: created.id, permissions, rules: [] });
    },
  );

  it('returns 404 for an unknown or malformed id', async () => {
    for (const id of ['0e9d5b0f-4ee4-4ea6-a6b5-3f2b1d6ea111', 'x', '%20', '..%2Fkey', 'x'.repeat(3_000)]) {
      expect((await management.get(`/applications/${id}`)).status).toBe(404);
    }
  });

  it('is rejected from the instant it expires', async () => {
    const app = await anApplication({
      expires_at: new Date(target().now() + target().shortLifetimeMs).toISOString(),
    });
    expect((await app.get('/tokens/nothing')).status).toBe(404);
    await target().pass(target().shortLifetimeMs + 50);
    expect((await app.get('/tokens/nothing')).status).toBe(401);
    expect((await management.get(`/applications/${app.id}`)).status).toBe(404);
  });

  const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] };
  it.each([
    [{ type: 'private', permissions: ['token:read'] }, 'name'],
    [{ name: '', type: 'private', permissions: ['token:read'] }, 'name'],
    [{ name: 'x'.repeat(201), type: 'private', permissions: ['token:read'] }, 'name'],
    [{ name: 'x', permissions: ['token:read'] }, 'type'],
    [{ name: 'x', type: 'other', permissions: ['token:read'] }, 'type'],
    [{ name: 'x', type: 'private' }, 'permissions'],
    [{ name: 'x', type: 'private', permissions: [], rules: [] }, 'permissions'],
    [{ name: 'x', type: 'private', permissions: ['token:read', 'nothing'] }, 'permissions[1]'],
    [{ name: 'x', type: 'private', permissions: ['application:read'] }, 'permissions[0]'],
    [{ name: 'x', type: 'public', permissions: ['token:read'] }, 'permissions[0]'],
    [{ name: 'x', type: 'management', permissions: ['token:read'] }, 'permissions[0]'],
    [{ name: 'x', type: 'management', rules: [rule] }, 'rules'],
    [{ name: 'x', type: 'private', rules: [{ ...rule, priority: 0 }] }, 'rules[0].priority'],
    [{ name: 'x', type: 'private', rules: [{ ...rule, priority: 1.5 }] }, 'rules[0].priority'],
    [{ name: 'x', type: 'private', rules: [rule, rule] }, 'rules[1].priority'],
    [{ name: 'x', type: 'private', rules: [{ ...rule, transform: 'show' }] }, 'rules[0].transform'],
    [{ name: 'x', type: 'private', rules: [{ ...rule, permissions: [] }] }, 'rules[0].permissions'],
    [
      { name: 'x', type: 'private', rules: [{ ...rule, permissions: ['tenant:read'] }] },
      'rules[0].permissions[0]',
    ],
    [{ name: 'x', type: 'private', rules: [{ ...rule, container: undefined }] }, 'rules[0].container'],
    [{ name: 'x', type: 'private', rules: [{ ...rule, container: 'pci' }] }, 'rules[0].container'],
    [
      {
        name: 'x',
        type: 'private',
        rules: [{ ...rule, conditions: [{ attribute: 'id', operator: 'equals', value: 'x' }] }],
      },
      'rules[0].conditions',
    ],
    [
      { name: 'x', type: 'private', permissions: ['token:read'], expires_at: '2020-01-01T00:00:00Z' },
      'expires_at',
    ],
    [{ name: 'x', type: 'private', permissions: ['token:read'], expires_at: 'soon' }, 'expires_at'],
  ])('400: %j names %s', async (wanted, path) => {
    const { status, body } = await management.post('/applications', wanted);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([400, [path]]);
  });

  it('cannot be looked up with an invalid or missing key', async () => {
    const app = await anApplication();
    expect((await client(`${app.key}x`).get('/tokens/nothing')).status).toBe(401);
  });
});

describe('changing applications', () => {
  it('replaces name, permissions and rules in full, with effect from the next request', async () => {
    const app = await anApplication({ permissions: ['token:create', 'token:read'] });
    const { body: token } = await app.post('/tokens', { type: 'token', data: 1 });
    const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }];
    const updated = await management.put(`/applications/${app.id}`, { name: 'renamed', rules });
    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({
      id: app.id,
      name: 'renamed',
      type: 'private',
      permissions: [],
      rules,
      modified_by: expect.any(String),
      modified_at: expect.any(String),
    });
    expect(updated.body).not.toHaveProperty('key');
    expect((await app.get(`/tokens/${token.id}`)).body.data).toBe(1);
    expect((await app.post('/tokens', { type: 'token', data: 1 })).status).toBe(403);
  });

  it('preserves type and expiry through an update', async () => {
    const expires_at = '2099-01-01T00:00:00+00:00';
    const app = await anApplication({ expires_at });
    const updated = await management.put(`/applications/${app.id}`, {
      name: 'x',
      permissions: ['token:read'],
    });
    expect(updated.body).toMatchObject({ type: 'private', expires_at });
  });

  it('400: an update that would not be a valid create', async () => {
    const app = await anApplication();
    for (const [update, path] of [
      [{ permissions: ['token:read'] }, 'name'],
      [{ name: 'x' }, 'permissions'],
      [{ name: 'x', permissions: ['tenant:read'] }, 'permissions[0]'],
    ] as const) {
      const { status, body } = await management.put(`/applications/${app.id}`, update);
      expect([status, Object.keys(body.errors)]).toEqual([400, [path]]);
    }
  });

  it('replaces its key and rejects the old one immediately', async () => {
    const app = await anApplication();
    const { status, body } = await management.post(`/applications/${app.id}/regenerate`);
    expect([status, body.id]).toEqual([200, app.id]);
    expect(body.key).not.toBe(app.key);
    expect((await app.get('/tokens/nothing')).status).toBe(401);
    expect((await client(body.key).get('/tokens/nothing')).status).toBe(404);
  });

  it('deletes everything that authenticates', async () => {
    const app = await anApplication();
    const deleted = await management.delete(`/applications/${app.id}`);
    expect([deleted.status, deleted.body]).toEqual([204, '']);
    expect((await app.get('/tokens/nothing')).status).toBe(401);
    for (const response of [
      await management.get(`/applications/${app.id}`),
      await management.delete(`/applications/${app.id}`),
      await management.put(`/applications/${app.id}`, { name: 'x', permissions: ['token:read'] }),
      await management.post(`/applications/${app.id}/regenerate`),
    ]) {
      expect(response.status).toBe(404);
    }
  });

  it('loses none of many concurrent updates', async () => {
    const app = await anApplication();
    const names = Array.from({ length: 12 }, (_, index) => `name ${String(index)}`);
    const responses = await Promise.all(
      names.map((name) => management.put(`/applications/${app.id}`, { name, permissions: ['token:read'] })),
    );
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { body } = await management.get(`/applications/${app.id}`);
    expect(names).toContain(body.name);
  });
});

describe('listing applications', () => {
  withTenants(
    'lists the applications of the tenant, newest first, by number and by cursor, filtered by ids and types',
    async (createTenant) => {
      // Other tests create applications of the shared tenant concurrently.
      const own = client((await createTenant('Listing')).management_key);
      const made: { readonly id: string }[] = [];
      for (const [name, type] of Object.entries({ a: 'private', b: 'public', c: 'private' }))
        made.push((await own.post('/applications', { name, type, permissions: ['token:create'] })).body);
      const newest = await own.get('/applications?size=3');
      expect(newest.body.data.map(({ id }: { id: string }) => id)).toEqual(
        made.map(({ id }) => id).reverse(),
      );
      expect(newest.body.data[0]).not.toHaveProperty('key');
      const ids = made.map(({ id }) => `id=${id}`).join('&');
      expect((await own.get(`/applications?${ids}&id=nothing`)).body.pagination).toMatchObject({
        total_items: 3,
        page_number: 1,
        total_pages: 1,
        after: null,
      });
      expect(
        (await own.get(`/applications?${ids}&type=public`)).body.data.map(({ id }: { id: string }) => id),
      ).toEqual([made[1]?.id]);
      expect((await own.get(`/applications?${ids}&type=public&type=private`)).body.data).toHaveLength(3);
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null && seen.length < 10_000;) {
        const { body } = await own.get(`/applications?size=2${after === '' ? '' : `&after=${after}`}`);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        after = body.pagination.after;
      }
      expect(new Set(seen).size).toBe(seen.length);
      for (const { id } of made) expect(seen).toContain(id);
      expect((await own.get('/applications?type=other')).status).toBe(400);
      expect((await own.get('/applications?size=0')).status).toBe(400);
    },
  );
});

describe('listing applications by name', () => {
  it('ignores case, contains the text, or matches it as a pattern with *', async () => {
    const tag = `n${String(target().now())}`;
    const made = new Map<string, string>();
    for (const [name, type] of [
      ['Shop one', 'private'],
      ['SHOP two', 'public'],
      ['refund+(desk)', 'private'],
    ] as const)
      made.set(
        (await anApplication({ name: `${tag} ${name}`, type, permissions: ['token:create'] })).id,
        name,
      );
    const names = async (query: string) =>
      (await management.get(`/applications?${query}`)).body.data.map(({ id }: { id: string }) =>
        made.get(id),
      );
    expect(await names(`name=${tag}`)).toEqual(['refund+(desk)', 'SHOP two', 'Shop one']);
    expect(await names(`name=${tag}*shop*`)).toEqual(['SHOP two', 'Shop one']);
    expect(await names(`name=${tag}+shop*ONE`)).toEqual(['Shop one']);
    expect(await names(`name=${tag}&type=private`)).toEqual(['refund+(desk)', 'Shop one']);
    expect(await names(`name=${encodeURIComponent(`${tag} REFUND+(`)}`)).toEqual(['refund+(desk)']);
    const [first = ''] = made.keys();
    expect(await names(`name=${tag}&id=${first}`)).toEqual(['Shop one']);
    expect(await names(`name=shop*${tag}`)).toEqual([]);
    const { after } = (await management.get(`/applications?name=${tag}&size=2`)).body.pagination;
    expect(await names(`name=${tag}&size=2&after=${after as string}`)).toEqual(['Shop one']);
    expect((await management.get(`/applications?size=2&after=${after as string}`)).status).toBe(400);
    for (const query of ['name=', 'name=a&name=b', `name=${'x'.repeat(201)}`]) {
      const { status, body } = await management.get(`/applications?${query}`);
      expect([status, Object.keys(body.errors)]).toEqual([400, ['name']]);
    }
  });
});

describe('permissions and the tenant', () => {
  it('lists every permission, or those of a type', async () => {
    const all = await management.get('/permissions');
    expect(all.body).toContainEqual({
      type: 'token:use',
      description: expect.any(String),
      application_types: ['private'],
    });
    const app = await anApplication();
    const ofPublic = await app.get('/permissions?application_type=public');
    expect(ofPublic.body.map(({ type }: { type: string }) => type)).toEqual(['token:create', 'token:update']);
    expect((await app.get('/permissions?application_type=other')).status).toBe(400);
  });

  withTenants(
    'shows the tenant and changes its name and settings from the next request on',
    async (createTenant) => {
      const tenant = await createTenant('Settings');
      const own = client(tenant.management_key);
      expect((await own.get('/tenants/self')).body).toEqual({
        id: tenant.tenant_id,
        name: 'Settings',
        settings: { deduplicate_tokens: false, ephemeral_proxy: true },
        configuration_revision: null,
        recovered_at: null,
        service_version: SERVICE_VERSION,
      });
      const { body: app } = await own.post('/applications', {
        name: 'x',
        type: 'private',
        permissions: ['token:create'],
      });
      const create = async (more = {}) =>
        (await client(app.key).post('/tokens', { type: 'token', data: 'same', ...more })).body.id as string;
      const first = await create();
      expect(await create()).not.toBe(first);
      const updated = await own.put('/tenants/self', {
        name: 'Renamed',
        settings: { deduplicate_tokens: true },
      });
      expect(updated.body).toEqual({
        id: tenant.tenant_id,
        name: 'Renamed',
        settings: { deduplicate_tokens: true, ephemeral_proxy: true },
        configuration_revision: null,
        recovered_at: null,
        service_version: SERVICE_VERSION,
      });
      expect(await create()).toBe(first);
      expect(await create({ deduplicate_token: false })).not.toBe(first);
      expect((await own.put('/tenants/self', { settings: {} })).status).toBe(400);
    },
  );

  withTenants('refuses to end the last key that manages, unless it is forced', async (createTenant) => {
    const tenant = await createTenant('Last manager');
    const own = client(tenant.management_key);
    const { body: self } = await own.get('/applications/key');
    const [{ id: keyId }] = (await own.get(`/applications/${self.id}/keys`)).body;
    const application = `/applications/${self.id}`;
    const less = { name: self.name, permissions: ['application:read', 'application:delete'] };
    const changes = [
      (query = '') => own.delete(`${application}/keys/${keyId}${query}`),
      (query = '') => own.put(`${application}${query}`, less),
      (query = '') => own.delete(`${application}${query}`),
    ];
    const asked = async () => {
      const replies = [];
      for (const change of changes) replies.push(await change());
      return replies.map(({ status, body }) => [status, body?.code]);
    };
    expect(await asked()).toEqual(changes.map(() => [409, 'last_manager']));
    expect((await own.get(application)).body).toEqual(self);
    expect((await own.delete(`${application}?force=perhaps`)).status).toBe(400);

    // Neither a key that ended, nor an application without the right or without a key, manages.
    const manager = (more: object) =>
      own.post('/applications', {
        name: 'x',
        type: 'management',
        permissions: ['application:update'],
        ...more,
      });
    await manager({ permissions: ['application:read'] });
    const { body: keyless } = await manager({});
    const [{ id: onlyKey }] = (await own.get(`/applications/${keyless.id}/keys`)).body;
    expect((await own.delete(`/applications/${keyless.id}/keys/${onlyKey}`)).status).toBe(204);
    const ends = new Date(target().now() + target().shortLifetimeMs).toISOString();
    await manager({ expires_at: ends });
    await target().pass(target().shortLifetimeMs + 50);
    expect(await asked()).toEqual(changes.map(() => [409, 'last_manager']));

    const { body: other } = await manager({});
    expect((await own.put(application, less)).status).toBe(200);
    expect((await client(other.key).delete(`/applications/${other.id}`)).status).toBe(403);
    const alone = `/applications/${other.id}`;
    expect((await own.delete(alone)).body).toMatchObject({ code: 'last_manager' });
    expect((await own.delete(`${alone}?force=true`)).status).toBe(204);
    expect((await own.delete(application)).status).toBe(204);
  });
});
