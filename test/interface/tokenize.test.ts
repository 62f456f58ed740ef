import { ALL_TOKEN_PERMISSIONS, anApplication, aRevealingApplication, CARD } from '../support/service.ts';

describe('POST /tokenize', () => {
  it('creates tokens for objects with type and data, and for every other primitive leaf', async () => {
    const app = await aRevealingApplication();
    const { status, body } = await app.post('/tokenize', {
      card: { type: 'card', data: CARD, metadata: { a: 'b' } },
      list: ['x', 7, true, null],
      deep: { empty: {} },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      card: { type: 'card', data: CARD, metadata: { a: 'b' } },
      list: [expect.any(String), expect.any(String), expect.any(String), null],
      deep: { empty: {} },
    });
    const values = await Promise.all(
      body.list.slice(0, 3).map(async (id: string) => (await app.get(`/tokens/${id}`)).body.data),
    );
    expect(values).toEqual(['x', 7, true]);
  });

  it('accepts a primitive, an array and a single token as the whole body', async () => {
    const app = await aRevealingApplication();
    expect((await app.post('/tokenize', 'x')).body).toMatch(/^[0-9a-f-]{36}$/);
    expect((await app.post('/tokenize', [1])).body).toEqual([expect.any(String)]);
    expect((await app.post('/tokenize', { type: 'token', data: [1] })).body).toMatchObject({
      type: 'token',
      data: [1],
    });
    expect((await app.post('/tokenize', {})).body).toEqual({});
  });

  it('400: names each invalid token, and writes none', async () => {
    const app = await anApplication();
    const id = `all-or-none-${String(Date.now())}`;
    const { status, body } = await app.post('/tokenize', {
      good: { type: 'token', data: 1, id },
      bad: [
        { type: 'card', data: { ...CARD, number: '1' } },
        { type: 'nothing', data: 1 },
      ],
    });
    expect(status).toBe(400);
    expect(Object.keys(body.errors)).toEqual(['bad[1].type']);
    const second = await app.post('/tokenize', {
      good: { type: 'token', data: 1, id },
      bad: [{ type: 'card', data: { ...CARD, number: '1' } }],
    });
    expect(Object.keys(second.body.errors)).toEqual(['bad[0].data.number']);
    expect((await app.get(`/tokens/${id}`)).status).toBe(404);
  });

  it('400: names each refused id, also one that the request has twice, before taken ones', async () => {
    const app = await aRevealingApplication();
    const id = `twice-${String(Date.now())}`;
    await app.post('/tokens', { type: 'token', data: 1, id: `${id}-taken` });
    const { status, body } = await app.post('/tokenize', {
      list: [
        { type: 'token', data: 1, id },
        { type: 'token', data: 2, id: 'a/b' },
        { type: 'token', data: 3, id },
        { type: 'card', data: CARD, id: CARD.number },
        { type: 'token', data: 4, id: `${id}-taken` },
        { type: 'token', data: 5, id },
      ],
    });
    expect([status, body.errors]).toEqual([
      400,
      {
        'list[1].id': [expect.stringMatching(/^must not have control characters/)],
        'list[2].id': ['is the id of another token of the request'],
        'list[3].id': ['must not contain the data of the token'],
        'list[5].id': ['is the id of another token of the request'],
      },
    ]);
    expect((await app.get(`/tokens/${id}`)).status).toBe(404);
  });

  it('409: names each taken id, of tokens, of deleted ones and of the service, and writes none', async () => {
    const app = await anApplication();
    const now = Date.now();
    const id = (name: string) => `${name}-${String(now)}`;
    const made = (await app.post('/tokens', { type: 'token', data: 1 })).body.id as string;
    for (const name of ['taken', 'deleted'])
      await app.post('/tokens', { type: 'token', data: 1, id: id(name) });
    await app.delete(`/tokens/${id('deleted')}`);
    const token = (each: string) => ({ type: 'token', data: 2, id: each });
    const ids = [id('free'), id('taken'), '{{ data }}-alias', id('deleted')].map(token);
    const conflict = await app.post('/tokenize', [...ids, { ...ids[0], id: made }, 'x']);
    expect([conflict.status, conflict.body.errors]).toEqual([
      409,
      Object.fromEntries(['[1].id', '[3].id', '[4].id'].map((path) => [path, ['exists or existed']])),
    ]);
    expect((await app.post('/tokenize', ids)).body.errors).toEqual({
      '[1].id': ['exists or existed'],
      '[3].id': ['exists or existed'],
    });
    expect((await app.get(`/tokens/${id('free')}`)).status).toBe(404);
  });

  it('creates a hundred tokens and no more', async () => {
    const app = await anApplication();
    const leaves = (count: number) => Array.from({ length: count }, (_, index) => `leaf ${String(index)}`);
    expect((await app.post('/tokenize', leaves(101))).status).toBe(400);
    const { status, body } = await app.post('/tokenize', leaves(100));
    expect([status, new Set(body).size]).toEqual([200, 100]);
  });

  it('creates a hundred cards with every member, more than a single transaction can write', async () => {
    const app = await aRevealingApplication();
    const order = `order-${String(Date.now())}`;
    const card = {
      type: 'card',
      data: { ...CARD, cvc: '123' },
      metadata: { order },
      search_indexes: ['{{ data.number }}'],
    };
    const { status, body } = await app.post(
      '/tokenize',
      Array.from({ length: 100 }, () => card),
    );
    expect(status).toBe(200);
    expect(body[99].data).toEqual({ ...CARD, cvc: '123' });
    const listed = await app.get(`/tokens?metadata.order=${order}&size=100`);
    expect(listed.body.pagination.total_items).toBe(100);
    expect(listed.body.data[0].data.cvc).toBe('123');
  });

  it('403: a container that the caller may not create in', async () => {
    const app = await anApplication({
      rules: [{ priority: 1, container: '/general/', transform: 'mask', permissions: ['token:create'] }],
    });
    expect((await app.post('/tokenize', ['x'])).status).toBe(200);
    expect((await app.post('/tokenize', ['x', { type: 'card', data: CARD }])).status).toBe(403);
  });
});

