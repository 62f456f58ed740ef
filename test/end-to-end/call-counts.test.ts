import { z } from 'zod';
import { dueCvcs, dueTokens } from '../../src/adapters/dynamodb/due-tokens.ts';
import { BUDGETS } from '../../tools/bench/budgets.ts';
import { measureCounts } from '../../tools/bench/counts/measure-counts.ts';
import { openWire, wireCost, withinMinute } from '../../tools/bench/counts/wire.ts';
import { createTokenStore } from '../../src/adapters/dynamodb/token-store.ts';
import { sweep } from '../../src/core/sweep/sweep.ts';
import { aCvc, aStoredToken } from '../support/builders/a-stored-token.ts';
import { aDatabase } from '../support/a-database.ts';
import { tableUnder } from '../support/docs-table.ts';
import { httpClient, type HttpClient } from '../support/http-client.ts';
import { plantParkedDelivery } from '../support/parked-delivery.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { CARD } from '../support/sample-requests.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { control } from '../../packages/local-aws/src/control.ts';

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

const countsSchema = z.object({
  calls: z.array(z.object({ action: z.string(), calls: z.number(), capacityUnits: z.number() })),
});

const costOf = (counts: readonly { action: string; calls: number; units: number }[]): Cost => ({
  calls: Object.fromEntries(counts.map(({ action, calls }) => [action.replace('dynamodb:', ''), calls])),
  units: counts.reduce((sum, { units }) => sum + units, 0),
});

/** The operations whose cold instances npm test counts. */
const THAT_DIFFER_MOST = new Set(['create a card', 'react']);

let service: RunningService;
let app: HttpClient;
let management: HttpClient;
let user: HttpClient;
/** The proxy whose transform fails. */
let failing: ReturnType<typeof aProxy>;
/** Its deliveries are counted, and this is its id. */
let reactor: string;

/** Uses the service of this file. */
const clientOf = (apiKey: string) => httpClient(service.credentials.base_url, apiKey);

const counter = (method: 'GET' | 'DELETE') => control(service.credentials, 'calls', { method });

/** Runs an operation and counts its calls on the wire. */
async function costOfRunning(operation: () => Promise<unknown>): Promise<Cost> {
  await counter('DELETE');
  await operation();
  const { calls } = countsSchema.parse(await counter('GET'));
  return costOf(
    calls.map(({ action, calls: count, capacityUnits: units }) => ({ action, calls: count, units })),
  );
}

let serial = 0;
let hundreds = 0;
const created = async (body: Record<string, unknown>): Promise<string> =>
  (await app.post('/tokens', { type: 'token', data: 'x', ...body })).body.id as string;

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
  authenticate: () => Promise.resolve(() => app.get('/applications/key')),
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
    // A count that a new minute repeats adds no more: the next operation has some 500 to count.
    if ((hundreds += 1) <= 4)
      await app.post(
        '/tokenize',
        Array.from({ length: 100 }, (_, index) => index),
      );
    const { after } = (await app.get('/tokens')).body.pagination as { after: string };
    return () => app.get(`/tokens?after=${after}`);
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
      await plantParkedDelivery(service.credentials, reactor);
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

/**
 * Measures an operation that its function has already run twice in the same minute: the first
 * record of a minute marks it in the audit trail, and the second one the next minute.
 */
const warmly = <T>(name: string, measure: (operation: () => Promise<unknown>) => Promise<T>): Promise<T> =>
  withinMinute(async () => {
    for (const _ of [1, 2]) await (await OPERATIONS[name]?.())?.();
    const operation = await OPERATIONS[name]?.();
    return measure(() => operation?.() ?? Promise.resolve());
  });

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
  const byAction = Map.groupBy(calls, ({ action }) => action);
  return costOf(
    [...byAction].map(([action, records]) => ({
      action,
      calls: records.length,
      units: records.reduce((sum, { consumedCapacity = 0 }) => sum + consumedCapacity, 0),
    })),
  );
}

const SWEEPS = { 'sweep one expired token': 'token', 'sweep one cvc': 'cvc' } as const;

beforeAll(async () => {
  service = await runService(TEST_SETTINGS);
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
  // Every key is unwrapped, and every function started.
  for (const prepare of Object.values(OPERATIONS)) await (await prepare())();
});
afterAll(() => service.stop());

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
      const cost = await warmly(name, costOfRunning);
      expect([name, cost]).toEqual([name, asDocumented(name, cost)]);
    },
  );

  it.each(Object.entries(SWEEPS))('states what "%s" costs', async (name, prepare) => {
    const cost = await sweepCost(prepare);
    expect([name, cost]).toEqual([name, asDocumented(name, cost)]);
  });
});

describe('budgets of the architecture', () => {
  const wireOf = async (name: string) => {
    const wire = openWire(service.credentials);
    return wireCost(await warmly(name, (operation) => wire.during(operation)));
  };

  it.each([
    ['get a token', BUDGETS.warmCalls['get a card']],
    ['create a card', BUDGETS.warmCalls['create a card']],
    ['delete a card', BUDGETS.warmCalls['delete a card']],
    ['update a token', BUDGETS.warmCalls['PATCH a card']],
    ['detokenize 100 tokens', 3],
  ])('limit the AWS calls of "%s", and allow none to KMS', async (name, limit) => {
    const { calls, auditCalls, kmsCalls } = await wireOf(name);
    expect(calls - auditCalls).toBeLessThanOrEqual(limit - BUDGETS.auditCalls.warm);
    expect(auditCalls).toBe(BUDGETS.auditCalls.warm);
    expect(kmsCalls).toBe(BUDGETS.kmsCalls.warm);
  });

  it('hold for fresh instances, whose first request calls KMS once, as docs/storage.md states', async () => {
    const documented = tableUnder('docs/storage.md', '### Cold')
      .map(([, name = '', ...cells]) => [name, cells.filter((cell) => cell !== '').map(Number)] as const)
      .filter(([name]) => IS_THOROUGH || THAT_DIFFER_MOST.has(name));
    const names = new Set(documented.map(([name]) => name));
    const counted = await measureCounts((name) => names.has(name));
    const units = ({ readUnits, writeUnits }: { readonly readUnits: number; readonly writeUnits: number }) =>
      readUnits + writeUnits;
    expect(
      counted.map(({ name, warm, cold }) => [
        name,
        [warm.calls, warm.sequential, cold.calls, cold.sequential, cold.kmsCalls, units(cold)],
      ]),
    ).toEqual(documented);
    for (const { name, warm, cold } of counted) {
      expect([name, warm.kmsCalls]).toEqual([name, BUDGETS.kmsCalls.warm]);
      expect(cold.kmsCalls).toBeLessThanOrEqual(BUDGETS.kmsCalls.cold);
    }
    for (const [name, limit] of Object.entries(BUDGETS.coldCallsInSequence)) {
      if (!names.has(name)) continue;
      const { auditCalls = NaN, sequential = NaN } = counted.find((each) => each.name === name)?.cold ?? {};
      expect(auditCalls).toBeLessThanOrEqual(BUDGETS.auditCalls.cold);
      expect(sequential).toBeLessThanOrEqual(limit);
    }
  });

  it('hold for a default card: an item of 1 KB, with a copy in each of two indexes', async () => {
    const { writeUnits, auditUnits } = await wireOf('create a card');
    expect(writeUnits - auditUnits).toBe(BUDGETS.cardWriteUnits);
    expect(auditUnits).toBe(BUDGETS.auditWriteUnits);
  });
});
