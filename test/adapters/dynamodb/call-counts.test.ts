import { dueCvcs, dueTokens } from '../../../src/adapters/dynamodb/due-tokens.ts';
import { BUDGETS } from '../../../tools/bench/budgets.ts';
import type { CountedOperation } from '../../../tools/bench/counts/counted-operation.ts';
import { countedOperations } from '../../../tools/bench/counts/operations.ts';
import { wireCost, type WireCost } from '../../../tools/bench/counts/wire.ts';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { aCvc, aStoredToken } from '../../support/builders/a-stored-token.ts';
import { aDatabase, type DatabaseCall } from '../../support/a-database.ts';
import { tableUnder } from '../../support/docs-table.ts';
import { httpClient, type HttpClient } from '../../support/http-client.ts';
import { parkDelivery } from '../../support/parked-delivery.ts';
import { CARD } from '../../support/sample-requests.ts';
import { serviceHere, type ServiceHere } from '../../support/service-here.ts';
import type { CallRecord } from '../../../packages/local-aws/src/aws-endpoint/call-counter.ts';

/** The cost of an operation: calls by name, and the units of all of them together. */
interface Cost {
  readonly calls: Readonly<Record<string, number>>;
  readonly units: number;
}

/** The table of docs/storage.md: `| operation | keys | BatchGetItem 2, PutItem 1 | 4 |`. */
function documentedCosts(): ReadonlyMap<string, Cost & { readonly isRough: boolean }> {
  return new Map(
    tableUnder('docs/storage.md', '## Access patterns').map(([, name = '', , calls = '', units = '']) => [
      name,
      {
        calls: parseCalls(calls),
        units: Number(units.replace('about ', '')),
        isRough: units.startsWith('about '),
      },
    ]),
  );
}

function parseCalls(cell: string): Cost['calls'] {
  const pairs = cell.split(', ').map((part) => part.split(' '));
  return Object.fromEntries(pairs.map(([name = '', count = '']) => [name, Number(count)]));
}

function costOf(calls: readonly DatabaseCall[]): Cost {
  const byAction = Map.groupBy(calls, ({ action }) => action.replace('dynamodb:', ''));
  return {
    calls: Object.fromEntries([...byAction].map(([action, records]) => [action, records.length])),
    units: calls.reduce((sum, { consumedCapacity = 0 }) => sum + consumedCapacity, 0),
  };
}

let service: ServiceHere;
let app: HttpClient;
let management: HttpClient;
let user: HttpClient;
/** The proxy whose transform fails. */
let failing: ReturnType<typeof aProxy>;
/** Its deliveries are counted, and this is its id. */
let reactor: string;

const clientOf = (apiKey: string) => httpClient(service.credentials.base_url, apiKey);

let serial = 0;
let hundreds = 0;
const created = async (body: Record<string, unknown>): Promise<string> =>
  (await app.post('/tokens', { type: 'token', data: 'x', ...body })).body.id as string;

/** Lists have some 500 tokens to count. */
async function createHundreds(): Promise<void> {
  for (; hundreds < 6; hundreds += 1)
    await app.post(
      '/tokenize',
      Array.from({ length: 100 }, (_, index) => index),
    );
}

/** Creates a proxy that sets a member of each request, which fails for a body that is no object. */
const aProxy = async () =>
  (
    await management.post('/proxies', {
      name: 'counting',
      destination_url: 'https://destination.example.com',
      request_transforms: [{ type: 'append_json', location: '$.a', value: 1 }],
    })
  ).body as { id: string; key: string };

const failTransform = async () => {
  const headers = { 'SVC-PROXY-KEY': (await failing).key };
  return user.post('/proxy', 'no object', { headers });
};

