import { randomBytes, randomUUID } from 'node:crypto';
import { GetItemCommand, PutItemCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { dynamodbOf } from '../support/aws.ts';
import { CLOSED_PORT } from '../support/run-service.ts';
import {
  anApplication,
  aRevealingApplication,
  CARD,
  credentials,
  management,
  revealing,
} from '../support/service.ts';

/*
 * The walls between callers (docs/security.md#invariants-between-callers), over HTTP, with the
 * calls that once broke them. test/security/ tests their properties.
 */

const scope = () => `/walls-${randomUUID()}/`;
const rule = (container: string, transform: string, permissions: string[], priority = 1) => ({
  priority,
  container,
  transform,
  permissions,
});

describe('a caller with token:update alone', () => {
  it('changes no description, sees no content, and gets an error that names the rule it needs', async () => {
    const owner = await aRevealingApplication();
    const browser = await anApplication({ type: 'public', permissions: ['token:update'] });
    const { body } = await owner.post('/tokens', { type: 'card', data: CARD });
    for (const description of [
      { mask: '{{ data }}' },
      { mask: body.mask },
      { fingerprint_expression: '{{ data.number | slice: 0, 1 }}' },
      { search_indexes: ['{{ data.number }}'] },
      { containers: ['/low/'] },
      { containers: body.containers, data: { expiration_month: 1 } },
    ]) {
      const { status, body: problem } = await browser.patch(`/tokens/${body.id}`, description);
      expect([status, problem.detail]).toEqual([
        403,
        expect.stringContaining('token:update with the transform reveal'),
      ]);
    }
    const { status, body: response } = await browser.patch(`/tokens/${body.id}`, {
      data: { expiration_month: 2 },
    });
    expect(status).toBe(200);
    expect(Object.keys(response).sort()).toEqual(
      [
        'containers',
        'created_at',
        'created_by',
        'id',
        'modified_at',
        'modified_by',
        'tenant_id',
        'type',
      ].sort(),
    );
    expect((await owner.get(`/tokens/${body.id}`)).body).toMatchObject({
      data: { ...CARD, expiration_month: 2 },
      mask: body.mask,
    });
  });

  it('does not move a token to where it may read', async () => {
    const high = scope();
    const low = scope();
    const owner = await aRevealingApplication();
    const { body } = await owner.post('/tokens', { type: 'token', data: 'hidden', containers: [high] });
    const weak = await anApplication({
      rules: [rule('/', 'redact', ['token:update']), rule(low, 'reveal', ['token:read'], 2)],
    });
    expect((await weak.patch(`/tokens/${body.id}`, { containers: [low] })).status).toBe(403);
    expect((await weak.get(`/tokens/${body.id}`)).status).toBe(403);
  });
});

describe('deduplication', () => {
  const ROUTING = '021000021';
  const THIEF = { routing_number: '011000015', account_number: '666666666' };

  it('never returns a token that an attacker created under a chosen fingerprint', async () => {
    const browser = await anApplication({ type: 'public', permissions: ['token:create'] });
    const shop = await aRevealingApplication();
    const account = String(Date.now());
    const plants = [
      `${account}|${ROUTING}`,
      `{{ data.account_number | replace: '666666666', '${account}' }}|{{ data.routing_number | replace: '011000015', '${ROUTING}' }}`,
    ];
    const planted = await Promise.all(
      plants.map((expression) =>
        browser.post('/tokens', { type: 'bank', data: THIEF, fingerprint_expression: expression }),
      ),
    );
    expect(planted.map(({ status }) => status)).toEqual([400, 201]);
    const payee = { type: 'bank', data: { routing_number: ROUTING, account_number: account } };
    const { body } = await shop.post('/tokens', { ...payee, deduplicate_token: true });
    expect(body).toMatchObject({ data: payee.data });
    expect(body).not.toHaveProperty('_extras');
    const tokenized = await shop.post('/tokenize', { to: { ...payee, deduplicate_token: true } });
    expect(tokenized.body.to).toMatchObject({ id: body.id, data: payee.data });
  });

  it('returns no token that its creator can later change or expire', async () => {
    const browser = await anApplication({ type: 'public', permissions: ['token:create', 'token:update'] });
    const shop = await aRevealingApplication();
    const data = `shared ${randomUUID()}`;
    const wanted = { type: 'token', data, deduplicate_token: true };
    const soon = new Date(Date.now() + 60_000).toISOString();
    const short = await browser.post('/tokens', { ...wanted, expires_at: soon });
    const masked = await browser.post('/tokens', { ...wanted, mask: '{{ data }}' });
    const plain = await browser.post('/tokens', wanted);
    const { body } = await shop.post('/tokens', wanted);
    expect(body).toMatchObject({ id: plain.body.id, _extras: { deduplicated: true } });
    expect([short.body.id, masked.body.id]).not.toContain(body.id);
    for (const change of [{ data: 'other' }, { expires_at: soon }, { mask: '{{ data }}' }]) {
      expect((await browser.patch(`/tokens/${body.id}`, change)).status).toBe(403);
    }
    expect((await shop.get(`/tokens/${body.id}`)).body).toMatchObject({ data });
  });
});

describe('a list', () => {
  it('always succeeds, and shows each token as a read of it alone does', async () => {
    const container = scope();
    const owner = await anApplication({ rules: [revealing(container)] });
    const reader = await anApplication({ rules: [rule(container, 'mask', ['token:read', 'token:search'])] });
    const own = await owner.post('/tokens', {
      type: 'token',
      data: 'mine',
      mask: '{{ data | last4 }}',
      containers: [container],
    });
    const browser = await anApplication({
      rules: [rule(container, 'mask', ['token:create'])],
      type: 'public',
    });
    const planted = [
      { data: 'd'.repeat(300_000), mask: { m: 'm'.repeat(290_000) } },
      { data: 'd'.repeat(900_000) },
      { data: 'd'.repeat(60_000), mask: '{{ data | upcase }}' },
    ];
    for (const token of [...planted, ...planted, ...planted]) {
      const { status } = await browser.post('/tokens', { type: 'token', containers: [container], ...token });
      expect(status).toBe(201);
    }
    const alone = (await reader.get(`/tokens?id=${own.body.id as string}`)).body.data[0];
    expect(alone.data).toBe('mine');
    for (const page of [
      await reader.get('/tokens'),
      await reader.get('/tokens?size=100'),
      await reader.post('/tokens/search', { query: `container:"${container}"` }),
    ]) {
      expect(page.status).toBe(200);
      expect(page.body.data).toHaveLength(10);
      expect(page.body.data.at(-1)).toEqual(alone);
      expect(page.body.data[2]._extras.omitted).toEqual(
        expect.arrayContaining(['mask', 'metadata', 'fingerprint_expression']),
      );
    }
    const large = await owner.get('/tokens?size=1');
    expect(large.body.data[0]).toMatchObject({ data: 'd'.repeat(60_000) });
  });

  it('never fails on a mask: a mask that is too expensive or fails is rejected on write', async () => {
    const app = await aRevealingApplication();
    const data = 'a'.repeat(290_000);
    for (const mask of [
      `{{ data | remove_last: '${'a'.repeat(990)}b' }}`,
      '{{ data | to_number }}',
      '{{ name }}',
    ]) {
      const { status, body } = await app.post('/tokens', { type: 'token', data, mask });
      expect([status, Object.keys(body.errors ?? {})]).toEqual([400, ['mask']]);
    }
    const { body } = await app.post('/tokens', { type: 'token', data: '17', mask: '{{ data | to_number }}' });
    const patched = await app.patch(`/tokens/${body.id}`, { data: 'seventeen' });
    expect([patched.status, Object.keys(patched.body.errors ?? {})]).toEqual([400, ['mask']]);
  });
});

describe('a search', () => {
  it('confirms and counts no data and no fingerprint that is redacted for the caller', async () => {
    const container = scope();
    const owner = await anApplication({ rules: [revealing(container)] });
    const number = randomUUID();
    const create = (more: object) =>
      owner.post('/tokens', {
        type: 'token',
        data: number,
        containers: [container],
        search_indexes: ['{{ data }}'],
        ...more,
      });
    const bare = await create({});
    const masked = await create({ mask: '{{ data | last4 }}' });
    const queries = [`data:"${number}"`, `fingerprint:${bare.body.fingerprint as string}`];
    for (const [transform, found] of [
      ['redact', []],
      ['mask', [masked.body.id]],
      ['reveal', [masked.body.id, bare.body.id]],
    ] as const) {
      const searcher = await anApplication({ rules: [rule(container, transform, ['token:search'])] });
      for (const query of [...queries, `id:${bare.body.id as string} AND ${queries[0] ?? ''}`]) {
        const { body } = await searcher.post('/tokens/search', { query });
        const expected = query.startsWith('id:') ? found.filter((id) => id === bare.body.id) : found;
        expect(body.data.map(({ id }: { id: string }) => id)).toEqual(expected);
        expect(body.pagination.total_items).toBe(expected.length);
      }
    }
    expect((await owner.post('/tokens/search', { query: 'data:12*' })).status).toBe(400);
  });
});

describe('detokenization', () => {
  it('413: of more than 6 MB, before it is read', async () => {
    const app = await aRevealingApplication();
    const data = 'd'.repeat(3_100_000);
    const [one, two] = await Promise.all([1, 2].map(() => app.post('/tokens', { type: 'token', data })));
    const ids = [one, two].map((response) => `{{ ${String(response?.body.id)} | last4 }}`);
    expect((await app.post('/detokenize', ids)).status).toBe(413);
    expect((await app.post('/detokenize', ids.slice(1))).body).toEqual(['dddd']);
    const small = await app.post('/tokens', { type: 'token', data: 'd'.repeat(100_000) });
    const often = Array.from({ length: 70 }, () => `{{ ${String(small.body.id)} }}`);
    expect((await app.post('/detokenize', often)).status).toBe(413);
  });
});

describe('a redacted reader', () => {
  it('learns nothing of the size of data by detokenizing it', async () => {
    const owner = await aRevealingApplication();
    const reader = await anApplication({ rules: [rule('/', 'redact', ['token:read'])] });
    const data = 'd'.repeat(3_400_000);
    const ids = await Promise.all(
      [1, 2].map(async () => (await owner.post('/tokens', { type: 'token', data })).body.id as string),
    );
    const { status, body } = await reader.post(
      '/detokenize',
      ids.map((id) => `{{ ${id} }}`),
    );
    expect([status, body]).toEqual([200, [null, null]]);
  });
});

describe('the replay of a reactor’s response', () => {
  it('ends with the tokens that the response was made from, and with the right to use them', async () => {
    const container = scope();
    const app = await anApplication({ rules: [revealing(container)] });
    const token = await app.post('/tokens', { type: 'token', data: 'secret', containers: [container] });
    const reactor = await management.post('/reactors', {
      name: 'echo',
      code: 'module.exports = ({ args }) => ({ raw: args });',
      configuration: {},
    });
    const react = () =>
      app.post(
        `/reactors/${reactor.body.id as string}/react`,
        { args: { value: `{{ ${token.body.id as string} }}` } },
        { headers: { 'SVC-IDEMPOTENCY-KEY': 'once' } },
      );
    expect((await react()).body).toEqual({ raw: { value: 'secret' } });
    expect((await react()).body).toEqual({ raw: { value: 'secret' } });
    const rules = (at: string) => ({ name: 'x', rules: [revealing(at)] });
    await management.put(`/applications/${app.id}`, rules(scope()));
    expect((await react()).status).toBe(403);
    await management.put(`/applications/${app.id}`, rules(container));
    await app.delete(`/tokens/${token.body.id as string}`);
    const gone = await react();
    expect([gone.status, gone.body.detail]).toEqual([409, expect.stringContaining('no longer stored')]);
    await management.put(`/applications/${app.id}`, rules(scope()));
    expect((await react()).status).toBe(403);
  });
});

describe('a token that the code of a reactor creates', () => {
  it('may be deduplicated', async () => {
    const app = await aRevealingApplication();
    const reactor = await management.post('/reactors', {
      name: 'tokenizes',
      code: `module.exports = ({ args }) => ({
        tokenize: { type: 'token', data: args.data, deduplicate_token: true },
      });`,
      configuration: {},
    });
    const react = () =>
      app.post(`/reactors/${reactor.body.id as string}/react`, { args: { data: `made ${app.id}` } });
    const first = await react();
    const second = await react();
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.tokens).toMatchObject({
      id: first.body.tokens.id,
      _extras: { deduplicated: true },
    });
  });
});