describe('POST /detokenize', () => {
  it('fills in whole values, parts, text and whole tokens, in the same shape', async () => {
    const app = await aRevealingApplication();
    const card = (
      await app.post('/tokens', { type: 'card', data: { ...CARD, cvc: '123' }, metadata: { order: '7' } })
    ).body.id as string;
    const text = (await app.post('/tokens', { type: 'token', data: `quoted "text" {{ ${card} }}` })).body
      .id as string;
    const { status, body } = await app.post('/detokenize', {
      card: `{{ ${card} }}`,
      month: `{{${card} | json: '$.expiration_month'}}`,
      text: [`number: {{ ${card} | json: "$.number" | last4 }}!`, `{{ ${text} }}`, 'plain', 5, null],
      order: `{{ token: ${card} | json: '$.metadata.order' }}`,
      brand: `{{ token: ${card} | json: '$.enrichments.bin_details' }}`,
      none: `{{ ${card} | json: '$.nothing' }}`,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      card: { ...CARD, cvc: '123' },
      month: 12,
      text: ['number: 4242!', `quoted "text" {{ ${card} }}`, 'plain', 5, null],
      order: '7',
      brand: { card_brand: 'visa', bin_length: 8 },
      none: null,
    });
  });

  it('applies the caller’s rules', async () => {
    const [all, masking] = await Promise.all([aRevealingApplication(), anApplication()]);
    const redacting = await anApplication({
      rules: [{ priority: 1, container: '/', transform: 'redact', permissions: ['token:read'] }],
    });
    const card = (await all.post('/tokens', { type: 'card', data: CARD })).body.id as string;
    const plain = (await all.post('/tokens', { type: 'token', data: 'x' })).body.id as string;
    const expression = `{{ ${card} | json: '$.number' }}`;
    expect((await masking.post('/detokenize', [expression, `{{ ${plain} }}`])).body).toEqual([
      'XXXXXXXXXXXX4242',
      null,
    ]);
    expect((await redacting.post('/detokenize', [expression])).body).toEqual([null]);
  });

  it('accepts ids of any form', async () => {
    const app = await aRevealingApplication();
    for (const id of [
      `it's "quoted": ${String(Date.now())}`,
      `token.x,${String(Date.now())}`,
      `ü 😀 ${String(Date.now())}`,
    ]) {
      await app.post('/tokens', { type: 'token', data: 'found', id });
      expect((await app.post('/detokenize', [`{{ ${id} }}`, `{{ ${id} | upcase }}`])).body).toEqual([
        'found',
        'FOUND',
      ]);
    }
  });

  it('returns 400 for unknown tokens, bad expressions and too many tokens, and 403 for tokens of another owner', async () => {
    const app = await aRevealingApplication();
    const { body } = await app.post('/detokenize', { a: '{{ nothing-1 }}', b: '{{ nothing-2 }}' });
    expect(body).toMatchObject({
      status: 400,
      detail: 'Failed to detokenize some tokens: nothing-1, nothing-2',
      errors: { a: ['names an unknown or expired token'], b: ['names an unknown or expired token'] },
    });
    for (const [path, value] of [
      ['a', '{{ '],
      ['b[0]', '{{ x | nothing }}'],
      ['c', '{{ }}'],
      ['d', 'x {{ | upcase }}'],
    ] as const) {
      const sent = path === 'b[0]' ? { b: [value] } : { [path]: value };
      const refused = await app.post('/detokenize', sent);
      expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([400, [path]]);
    }
    expect(
      (
        await app.post(
          '/detokenize',
          Array.from({ length: 101 }, (_, index) => `{{ id-${String(index)} }}`),
        )
      ).status,
    ).toBe(400);
    const token = (await app.post('/tokens', { type: 'token', data: 1 })).body.id as string;
    const narrow = await anApplication({
      rules: [{ priority: 1, container: '/a/', transform: 'reveal', permissions: ALL_TOKEN_PERMISSIONS }],
    });
    expect((await narrow.post('/detokenize', [`{{ ${token} }}`])).status).toBe(403);
  });
});