/** Each operation prepares its input, and returns the function whose calls are counted. */
const OPERATIONS: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  authenticate: () => Promise.resolve(() => app.get('/applications')),
  'create a token': () => Promise.resolve(() => app.post('/tokens', { type: 'token', data: 'x' })),
  'create a card': () => Promise.resolve(() => app.post('/tokens', { type: 'card', data: CARD })),
  'create a card with cvc': () =>
    Promise.resolve(() => app.post('/tokens', { type: 'card', data: { ...CARD, cvc: '123' } })),
  'create with two metadata pairs': () =>
    Promise.resolve(() => app.post('/tokens', { type: 'token', data: 'x', metadata: { a: 'b', c: 'd' } })),
  'create with deduplicate_token': () =>
    Promise.resolve(() =>
      app.post('/tokens', { type: 'token', data: `only ${String((serial += 1))}`, deduplicate_token: true }),
    ),
  'create under an idempotency key': () =>
    Promise.resolve(() => {
      const headers = { 'SVC-IDEMPOTENCY-KEY': `key ${String((serial += 1))}` };
      return app.post('/tokens', { type: 'token', data: 'x' }, { headers });
    }),
  'get a token': async () => {
    const id = await created({});
    return () => app.get(`/tokens/${id}`);
  },
  'get a revealed card with cvc': async () => {
    const id = await created({ type: 'card', data: { ...CARD, cvc: '123' } });
    return () => app.get(`/tokens/${id}`);
  },
  'get data of 1 MB': async () => {
    const id = await created({ data: 'x'.repeat(1_000_000) });
    return () => app.get(`/tokens/${id}`);
  },
  'list 20 by cursor': async () => {
    await createHundreds();
    const { after } = (await app.get('/tokens')).body.pagination as { after: string };
    return () => app.get(`/tokens?after=${after}`);
  },
  'list 100 by cursor': async () => {
    await createHundreds();
    const { after } = (await app.get('/tokens?size=100')).body.pagination as { after: string };
    return () => app.get(`/tokens?size=100&after=${after}`);
  },
  'list 20 of some 500 by number': () => Promise.resolve(() => app.get('/tokens?page=2')),
  'search a term with one match': async () => {
    const mark = `mark ${String((serial += 1))}`;
    await created({ metadata: { mark } });
    return () => app.post('/tokens/search', { query: `metadata.mark:"${mark}"` });
  },
  'search two terms with one match': async () => {
    const mark = `mark ${String((serial += 1))}`;
    await created({ metadata: { mark, more: mark } });
    return () => app.post('/tokens/search', { query: `metadata.mark:"${mark}" AND metadata.more:"${mark}"` });
  },
  'update a token': async () => {
    const id = await created({});
    return () => app.patch(`/tokens/${id}`, { data: 'y' });
  },
  'delete a token': async () => {
    const id = await created({});
    return () => app.delete(`/tokens/${id}`);
  },
  'delete a card': async () => {
    const id = await created({ type: 'card', data: CARD });
    return () => app.delete(`/tokens/${id}`);
  },
  'delete a token with two metadata pairs': async () => {
    const id = await created({ metadata: { a: 'b', c: 'd' } });
    return () => app.delete(`/tokens/${id}`);
  },
  'tokenize 100 values': () =>
    Promise.resolve(() =>
      app.post(
        '/tokenize',
        Array.from({ length: 100 }, (_, index) => index),
      ),
    ),
  'detokenize 100 tokens': async () => {
    const ids = (
      await app.post(
        '/tokenize',
        Array.from({ length: 100 }, (_, index) => index),
      )
    ).body as string[];
    return () =>
      app.post(
        '/detokenize',
        ids.map((id) => `{{ ${id} }}`),
      );
  },
  'detokenize 100 cards with cvc': async () => {
    const cards = Array.from({ length: 100 }, () => ({ type: 'card', data: { ...CARD, cvc: '123' } }));
    const tokens = (await app.post('/tokenize', cards)).body as { id: string }[];
    return () =>
      app.post(
        '/detokenize',
        tokens.map(({ id }) => `{{ ${id} | json: '$.cvc' }}`),
      );
  },
  'list 20 of a container by cursor': async () => {
    const containers = ['/counted/'];
    const each = { type: 'token', data: 'x', containers };
    await app.post(
      '/tokenize',
      Array.from({ length: 50 }, () => each),
    );
    const { after } = (await app.get('/tokens?container=/counted/')).body.pagination as { after: string };
    return () => app.get(`/tokens?container=/counted/&after=${after}`);
  },
  'list one parked delivery': async () => {
    if ((await management.get(`/reactors/${reactor}/deliveries`)).body.data.length === 0)
      await parkDelivery(service.dynamodb, service.credentials.tenant_id, reactor, service.clock.now());
    return () => management.get(`/reactors/${reactor}/deliveries`);
  },
  'list 20 of 30 proxies': async () => {
    const { pagination } = (await management.get('/proxies?size=1')).body;
    for (let made = pagination.total_items as number; made < 30; made += 1) await aProxy();
    return () => management.get('/proxies');
  },
  'list failures of a proxy': async () => {
    const { id } = await failing;
    if ((await management.get(`/proxies/${id}/failures`)).body.data.length === 0) await failTransform();
    return () => management.get(`/proxies/${id}/failures`);
  },
};