describe('a token whose id shows the last four of its card', () => {
  it('rejects another card whose number is in the id', async () => {
    const app = await aRevealingApplication();
    const other = '4000056655665556';
    const { body, status } = await app.post('/tokens', {
      type: 'card',
      data: CARD,
      id: `p${other}-${String(Date.now())}`,
    });
    expect(status).toBe(201);
    const patched = await app.patch(`/tokens/${encodeURIComponent(body.id as string)}`, {
      data: { number: other },
    });
    expect([patched.status, Object.keys(patched.body.errors ?? {})]).toEqual([400, ['data']]);
  });
});

describe('the code of a reactor', () => {
  it('sees no response to its application, and claims none of its idempotency keys', async () => {
    const application = await anApplication({ rules: [revealing()] });
    const code = `module.exports = async ({ bt, args }) => {
      const created = await bt.tokens.create({ type: 'token', data: args.data }, { idempotencyKey: args.key });
      return { raw: { id: created.id } };
    };`;
    const reactor = await management.post('/reactors', {
      name: 'claims',
      code,
      configuration: {},
      application: { id: application.id },
    });
    const react = (args: object) =>
      application.post(`/reactors/${reactor.body.id as string}/react`, { args });
    const headers = (key: string) => ({ headers: { 'SVC-IDEMPOTENCY-KEY': key } });
    const first = randomUUID();
    const second = randomUUID();
    const own = await application.post('/tokens', { type: 'token', data: 'order' }, headers(first));
    expect((await react({ key: first, data: 'order' })).body.raw.id).not.toBe(own.body.id);
    const claimed = await react({ key: second, data: 'attack' });
    const later = await application.post('/tokens', { type: 'token', data: 'genuine' }, headers(second));
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(claimed.body.raw.id);
  });
});

