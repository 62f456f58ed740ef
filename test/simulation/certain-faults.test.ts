// Tests a fault that is certain, where the plans of `npm run simulate` draw faults.
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { NO_FAULTS, type CallFaults } from './calls.ts';
import { createClient, type Target } from './client.ts';
import { isClearFailure, noFindings } from './findings.ts';
import { NO_LIFE_FAULTS, type Plan } from './plan.ts';
import { createStage, prepare, runPlan, type Result, type Stage } from './run.ts';
import type { Answer } from './service.ts';
import { QUICK_STEPS, takeStep } from './steps.ts';
import { tables } from './tables.ts';
import { warmUp } from './warm-up.ts';

type Faults = Readonly<Record<string, Partial<CallFaults>>>;

/** Faults by the action, or by the service, of a call. */
const among =
  (faults: Faults) =>
  (service: string, action: string): CallFaults => ({ ...NO_FAULTS, ...faults[service], ...faults[action] });

const MINUTE_MS = 60_000;
const LEASE_MS = 61_000;

/** Nothing fails, and there are no clients. */
const CALM: Plan = {
  seed: 'certain faults',
  clients: [],
  faults: { dynamodb: NO_FAULTS, kms: NO_FAULTS, sqs: NO_FAULTS, lambda: NO_FAULTS },
  life: NO_LIFE_FAULTS,
  queues: { duplicate: 0, delayMs: 0 },
  receivers: { refusal: 0, unanswered: 0 },
  lagMs: 0,
  paceMs: 0,
  spared: [],
  isJudged: true,
};

let stage: Stage;
let target: Target;
let faultsOf: (service: string, action: string) => CallFaults;

/** Lets time pass until work is done, under faults. */
async function under<T>(faults: Faults | typeof faultsOf, work: () => Promise<T>): Promise<T> {
  faultsOf = typeof faults === 'function' ? faults : among(faults);
  stage.setFaulty(true);
  try {
    return await stage.world.run(work());
  } finally {
    stage.setFaulty(false);
  }
}

const pass = (ms: number): Promise<void> => stage.world.run(stage.world.pause(ms));

type Headers = Readonly<Record<string, string>>;

async function api(
  method: string,
  path: string,
  body?: unknown,
  key = target.privateKey,
  headers: Headers = {},
) {
  const request = { method, path, key, headers, ...(body !== undefined && { body }) };
  const answer = await stage.service.request('test', request);
  if (answer === undefined) throw new Error(`${method} ${path} has no answer`);
  return answer;
}

const well = (...args: Parameters<typeof api>): Promise<Answer> => stage.world.run(api(...args));

const isClear = (answer: Answer) => isClearFailure(answer, { mayDie: false, mayConflict: true });

interface Listed {
  readonly id: string;
  readonly name?: string;
  readonly data?: unknown;
}

async function listed(path: string, key = target.privateKey): Promise<readonly Listed[]> {
  return (await well('GET', `${path}?size=100`, undefined, key)).body.data as readonly Listed[];
}

beforeAll(async () => {
  await warmUp();
  stage = await createStage(CALM, tables(), {
    of: (...action) => faultsOf(...action),
    // A slow call never arrives, or its answer does not.
    slowestMs: Infinity,
  });
});
afterAll(() => stage.account.close());

beforeEach(async () => {
  target = await stage.world.run(prepare(stage.service, 'kms'));
});