/** Each is of another function, which these operations start. */
const OF_EACH_FUNCTION = [
  'authenticate',
  'create a token',
  'list one parked delivery',
  'list 20 of 30 proxies',
  'list failures of a proxy',
];

const measured = new Map<string, readonly CallRecord[]>();

/** The calls of an operation that its function has run before. */
async function warmCalls(name: string): Promise<readonly CallRecord[]> {
  const known = measured.get(name);
  if (known !== undefined) return known;
  await (
    await OPERATIONS[name]?.()
  )?.();
  const operation = await OPERATIONS[name]?.();
  service.takeCalls();
  await operation?.();
  const calls = service.takeCalls();
  measured.set(name, calls);
  return calls;
}

/**
 * The sweep runs by schedule; here it runs over a separate database, so that its calls can be
 * counted alone.
 */
async function sweepCost(prepare: 'token' | 'cvc'): Promise<Cost> {
  const database = await aDatabase();
  const tables = database.tables();
  const now = Date.now();
  const mortal = aStoredToken({ expiration: { at: now, offsetMinutes: 0 } });
  const card = aStoredToken({ type: 'card', cvcUntil: now });
  await createTokenStore(tables, () => now).create([
    prepare === 'token' ? { token: mortal } : { token: card, cvc: aCvc(now) },
  ]);
  database.takeCalls();
  const work = prepare === 'token' ? dueTokens(tables, () => now) : dueCvcs(tables, () => now);
  await sweep(work, { clock: () => now, deadline: now + 60_000, onFailure: () => undefined });
  const calls = database.takeCalls();
  await database.close();
  return costOf(calls);
}

const SWEEPS = { 'sweep one expired token': 'token', 'sweep one cvc': 'cvc' } as const;

beforeAll(async () => {
  service = await serviceHere();
  const rules = [
    {
      priority: 1,
      container: '/',
      transform: 'reveal',
      permissions: ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search'],
    },
  ];
  const application = { name: 'counting', type: 'private', permissions: [], rules };
  management = clientOf(service.credentials.management_key);
  reactor = (
    await management.post('/reactors', {
      name: 'counting',
      code: 'module.exports = () => ({});',
      configuration: {},
    })
  ).body.id as string;
  const ofUser = { name: 'counting', type: 'private', permissions: ['token:use'] };
  user = clientOf((await management.post('/applications', ofUser)).body.key as string);
  failing = aProxy();
  app = clientOf((await management.post('/applications', application)).body.key as string);
  // The first record of a minute marks it in the audit trail, and the second one the next minute.
  // The clock of the service stays in this one.
  for (const name of OF_EACH_FUNCTION) for (const _ of [1, 2]) await (await OPERATIONS[name]?.())?.();
});
afterAll(() => service.close());

