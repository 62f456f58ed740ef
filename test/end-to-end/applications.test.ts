import { anApplication, client, credentials, management } from '../support/service.ts';

describe('an application', () => {
  it('shows its key when it is created, and never again', async () => {
    const wanted = { name: 'Shop', type: 'private', permissions: ['token:create'], rules: [] };
    const created = await management.post('/applications', wanted);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...wanted, tenant_id: credentials.tenant_id });
    expect(created.body.key).toMatch(/^key_private_[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    const { key: _, ...rest } = created.body;
    expect((await management.get(`/applications/${created.body.id}`)).body).toEqual(rest);
  });

  it('is found by its key', async () => {
    const { body } = await management.get('/applications/key');
    expect(body).toMatchObject({ type: 'management', tenant_id: credentials.tenant_id });
    expect(body).not.toHaveProperty('key');
  });

  it('404: an id that is unknown or no id at all', async () => {
    for (const id of ['0e9d5b0f-4ee4-4ea6-a6b5-3f2b1d6ea111', 'x', '%20', '..%2Fkey']) {
      expect((await management.get(`/applications/${id}`)).status).toBe(404);
    }
  });

  it('is refused from the instant that it expires', async () => {
    const app = await anApplication({ expires_at: new Date(Date.now() + 1_500).toISOString() });
    expect((await app.get('/tokens/nothing')).status).toBe(404);
    await new Promise((resolve) => setTimeout(resolve, 1_600));
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

  it('belongs to nobody without its key', async () => {
    const app = await anApplication();
    expect((await client(`${app.key}x`).get('/tokens/nothing')).status).toBe(401);
  });
});