describe('a fault that is certain', () => {
  const indexed = (data: string) => ({ type: 'token', data, metadata: { a: 'b' } });
  const created = async (body: object): Promise<string> => (await well('POST', '/tokens', body)).body.id;

  it.each(['throttle', 'conflict', 'error', 'lost', 'cut'])(
    'a transaction that always meets %s is a clear failure',
    async (kind) => {
      const data = ['one', 'two', 'three', 'four'];
      const create = () => Promise.all(data.map((each) => api('POST', '/tokens', indexed(each))));
      const answers = await under({ TransactWriteItems: { [kind]: 1 } }, create);
      for (const answer of answers) expect(isClear(answer) ? 'clear' : answer).toBe('clear');
      const known = (await listed('/tokens')).map((token) => token.data);
      for (const each of data)
        expect(known.filter((found) => found === each)).toHaveLength(kind === 'lost' ? 1 : 0);
    },
  );

  it.each(['UpdateItem', 'TransactWriteItems'])(
    'a delete succeeds although the first response of %s is lost',
    async (action) => {
      const id = await created(action === 'UpdateItem' ? { type: 'token', data: 'x' } : indexed('x'));
      let calls = 0;
      const firstIsLost = (_service: string, called: string) => {
        if (called === action) calls += 1;
        return { ...NO_FAULTS, lost: called === action && calls === 1 ? 1 : 0 };
      };
      expect((await under(firstIsLost, () => api('DELETE', `/tokens/${id}`))).status).toBe(204);
      expect(calls).toBeGreaterThan(1);
      expect((await well('GET', `/tokens/${id}`)).status).toBe(404);
    },
  );

  it('reads succeed while writes fail', async () => {
    const id = await created(indexed('x'));
    const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem'];
    const faults = Object.fromEntries(writes.map((action) => [action, { cut: 1 }]));
    expect((await under(faults, () => api('GET', `/tokens/${id}`))).status).toBe(200);
    expect((await under(faults, () => api('POST', '/tokens', indexed('y')))).status).toBe(503);
  });

  it('a store that never responds results in a 503 within the timeout of the gateway', async () => {
    const id = await created(indexed('x'));
    const before = stage.world.now();
    const answer = await under({ dynamodb: { slow: 1 } }, () => api('GET', `/tokens/${id}`));
    const tookMs = stage.world.now() - before;
    expect([answer.status, isClear(answer)]).toEqual([503, true]);
    expect(tookMs).toBeGreaterThan(4_000);
    expect(tookMs).toBeLessThan(30_000);
  });

  it('requests get 503 while the key service is down, and succeed right after', async () => {
    const id = await created(indexed('x'));
    // The memories of instances forget the keys.
    await pass(24 * 60 * MINUTE_MS);
    const both = () => Promise.all([api('POST', '/tokens', indexed('y')), api('GET', `/tokens/${id}`)]);
    const failed = await under({ kms: { cut: 1 } }, both);
    expect(failed.map((answer) => [answer.status, isClear(answer)])).toEqual([
      [503, true],
      [503, true],
    ]);
    const succeeded = await stage.world.run(both());
    expect(succeeded.map(({ status, body }) => [status, body.data])).toEqual([
      [201, 'y'],
      [200, 'x'],
    ]);
    expect((await listed('/tokens')).filter(({ data }) => data === 'y')).toHaveLength(1);
  });
});

describe('an idempotency key whose response could not be stored', () => {
  const mark = { type: 'token', data: 'unkept', metadata: { refused: 'yes' } };
  const plain = { type: 'token', data: 'unkept plain' };
  const app = { name: 'unkept', type: 'private', permissions: ['token:read'] };
  const code = 'module.exports = () => ({ raw: 1 });';

  async function attempt() {
    const { privateKey, managementKey, sharedId } = target;
    const once = (name: string, method: string, path: string, body: unknown, key: string) =>
      api(method, path, body, key, { 'svc-idempotency-key': `unkept ${name}` });
    const [aPlain, aToken, tokenized, updated, application, reactor] = await Promise.all([
      once('plain token', 'POST', '/tokens', plain, privateKey),
      once('token', 'POST', '/tokens', mark, privateKey),
      once('tokenize', 'POST', '/tokenize', { a: mark, b: plain }, privateKey),
      once('update', 'PATCH', `/tokens/${sharedId}`, { data: { refused: 'yes' } }, privateKey),
      once('application', 'POST', '/applications', app, managementKey),
      once('reactor', 'POST', '/reactors', { name: 'unkept', code, configuration: {} }, managementKey),
    ]);
    return { aPlain, aToken, tokenized, updated, application, reactor };
  }

  const statuses = (answers: Awaited<ReturnType<typeof attempt>>) =>
    Object.values(answers).map(({ status }) => status);

  it('returns 503 first, can be used when its lease is over, and has created everything once', async () => {
    expect(statuses(await under({ UpdateItem: { error: 1 } }, attempt))).toEqual([
      503, 503, 503, 503, 503, 503,
    ]);
    await pass(LEASE_MS);
    const second = await stage.world.run(attempt());
    expect(statuses(second)).toEqual([201, 201, 200, 200, 201, 201]);
    const { aPlain, aToken, tokenized, application, reactor } = second;

    const tokens = await listed('/tokens');
    const ids = (data: string) =>
      tokens
        .filter((token) => token.data === data)
        .map(({ id }) => id)
        .sort();
    const { a, b } = tokenized.body as Record<'a' | 'b', { id: string }>;
    expect(ids('unkept')).toEqual([aToken.body.id as string, a.id].sort());
    expect(ids('unkept plain')).toEqual([aPlain.body.id as string, b.id].sort());

    const named = async (path: string) =>
      (await listed(path, target.managementKey)).filter(({ name }) => name === 'unkept').map(({ id }) => id);
    expect(await named('/applications')).toEqual([application.body.id]);
    expect(await named('/reactors')).toEqual([reactor.body.id]);
    expect((await well('GET', '/permissions', undefined, application.body.key as string)).status).toBe(200);
  });
});

