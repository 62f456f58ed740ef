import { withoutRandom } from '../../packages/test-kit/src/without-random.ts';
import { randomUUID } from 'node:crypto';
import { anApplication, aRevealingApplication, CARD, management } from '../support/service.ts';

const TYPES = [
  { type: 'card', data: CARD, containers: ['/pci/high/'], masked: { ...CARD, number: 'XXXXXXXXXXXX4242' } },
  {
    type: 'bank',
    data: { routing_number: '021000021', account_number: '00012345678' },
    containers: ['/bank/high/'],
    masked: { routing_number: '021000021', account_number: 'XXXXXXX5678' },
  },
  { type: 'card_number', data: '378282246310005', containers: ['/pci/high/'], masked: 'XXXXXXXXXXX0005' },
  { type: 'us_bank_account_number', data: '1234567', containers: ['/bank/high/'], masked: 'XXX4567' },
  { type: 'us_bank_routing_number', data: '021000021', containers: ['/bank/low/'], masked: 'XXXXX0021' },
  { type: 'social_security_number', data: '123-45-6789', containers: ['/pii/high/'], masked: 'XXX-XX-6789' },
  { type: 'employer_id_number', data: '12-3456789', containers: ['/pii/high/'], masked: 'XX-XXX6789' },
  {
    type: 'token',
    data: { any: ['thing', 1, null, true] },
    containers: ['/general/high/'],
    masked: undefined,
  },
];