type Item = Record<string, AttributeValue>;

/** The item of a token, as an administrator of its table reads and writes it. */
async function itemOf(id: string) {
  const client = dynamodbOf(credentials);
  const TableName = 'Cloakroom-Tokens';
  const Key = { pk: { S: `${credentials.tenant_id}#${id}` }, sk: { S: 'token' } };
  const { Item = {} } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return { item: Item, put: (next: Item) => client.send(new PutItemCommand({ TableName, Item: next })) };
}

const without = (item: Item, name: string): Item =>
  Object.fromEntries(Object.entries(item).filter(([each]) => each !== name));

/** The administrator changes these; encrypted data stays as it is. */
const FORGERIES: readonly (readonly [what: string, forge: (item: Item) => Item])[] = [
  ['its mask and metadata removed', (item) => without(item, 'encryptedDetails')],
  [
    'its mask and metadata replaced by a large text',
    (item) => ({ ...item, encryptedDetails: { B: randomBytes(200_000) } }),
  ],
  ['another container', (item) => ({ ...item, containers: { L: [{ S: '/walls/forged/' }] } })],
  ['terms of another token', (item) => ({ ...item, terms: { L: [{ S: 'forged' }] } })],
  ['another creator', (item) => ({ ...item, createdBy: { S: randomUUID() } })],
];

