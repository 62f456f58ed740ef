import { anApplication, aRevealingApplication, CARD, call } from '../support/service.ts';

describe('PATCH /tokens/{id}', () => {
  it('415: a media type other than a merge patch', async () => {
    const app = await anApplication();
    const { body } = await app.post('/tokens', { type: 'token', data: 1 });
    for (const type of ['application/json', 'text/plain', '']) {
      const response = await call(app.key, 'PATCH', `/tokens/${body.id}`, {
        raw: '{"data":2}',
        headers: { 'Content-Type': type },
      });
      expect([type, response.status]).toEqual([type, 415]);
    }
    const headers = { 'Content-Type': 'application/merge-patch+json; charset=utf-8' };
    expect((await call(app.key, 'PATCH', `/tokens/${body.id}`, { raw: '{"data":2}', headers })).status).toBe(
      200,
    );
  });

  it('confirms no cvc by a text of the mask: an equal and another one get the same response', async () => {
    const masked = await anApplication({
      type: 'public',
      permissions: ['token:create', 'token:update'],
    });
    const reading = await anApplication({ permissions: ['token:read', 'token:update'], rules: [] });
    const { body } = await masked.post('/tokens', { type: 'card', data: CARD, mask: { cvc: '846' } });
    for (const cvc of ['846', '847'])
      expect((await reading.patch(`/tokens/${body.id}`, { data: { cvc } })).status).toBe(200);
  });

  it('merges data, mask and metadata, and replaces the rest', async () => {
    const app = await aRevealingApplication();
    const { body } = await app.post('/tokens', {
      type: 'token',
      data: { a: 1, b: { c: 2, d: 3 } },
      mask: { a: '{{ data.a }}' },
      metadata: { one: '1', two: '2' },
      containers: ['/x/'],
      search_indexes: ['{{ data.a }}'],
    });
    const patched = await app.patch(`/tokens/${body.id}`, {
      data: { a: null, b: { c: 4 }, e: [5] },
      mask: { b: 'hidden' },
      metadata: { one: null, three: '3' },
      containers: ['/y/'],
      search_indexes: ['{{ data.e }}'],
      fingerprint_expression: '{{ data.b.c }}',
      expires_at: '2099-01-01T00:00:00+02:00',
    });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({
      id: body.id,
      data: { b: { c: 4, d: 3 }, e: [5] },
      mask: { a: '{{ data.a }}', b: 'hidden' },
      metadata: { two: '2', three: '3' },
      containers: ['/y/'],
      search_indexes: ['{{ data.e }}'],
      fingerprint_expression: '{{ data.b.c }}',
      expires_at: '2099-01-01T00:00:00+02:00',
      created_at: body.created_at,
      modified_by: app.id,
      modified_at: expect.any(String),
    });
    expect(patched.body.fingerprint).not.toBe(body.fingerprint);
    expect((await app.get(`/tokens/${body.id}`)).body).toEqual(patched.body);
  });

  it('resets a member to its default for null: containers and fingerprint to theirs, the rest to nothing', async () => {
    const app = await aRevealingApplication();
    const { body } = await app.post('/tokens', {
      type: 'card',
      data: CARD,
      mask: 'x',
      metadata: { a: 'b' },
      containers: ['/x/'],
      search_indexes: ['{{ data.number }}'],
      fingerprint_expression: '{{ data.expiration_month }}',
      expires_at: '2099-01-01',
    });
    const nothing = {
      mask: null,
      metadata: null,
      containers: null,
      search_indexes: null,
      fingerprint_expression: null,
      expires_at: null,
    };
    const patched = await app.patch(`/tokens/${body.id}`, nothing);
    expect(patched.body).toMatchObject({
      metadata: {},
      containers: ['/pci/high/'],
      fingerprint_expression: '{{ data.number }}',
    });
    for (const gone of ['mask', 'search_indexes', 'expires_at'])
      expect(patched.body).not.toHaveProperty(gone);
    const masking = await anApplication();
    expect((await masking.get(`/tokens/${body.id}`)).body).not.toHaveProperty('data');
  });

  it('validates the result as its type', async () => {
    const app = await anApplication();
    const { body } = await app.post('/tokens', { type: 'card', data: CARD });
    const refused = await app.patch(`/tokens/${body.id}`, { data: { number: '4242424242424241' } });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['data.number']]);
    expect((await app.patch(`/tokens/${body.id}`, { data: null })).status).toBe(400);
    expect((await app.patch(`/tokens/${body.id}`, { data: 'x' })).status).toBe(400);
    expect((await app.patch(`/tokens/${body.id}`, { expires_at: '2020-01-01' })).status).toBe(400);
    expect((await app.patch(`/tokens/${body.id}`, { metadata: { a: 1 } })).status).toBe(400);
    const fine = await app.patch(`/tokens/${body.id}`, {
      data: { number: '5555555555554444', expiration_month: null },
    });
    expect(fine.body.data).toEqual({
      number: 'XXXXXXXXXXXX4444',
      expiration_month: null,
      expiration_year: 2030,
    });
  });

  it('403: needs token:update on the old and the new containers', async () => {
    const all = await anApplication();
    const { body } = await all.post('/tokens', { type: 'token', data: 1, containers: ['/a/'] });
    const permissions = ['token:update', 'token:read'];
    const onlyA = await anApplication({
      rules: [{ priority: 1, container: '/a/', transform: 'reveal', permissions }],
    });
    const onlyB = await anApplication({
      rules: [{ priority: 1, container: '/b/', transform: 'reveal', permissions }],
    });
    expect((await onlyB.patch(`/tokens/${body.id}`, { data: 2 })).status).toBe(403);
    expect((await onlyA.patch(`/tokens/${body.id}`, { containers: ['/b/'] })).status).toBe(403);
    expect((await onlyA.patch(`/tokens/${body.id}`, { containers: ['/a/x/'] })).body.data).toBe(1);
  });

  it('404: a token that does not exist', async () => {
    const app = await anApplication();
    expect((await app.patch('/tokens/nothing', { data: 1 })).status).toBe(404);
  });

  it('loses no member of fifty concurrent updates', async () => {
    const app = await aRevealingApplication();
    const { body } = await app.post('/tokens', { type: 'token', data: {} });
    const names = Array.from({ length: 50 }, (_, index) => `member${String(index)}`);
    const responses = await Promise.all(
      names.map((name) => app.patch(`/tokens/${body.id}`, { data: { [name]: name } })),
    );
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { data } = (await app.get(`/tokens/${body.id}`)).body;
    expect(data).toEqual(Object.fromEntries(names.map((name) => [name, name])));
  });

  it('changes more index entries than fit a transaction, and finds all of them afterwards', async () => {
    const app = await aRevealingApplication();
    const many = (prefix: string) =>
      Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`k${String(index)}`, `${prefix}${String(index)}`]),
      );
    const containers = Array.from({ length: 10 }, (_, index) => `/deep/a${String(index)}/b/c/d/e/`);
    const unique = `u${String(Date.now())}`;
    const created = await app.post('/tokens', {
      type: 'token',
      data: 'big',
      metadata: many(unique),
      containers,
    });
    expect(created.status).toBe(201);
    const found = async (prefix: string) =>
      (await app.get(`/tokens?metadata.k7=${prefix}7&metadata.k49=${prefix}49`)).body.data.length as number;
    expect(await found(unique)).toBe(1);
    expect((await app.patch(`/tokens/${created.body.id}`, { metadata: many(`v${unique}`) })).status).toBe(
      200,
    );
    expect([await found(unique), await found(`v${unique}`)]).toEqual([0, 1]);
    expect((await app.delete(`/tokens/${created.body.id}`)).status).toBe(204);
    expect(await found(`v${unique}`)).toBe(0);
    expect((await app.get(`/tokens/${created.body.id}`)).status).toBe(404);
  });

  it('replaces megabytes', async () => {
    const app = await aRevealingApplication();
    const { body } = await app.post('/tokens', { type: 'token', data: { a: 'x'.repeat(1_000_000) } });
    const patched = await app.patch(`/tokens/${body.id}`, { data: { a: 'y'.repeat(1_500_000) } });
    expect(patched.status).toBe(200);
    expect((await app.get(`/tokens/${body.id}`)).body.data.a).toBe('y'.repeat(1_500_000));
    expect((await app.patch(`/tokens/${body.id}`, { data: { a: 'small' } })).status).toBe(200);
    expect((await app.get(`/tokens/${body.id}`)).body.data).toEqual({ a: 'small' });
  });
});