describe('docs/storage.md', () => {
  const documented = documentedCosts();

  /**
   * The cost in the table; `about` allows a difference of an eighth, since tokens fall into shards
   * at random.
   */
  const asDocumented = (name: string, { units: counted }: Cost): Cost | undefined => {
    const said = documented.get(name);
    if (said === undefined) return undefined;
    const isNear = said.isRough && Math.abs(said.units - counted) <= said.units / 8;
    return { calls: said.calls, units: isNear ? counted : said.units };
  };

  it('lists exactly the operations that are counted here', () => {
    expect([...documented.keys()].sort()).toEqual(
      [...Object.keys(OPERATIONS), ...Object.keys(SWEEPS)].sort(),
    );
  });

  it.each(Object.keys(OPERATIONS))(
    'states what "%s" costs on a warm path, without a call to KMS',
    async (name) => {
      const cost = costOf(await warmCalls(name));
      expect([name, cost]).toEqual([name, asDocumented(name, cost)]);
    },
  );

  it.each(Object.entries(SWEEPS))('states what "%s" costs', async (name, prepare) => {
    const cost = await sweepCost(prepare);
    expect([name, cost]).toEqual([name, asDocumented(name, cost)]);
  });
});

describe('budgets of the architecture', () => {
  it.each([
    ['get a token', BUDGETS.warmCalls['get a card']],
    ['create a card', BUDGETS.warmCalls['create a card']],
    ['delete a card', BUDGETS.warmCalls['delete a card']],
    ['update a token', BUDGETS.warmCalls['PATCH a card']],
    ['detokenize 100 tokens', 3],
  ])('limit the AWS calls of "%s", and allow none to KMS', async (name, limit) => {
    const { calls, auditCalls, kmsCalls } = wireCost(await warmCalls(name));
    expect(calls - auditCalls).toBeLessThanOrEqual(limit - BUDGETS.auditCalls.warm);
    expect(auditCalls).toBe(BUDGETS.auditCalls.warm);
    expect(kmsCalls).toBe(BUDGETS.kmsCalls.warm);
  });

  it('hold for a default card: an item of 1 KB, with a copy in each of two indexes', async () => {
    const { writeUnits, auditUnits } = wireCost(await warmCalls('create a card'));
    expect(writeUnits - auditUnits).toBe(BUDGETS.cardWriteUnits);
    expect(auditUnits).toBe(BUDGETS.auditWriteUnits);
  });
});

describe('a fresh instance', () => {
  const documented = tableUnder('docs/storage.md', '### Cold').map(
    ([, name = '', ...cells]) => [name, cells.filter((cell) => cell !== '').map(Number)] as const,
  );
  let operations: readonly CountedOperation[];

  beforeAll(async () => {
    operations = await countedOperations(service.credentials, 'https://destination.example.com/');
  });

  /** The costs of an operation as the first one of an instance, and as its third one. */
  async function coldAndWarm(name: string): Promise<readonly [cold: WireCost, warm: WireCost]> {
    const operation = operations.find((each) => each.name === name);
    if (operation === undefined) throw new Error(`${name} is no operation of tools/bench/counts`);
    // The first call of a reactor on a day notes it, by a call more.
    if (name === 'react') await service.startInstance(operation.folder)(await operation.event());
    const invoke = service.startInstance(operation.folder);
    const costs: WireCost[] = [];
    for (const _ of [1, 2, 3]) {
      const event = await operation.event();
      service.takeCalls();
      expect(await invoke(event)).toMatchObject({ statusCode: operation.status });
      costs.push(wireCost(service.takeCalls()));
    }
    const [cold, , warm] = costs as [WireCost, WireCost, WireCost];
    return [cold, warm];
  }

  it.each(documented)(
    'makes the calls of "%s" that the page states, one of them to KMS',
    async (name, row) => {
      const [cold, warm] = await coldAndWarm(name);
      const units = cold.readUnits + cold.writeUnits;
      expect([warm.calls, warm.sequential, cold.calls, cold.sequential, cold.kmsCalls, units]).toEqual(row);
      expect(warm.kmsCalls).toBe(BUDGETS.kmsCalls.warm);
      expect(cold.kmsCalls).toBeLessThanOrEqual(BUDGETS.kmsCalls.cold);
    },
  );

  it.each(Object.entries(BUDGETS.coldCallsInSequence))(
    'is within the budget of "%s"',
    async (name, limit) => {
      const [{ auditCalls, sequential }] = await coldAndWarm(name);
      expect(auditCalls).toBeLessThanOrEqual(BUDGETS.auditCalls.cold);
      expect(sequential).toBeLessThanOrEqual(limit);
    },
  );
});