describe('a token', () => {
  it.each(TYPES)(
    'a token of type $type is returned masked, revealed or redacted by the deciding rule',
    async ({ type, data, containers, masked }) => {
      const [masking, revealing, redacting] = await Promise.all([
        anApplication(),
        aRevealingApplication(),
        anApplication({
          rules: [{ priority: 1, container: '/', transform: 'redact', permissions: ['token:read'] }],
        }),
      ]);
      const created = await masking.post('/tokens', { type, data });
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({ type, containers, created_by: masking.id, metadata: {} });
      expect(created.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?\+00:00$/);
      expect(created.body.data).toEqual(masked);
      expect((await masking.get(`/tokens/${created.body.id}`)).body).toEqual(created.body);
      expect((await revealing.get(`/tokens/${created.body.id}`)).body.data).toEqual(data);
      const redacted = await redacting.get(`/tokens/${created.body.id}`);
      expect(redacted.status).toBe(200);
      expect(redacted.body).not.toHaveProperty('data');
    },
  );

  it('returns any JSON unchanged', async () => {
    const app = await aRevealingApplication();
    const values: unknown[] = [
      '',
      ' ',
      'ü€😀\u0000\u2028',
      0,
      -1.5,
      true,
      false,
      [],
      {},
      [[[]]],
      { a: { b: [null, 'x', { c: 1 }] } },
      { __proto__x: 1, constructor: 'y', toString: 'z' },
    ];
    for (const data of values) {
      const { status, body } = await app.post('/tokens', { type: 'token', data });
      expect(status).toBe(201);
      expect((await app.get(`/tokens/${body.id}`)).body.data).toEqual(data);
    }
    const raw = '{"type":"token","data":{"__proto__":{"admin":true}}}';
    const { body } = await app.post('/tokens', undefined, {
      raw,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(JSON.stringify((await app.get(`/tokens/${body.id}`)).body.data)).toBe(
      '{"__proto__":{"admin":true}}',
    );
  });

  it('stores megabytes', async () => {
    const app = await aRevealingApplication();
    const data = 'x'.repeat(2_000_000);
    const { status, body } = await app.post('/tokens', { type: 'token', data });
    expect(status).toBe(201);
    expect((await app.get(`/tokens/${body.id}`)).body.data).toBe(data);
    expect((await app.delete(`/tokens/${body.id}`)).status).toBe(204);
    expect((await app.get(`/tokens/${body.id}`)).status).toBe(404);
  });

  it('may have its own containers, metadata and mask', async () => {
    const [masking, revealing] = await Promise.all([anApplication(), aRevealingApplication()]);
    const token = {
      type: 'token',
      data: { name: 'Ada', secret: 'hunter2' },
      containers: ['/HR/', '/hr/', '/eu/people/'],
      metadata: { Order: '17' },
      mask: { name: '{{ data.name }}', secret: '{{ data.secret | reveal_first: 1, "*" }}', fixed: 1 },
      fingerprint_expression: '{{ data.name | downcase }}',
    };
    const { status, body } = await masking.post('/tokens', token);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      containers: ['/hr/', '/eu/people/'],
      metadata: { Order: '17' },
      mask: token.mask,
    });
    expect(body.data).toEqual({ name: 'Ada', secret: 'h******', fixed: 1 });
    expect((await revealing.get(`/tokens/${body.id}`)).body.data).toEqual(token.data);
    const same = await masking.post('/tokens', { ...token, data: { name: 'ADA', secret: 'other' } });
    expect(same.body.fingerprint).toBe(body.fingerprint);
  });

  it('400: a PATCH with data on which its mask fails, which is named in detail to its author', async () => {
    const app = await aRevealingApplication();
    const mask = { 'of Alice': '{{ data | to_number }}' };
    const { body } = await app.post('/tokens', { type: 'token', data: '5', mask });
    const refused = await app.patch(`/tokens/${body.id}`, { data: 'abc' });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.errors)).toEqual(['mask']);
    const own = await app.patch(`/tokens/${body.id}`, { data: 'abc', mask });
    expect(Object.keys(own.body.errors)).toEqual(['mask.of Alice']);
    expect((await app.patch(`/tokens/${body.id}`, { data: '6' })).body.data).toBe('6');
  });

  it('has a fingerprint: equal for equal values of one type, different otherwise', async () => {
    const app = await anApplication();
    const fingerprint = async (type: string, data: unknown) =>
      (await app.post('/tokens', { type, data })).body.fingerprint as string;
    expect(await fingerprint('card', CARD)).toBe(
      await fingerprint('card', { ...CARD, expiration_month: 1, cvc: '123' }),
    );
    expect(await fingerprint('token', { a: 1, b: [2] })).toBe(await fingerprint('token', { b: [2], a: 1 }));
    const others = await Promise.all([
      fingerprint('card_number', CARD.number),
      fingerprint('token', CARD.number),
      fingerprint('token', '1'),
      fingerprint('token', 1),
    ]);
    expect(new Set(others).size).toBe(4);
    expect(others[0]).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,44}$/);
  });

  it('accepts an id from the caller, once', async () => {
    const app = await anApplication();
    const id = `order ${String(Date.now())}:ü.@`;
    expect((await app.post('/tokens', { type: 'token', data: 1, id })).body.id).toBe(id);
    expect((await app.get(`/tokens/${encodeURIComponent(id)}`)).body.id).toBe(id);
    const again = await app.post('/tokens', { type: 'token', data: 2, id });
    expect([again.status, again.body.title, again.body.errors]).toEqual([
      409,
      'Conflict',
      { id: ['exists or existed'] },
    ]);
    expect((await app.delete(`/tokens/${encodeURIComponent(id)}`)).status).toBe(204);
    // An id names one token for ever.
    expect((await app.post('/tokens', { type: 'token', data: 2, id })).status).toBe(409);
    expect((await app.get(`/tokens/${encodeURIComponent(id)}`)).status).toBe(404);
  });

  it('accepts no id that the service made, before and after the deletion of its token', async () => {
    const app = await anApplication();
    const { body } = await app.post('/tokens', { type: 'token', data: 1 });
    const take = () => app.post('/tokens', { type: 'token', data: 2, id: body.id });
    expect((await take()).status).toBe(409);
    expect((await app.delete(`/tokens/${body.id}`)).status).toBe(204);
    expect((await take()).status).toBe(409);
    expect((await app.get(`/tokens/${body.id}`)).status).toBe(404);
  });

  it('400: an id that an expression reads as another one', async () => {
    const app = await anApplication();
    const { body } = await app.post('/tokens', { type: 'token', data: 1 });
    const victim = body.id as string;
    const near = [`token:${victim}`, `token : ${victim}`, `${victim} `, ` ${victim}`];
    const invisible = ['\u00a0', '\ufeff', '\u2028'].map((character) => `${victim}${character}`);
    for (const id of [...near, ...invisible])
      expect((await app.post('/tokens', { type: 'token', data: 2, id })).status).toBe(400);
  });

  it('returns 400 for a UUID that spells out the data of the token', async () => {
    const app = await anApplication();
    const number = '4242424242424242';
    for (const [type, data, id] of [
      ['card', { number }, '42424242-4242-4242-8000-000000abcdef'],
      ['card', { number }, 'a4b24242-4242-4a2c-8000-000000abcdef'],
      ['social_security_number', '856452983', '00856452-9830-4000-8000-000000abcdef'],
    ])
      expect((await app.post('/tokens', { type, data, id })).status).toBe(400);
    const fine = await app.post('/tokens', { type: 'card', data: { number }, id: randomUUID() });
    expect(fine.status).toBe(201);
  });

  it('400: an id that breaks the limits', async () => {
    const app = await anApplication();
    for (const id of ['ab', 'x'.repeat(401), 'a/b', 'a#b', 'a+b', 'a%b', 'a{b', 'abc\n']) {
      expect([id, (await app.post('/tokens', { type: 'token', data: 1, id })).body.errors]).toEqual([
        id,
        { id: [expect.any(String)] },
      ]);
    }
  });

  it('accepts an alias as its id', async () => {
    const app = await anApplication();
    const { body } = await app.post('/tokens', {
      type: 'card',
      data: CARD,
      id: '{{ data.number | alias_card: false, true }}',
    });
    expect(body.id).toMatch(/^\d{12}4242$/);
    expect(body.id).not.toBe(CARD.number);
    const fixed = await app.post('/tokens', {
      type: 'token',
      data: `fixed-${body.id as string}`,
      id: '{{ data }}',
    });
    expect(fixed.body.id).toBe(`fixed-${body.id as string}`);
    const fallback = await app.post('/tokens', {
      type: 'token',
      data: `fixed-${body.id as string}`,
      id: '{{ data }}',
    });
    expect(fallback.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('400: an id that contains the number of its card', async () => {
    const app = await anApplication();
    for (const id of ['{{ data.number }}', `card-${CARD.number}`, '4242-4242-4242-4242']) {
      expect((await app.post('/tokens', { type: 'card', data: CARD, id })).status).toBe(400);
    }
  });

  it('is missing after its deletion', async () => {
    const app = await anApplication();
    const { body } = await app.post('/tokens', { type: 'card', data: { ...CARD, cvc: '123' } });
    const deleted = await app.delete(`/tokens/${body.id}`);
    expect([deleted.status, deleted.body]).toEqual([204, '']);
    for (const response of [await app.get(`/tokens/${body.id}`), await app.delete(`/tokens/${body.id}`)])
      expect(response.status).toBe(404);
  });
});

describe('a bad token', () => {
  it.each([
    [{ type: 'card', data: { ...CARD, number: '4242424242424241' } }, 'data.number'],
    [{ type: 'card', data: { ...CARD, expiration_month: 0 } }, 'data.expiration_month'],
    [{ type: 'bank', data: { routing_number: '021000020', account_number: '1' } }, 'data.routing_number'],
    [{ type: 'nothing', data: 1 }, 'type'],
    [{ data: 1 }, 'type'],
    [{ type: 'token' }, 'data'],
    [{ type: 'token', data: null }, 'data'],
    [{ type: 'token', data: 1, containers: ['pci'] }, 'containers[0]'],
    [{ type: 'token', data: 1, containers: ['/a/', '/a//b/'] }, 'containers[1]'],
    [{ type: 'token', data: 1, containers: ['/1/2/3/4/5/6/7/8/9/'] }, 'containers[0]'],
    [
      { type: 'token', data: 1, containers: Array.from({ length: 11 }, (_, index) => `/${String(index)}/`) },
      'containers',
    ],
    [{ type: 'token', data: 1, metadata: { a: 1 } }, 'metadata.a'],
    [{ type: 'token', data: 1, metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    [{ type: 'token', data: 1, metadata: { ['x'.repeat(41)]: '' } }, 'metadata'],
    [{ type: 'token', data: 1, mask: '{{ data | nothing }}' }, 'mask'],
    [{ type: 'token', data: 1, mask: { a: '{{ data' } }, 'mask.a'],
    [{ type: 'token', data: 1, mask: { a: [{ b: '{{ data, }}' }] } }, 'mask.a[0].b'],
    [{ type: 'token', data: 'abc', mask: '{{ data | to_number }}' }, 'mask'],
    [{ type: 'token', data: 'a', mask: '{{ data | append: other }}' }, 'mask'],
    [{ type: 'token', data: 'a'.repeat(500_000), mask: '{{ data | upcase }}' }, 'mask'],
    [{ type: 'token', data: 1, search_indexes: ['{{ metadata.a }}'] }, 'search_indexes[0]'],
    [{ type: 'token', data: 1, fingerprint_expression: 'same' }, 'fingerprint_expression'],
    [{ type: 'token', data: 1, fingerprint_expression: '{{ metadata.a }}' }, 'fingerprint_expression'],
    [{ type: 'token', data: 1, fingerprint_expression: '{{ data | json }}' }, 'fingerprint_expression'],
    [{ type: 'token', data: 1, fingerprint_expression: 'x'.repeat(401) }, 'fingerprint_expression'],
    [{ type: 'token', data: 1, expires_at: 'tomorrow' }, 'expires_at'],
    [{ type: 'token', data: 1, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ type: 'token', data: 1, id: '{{ data | nothing }}' }, 'id'],
  ])('400: %# names the member that is wrong', async (token, path) => {
    const app = await anApplication();
    const { status, body } = await app.post('/tokens', token);
    expect(status).toBe(400);
    expect(body).toMatchObject({ title: 'Bad Request', status: 400, detail: expect.any(String) });
    expect(Object.keys(body.errors)).toEqual([path]);
    expect(withoutRandom(body)).not.toMatch(/4242|021000/);
  });
});

describe('access', () => {
  it('403: a management key cannot touch tokens, a token key cannot touch applications', async () => {
    expect((await management.post('/tokens', { type: 'token', data: 1 })).status).toBe(403);
    expect((await management.get('/tokens/some-id')).status).toBe(403);
    const app = await anApplication();
    expect(
      (await app.post('/applications', { name: 'x', type: 'private', permissions: ['token:read'] })).status,
    ).toBe(403);
  });

  it('403: a rule on another container does not help, and creating needs all containers', async () => {
    const app = await anApplication();
    const rule = {
      priority: 1,
      container: '/a/',
      transform: 'reveal',
      permissions: ['token:create', 'token:read', 'token:delete'],
    };
    const narrow = await anApplication({ rules: [rule] });
    const { body } = await app.post('/tokens', { type: 'token', data: 1, containers: ['/b/'] });
    expect((await narrow.get(`/tokens/${body.id}`)).status).toBe(403);
    expect((await narrow.delete(`/tokens/${body.id}`)).status).toBe(403);
    expect(
      (await narrow.post('/tokens', { type: 'token', data: 1, containers: ['/a/x/', '/b/'] })).status,
    ).toBe(403);
    const mine = await narrow.post('/tokens', { type: 'token', data: 1, containers: ['/a/x/'] });
    expect([mine.status, mine.body.data]).toEqual([201, 1]);
    expect((await narrow.delete(`/tokens/${mine.body.id}`)).status).toBe(204);
  });

  it('a public application can only create tokens', async () => {
    const collecting = await anApplication({ type: 'public', permissions: ['token:create'] });
    const { status, body } = await collecting.post('/tokens', { type: 'card', data: CARD });
    expect([status, body.data.number]).toEqual([201, 'XXXXXXXXXXXX4242']);
    expect((await collecting.get(`/tokens/${body.id}`)).status).toBe(403);
  });
});

describe('unusual input', () => {
  const long = 'a'.repeat(3_000);

  it('treats an id longer than any id as unknown', async () => {
    const app = await anApplication();
    const responses = await Promise.all([
      app.get(`/tokens/${long}`),
      app.patch(`/tokens/${long}`, { data: 1 }),
      app.delete(`/tokens/${long}`),
      app.post('/detokenize', `{{ ${long} }}`),
      app.get(`/tokens?id=${long}`),
      app.post('/tokens/search', { query: `id:"${long}"` }),
      app.post('/tokens/search', { query: `fingerprint:"${long}"` }),
      app.post('/tokens/search', { query: 'fingerprint:""' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 400, 200, 200, 200, 200]);
  });

  it('stores and patches members named __proto__ like any other, in data and metadata', async () => {
    const app = await aRevealingApplication();
    const headers = { 'Content-Type': 'application/json' };
    const raw = '{"type":"token","data":{"__proto__":{"a":1}},"metadata":{"__proto__":"x"}}';
    const { body } = await app.post('/tokens', undefined, { raw, headers });
    const patch = '{"data":{"__proto__":{"b":2}},"metadata":{"__proto__":"y"}}';
    const merge = { 'Content-Type': 'application/merge-patch+json' };
    await app.patch(`/tokens/${body.id}`, undefined, { raw: patch, headers: merge });
    const { data, metadata } = (await app.get(`/tokens/${body.id}`)).body;
    expect(JSON.stringify([data, metadata])).toBe('[{"__proto__":{"a":1,"b":2}},{"__proto__":"y"}]');
    const bad = '{"type":"token","data":1,"metadata":{"__proto__":{}}}';
    expect((await app.post('/tokens', undefined, { raw: bad, headers })).status).toBe(400);
  });

  it('413: masks, metadata and expressions larger than their record; smaller ones fit with any data', async () => {
    const app = await aRevealingApplication();
    const token = { type: 'token', data: 'x'.repeat(349_000) };
    expect((await app.post('/tokens', { ...token, mask: 'm'.repeat(300_001) })).status).toBe(413);
    const { status, body } = await app.post('/tokens', { ...token, mask: 'm'.repeat(290_000) });
    expect(status).toBe(201);
    expect((await app.get(`/tokens/${body.id}`)).body).toEqual(body);
  });

  it('replays a response of megabytes for an idempotency key', async () => {
    const app = await aRevealingApplication();
    const headers = { 'SVC-IDEMPOTENCY-KEY': `large ${String(Date.now())}` };
    const create = () => app.post('/tokens', { type: 'token', data: 'x'.repeat(2_000_000) }, { headers });
    const first = await create();
    expect(first.status).toBe(201);
    expect((await create()).body).toEqual(first.body);
  });
});