describe('an audit trail that cannot be written', () => {
  /** These say that a request was attempted: idempotency keys, and failed transforms of proxies. */
  const ATTEMPTS = /#request#|^proxy-failures#/;

  /** Everything except what says that a request was attempted, or a key was used. */
  async function stored(): Promise<readonly string[]> {
    const items = await stage.account.items();
    return items
      .filter(({ item }) => !ATTEMPTS.test(item['pk']?.S ?? ''))
      .map(({ table, item: { lastUsedOn: _, ...item } }) => `${table} ${JSON.stringify(item)}`)
      .sort();
  }

  it('is the only failure: every request of a known caller gets 503 and has no effect', async () => {
    const findings = noFindings();
    const parts = { ...stage, target, findings, mayDie: false, skewMs: 0 };
    const client = createClient('client', { ...parts, areCallsFaulty: true });
    const takeAll = async () => {
      for (const step of QUICK_STEPS) await takeStep(client, step);
    };
    // Afterwards each step has something to change.
    await stage.world.run(takeAll());
    await pass(5 * MINUTE_MS);
    const before = await stored();
    const arrivals = stage.internet.arrivals.length;
    const runs = new Map(stage.shared.runs);
    findings.counts.clear();
    await under({ BatchExecuteStatement: { cut: 1 } }, takeAll);
    const statuses = [...findings.counts.keys()];
    expect(statuses.filter((counted) => !/ (?:401|503)$/.test(counted))).toEqual([]);
    expect(statuses.length).toBeGreaterThan(20);
    expect(findings.problems).toEqual([]);
    expect(await stored()).toEqual(before);
    expect(before.some((item) => item.includes(target.sharedId))).toBe(true);
    expect([stage.internet.arrivals.length, stage.shared.runs]).toEqual([arrivals, runs]);
  });
});

describe('two clients that request everything once', () => {
  /** Each requests these, so that the faults of one client do not decide whether one succeeds. */
  const ofBoth = ['create', 'get', 'search', 'list', 'deduplicate', 'updateShared', 'forward', 'react'];
  /** In the usual run each takes half of the other steps. */
  const clients = [0, 1].map((client) =>
    QUICK_STEPS.map((name, step) => ({ name, id: (client + 1) * 1_000 + step })).filter(
      ({ name, id }) => IS_THOROUGH || id % 2 === client || ofBoth.includes(name),
    ),
  );
  const runUnder = (seed: string, faults: Faults): Promise<Result> =>
    runPlan({ ...CALM, seed, clients }, tables(), { of: among(faults) });
  const succeeded = ({ counts }: Result, step: string): boolean =>
    [...counts.keys()].some((counted) => new RegExp(`^${step} 20[0-4]$`).test(counted));

  it('see no broken promise while the key service is down', async () => {
    const { problems, counts } = await runUnder('key service', { kms: { cut: 1 } });
    expect(problems).toEqual([]);
    expect([...counts.keys()].some((counted) => counted.endsWith(' 503'))).toBe(true);
  });

  it('see no broken promise while the table of the audit trail alone fails', async () => {
    const faults = { throttle: 0.2, lost: 0.2, partial: 0.5 };
    const result = await runUnder('trail', { BatchExecuteStatement: faults });
    expect(result.problems).toEqual([]);
    expect(result.faults).toBeGreaterThan(20);
  });

  it('are allowed every kind of request while a third of the calls is throttled', async () => {
    const result = await runUnder('throttled', { dynamodb: { throttle: 0.3 } });
    expect(result.problems).toEqual([]);
    const steps = ['create', 'get', 'search', 'list', 'deduplicate', 'update shared', 'proxy', 'invoke'];
    expect(steps.filter((step) => !succeeded(result, step))).toEqual([]);
  });
});