describe('a token that an administrator of its table changed', () => {
  it.each(FORGERIES.filter((_, at) => IS_THOROUGH || at % 2 === 0))(
    'is shown, filled in, changed and deleted for no caller: %s',
    async (_what, forge) => {
      const owner = await aRevealingApplication();
      const by = (transform: string) =>
        anApplication({
          rules: [
            rule('/', transform, ['token:read', 'token:search', 'token:update', 'token:use', 'token:delete']),
          ],
        });
      const callers = [owner, await by('mask'), await by('redact')];
      // It may delete in one place only, so its request reads the token.
      const narrow = await anApplication({ rules: [rule('/walls/', 'redact', ['token:delete'])] });
      const { body: reactor } = await management.post('/reactors', {
        name: 'x',
        configuration: {},
        code: 'module.exports = (req) => ({ raw: { got: req.args.a } });',
      });
      const { body } = await owner.post('/tokens', {
        type: 'token',
        data: 'a secret',
        mask: null,
        containers: ['/walls/'],
        metadata: { who: 'bob' },
        search_indexes: ['{{ data }}'],
      });
      const id = String(body.id);
      const closed = `https://localhost:${String(CLOSED_PORT)}`;
      const ask = async (): Promise<readonly number[]> => {
        const responses = await Promise.all([
          ...callers.flatMap((caller) => [
            caller.get(`/tokens/${id}`),
            caller.get(`/tokens?id=${id}&size=50`),
            caller.post('/tokens/search', { query: `id:${id}`, size: 50 }),
            caller.post('/detokenize', { a: `{{ ${id} }}` }),
            caller.post('/detokenize', { a: `{{ token: ${id} }}` }),
          ]),
          owner.post('/proxy', { a: `{{ ${id} }}` }, { headers: { 'SVC-PROXY-URL': closed } }),
          owner.post(`/reactors/${String(reactor.id)}/react`, { args: { a: `{{ ${id} }}` } }),
          owner.patch(`/tokens/${id}`, { metadata: { seen: 'yes' } }),
        ]);
        return responses.map(({ status }) => status);
      };
      const { item, put } = await itemOf(id);
      await put(forge(item));
      expect(new Set([...(await ask()), (await narrow.delete(`/tokens/${id}`)).status])).toEqual(
        new Set([500]),
      );
      await put(item);
      expect(new Set(await ask())).toEqual(new Set([200, 502]));
      expect((await narrow.delete(`/tokens/${id}`)).status).toBe(204);
    },
  );
});
