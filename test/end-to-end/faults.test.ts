// Real traffic while the dependencies of the service fail. The model in the test records what was
// acknowledged, and compares. The thorough run has more clients, for longer, and fresh seeds.
import { setTimeout as sleep } from 'node:timers/promises';
import { allItems, bytesOf, isOfTrail } from '../support/aws.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { setFaults } from '../support/set-faults.ts';
import {
  CHECKED_OPERATIONS,
  type Checked,
  Client,
  isClearFailure,
  noFindings,
  probe,
  type Findings,
  type IsExpectedFailure,
  type TrafficTarget,
} from '../support/fault-traffic.ts';
import { missingRecords, uncreated, wholeTrail } from '../support/audit-completeness.ts';
import { send, type ApiResponse, type Body } from '../support/http-client.ts';
import { needing } from '../support/needing.ts';
import { operatorOf } from '../support/operator.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { revealing } from '../support/sample-requests.ts';
import { IS_THOROUGH, SEED } from '../../packages/local-aws/test/thoroughness.ts';
import { TokenLedger } from '../support/token-ledger.ts';
import { control } from '../../packages/local-aws/src/control.ts';

const { describe } = needing('openssl');

const CLIENTS = IS_THOROUGH ? 24 : 4;
/** In the thorough run. */
const TRAFFIC_MS = 5_000;
/**
 * In the usual run each client runs each operation of the mix once, and then repeats those that
 * must succeed and have not yet.
 */
const MOST_TRIES = 20;
/** Data that all clients want to exist once: so few values that the clients conflict. */
const DUPLICATES = IS_THOROUGH ? 40 : 4;
const RECOVERED_WITHIN_MS = 10_000;

/**
 * Different draws for each scenario. The faults that clients meet also depend on the order of the
 * calls.
 */
const seedOfClient = (scenario: string, client: number): number =>
  Buffer.from(scenario).reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, SEED) + client;

let service: RunningService;
let destination: TestDestination;

const api = (key: string, method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  send(service.credentials.base_url, key, method, path, { body });

async function made(key: string, path: string, body: unknown): Promise<Body> {
  const reply = await api(key, 'POST', path, body);
  if (reply.status !== 201) throw new Error(`${path}: ${String(reply.status)} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/**
 * A separate tenant, so that everything in it was created under the fault, and no memory caches its
 * keys. KMS wraps its root: a deployment key would be cached since the last one.
 */
async function aTarget(): Promise<TrafficTarget> {
  const { management_key: managementKey } = await operatorOf(service.credentials, {
    command: 'create-tenant',
    name: 'faults',
    wrapped_by: 'kms',
  });
  const management = String(managementKey);
  const reveal = { name: 'x', type: 'private', rules: [revealing()] };
  const { key: privateKey } = await made(management, '/applications', reveal);
  const publicApplication = { name: 'x', type: 'public', permissions: ['token:create'] };
  const { key: publicKey } = await made(management, '/applications', publicApplication);
  const { key: strangerKey } = await made(service.credentials.management_key, '/applications', reveal);
  const code = 'module.exports = (req) => ({ raw: req.args });';
  const { id: reactorId } = await made(management, '/reactors', { name: 'x', code, configuration: {} });
  const { id: sharedId } = await made(privateKey, '/tokens', { type: 'token', data: { all: 'members' } });
  return {
    baseUrl: service.credentials.base_url,
    managementKey: management,
    privateKey,
    publicKey,
    strangerKey,
    reactorId,
    echoUrl: `https://localhost:${String(destination.port)}/echo`,
    sharedId,
    duplicates: Array.from({ length: DUPLICATES }, (_, index) => `duplicate ${String(index)}`),
  };
}

/** Reads a list from the first item to the last. */
async function walk(key: string, path: string): Promise<Body[]> {
  const all: Body[] = [];
  let after = '';
  do {
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const { status, body } = await api(key, 'GET', `${path}?size=100${cursor}`);
    if (status !== 200) throw new Error(`${path}: ${String(status)} ${JSON.stringify(body)}`);
    all.push(...body.data);
    after = body.pagination.after ?? '';
  } while (after !== '');
  return all;
}

async function compareApplications(target: TrafficTarget, findings: Findings): Promise<string[]> {
  const listed = await walk(target.managementKey, '/applications');
  const problems: string[] = [];
  for (const [name, { exists, id, key }] of findings.applications) {
    const found = listed.filter((each) => each.name === name);
    if (found.length > 1) problems.push(`${name} was created ${String(found.length)} times`);
    if (exists === 'yes' && found[0]?.id !== id) problems.push(`${name} is lost`);
    if (exists === 'no' && found.length > 0) problems.push(`${name} was deleted and is there`);
    if (exists === 'maybe' || key === undefined) continue;
    const { status } = await api(key, 'GET', '/permissions');
    if (status !== (exists === 'yes' ? 200 : 401))
      problems.push(`the key of ${name} gives ${String(status)}`);
  }
  return problems;
}

/**
 * All stored items except the trail itself and the records of idempotency keys, which record that a
 * request was attempted.
 */
async function dataOf({ credentials }: RunningService): Promise<readonly string[]> {
  const items = await allItems(credentials);
  return items
    .map(bytesOf)
    .filter((text) => !isOfTrail(text) && !/^pk=S=[^\n]*#request#/m.test(text))
    .sort();
}

/** The tenant of an item, or what else its partition key begins with. */
const tenantOf = (item: string): string => /^pk=S=([^\n]{1,36})/.exec(item)?.[1] ?? '';
/** The sweep may process an item from this time, in ms since the epoch. */
const dueOf = (item: string): number =>
  parseInt(/^dueSk=S=([\da-z]{9})/m.exec(item)?.[1] ?? 'z'.repeat(9), 36);

/** The items of tenants that the sweep has had no work for since `before`. */
function ofQuietTenants(items: readonly string[], before: readonly string[]): readonly string[] {
  const due = new Set(before.filter((item) => dueOf(item) <= Date.now()).map(tenantOf));
  return items.filter((item) => !due.has(tenantOf(item)));
}

/** Requests that reached the destination, by their trace ids. */
const arrived = new Set<string>();
/** Counts over all scenarios. */
const recorded = { answers: 0, records: 0, arrivals: 0 };

/** Responses, effects and requests to the destination that the audit trail does not record. */
async function compareTrail(
  target: TrafficTarget,
  listed: readonly Body[],
  { answered }: Findings,
): Promise<string[]> {
  const trail = await wholeTrail(target.baseUrl, target.managementKey);
  const known = answered.filter(({ key }) => key !== target.strangerKey);
  const sent = new Set(
    trail.filter((record) => record.destination_host !== undefined).map((r) => r.trace_id),
  );
  const ours = known.filter(({ trace }) => arrived.has(trace));
  recorded.answers += known.length;
  recorded.records += trail.length;
  recorded.arrivals += ours.length;
  return [
    ...missingRecords(trail, known),
    ...uncreated(
      trail,
      listed.map(({ id }) => id as string),
    ),
    ...ours
      .filter(({ trace }) => !sent.has(trace))
      .map(({ trace }) => `a request reached the destination without a record: ${trace}`),
  ];
}

/** The problems that remain when everything works again. */
async function compareAll(
  target: TrafficTarget,
  clients: readonly Client[],
  findings: Findings,
): Promise<string[]> {
  const listed = await walk(target.privateKey, '/tokens');
  const problems = clients.flatMap(({ ledger }) => ledger.compare(listed as never));
  problems.push(...(await compareTrail(target, listed, findings)));
  for (const [data, ids] of findings.duplicateIds)
    if (ids.size > 1) problems.push(`${data} was answered as ${[...ids].join(', ')}`);
  for (const data of target.duplicates)
    if (listed.filter((token) => token.data === data).length > 1)
      problems.push(`${data} is there more than once`);
  const shared = listed.find(({ id }) => id === target.sharedId)?.data as Record<string, number>;
  for (const [name, values] of findings.shared)
    if (!values.has(shared[name] ?? 0))
      problems.push(
        `the shared member of ${name} is ${String(shared[name])}, not ${[...values].join(' or ')}`,
      );
  const indexed = clients.flatMap(({ ledger }) =>
    ledger.tokens.filter((t) => t.isIndexed && t.exists !== 'maybe'),
  );
  for (const { mark, exists, id } of indexed.filter((_, index) => index % 7 === 0)) {
    const { body } = await api(target.privateKey, 'POST', '/tokens/search', {
      query: `metadata.mark:"${mark}"`,
    });
    const ids = (body.data as Body[]).map((token) => token.id as string);
    // A token whose response was lost is found by its mark alone: there is one, under any id.
    const isFound = id === undefined ? ids.length === 1 : ids.join() === id;
    if (exists === 'yes' ? !isFound : ids.length > 0)
      problems.push(`search for ${mark} (${exists}) finds ${ids.join()}`);
  }
  return [...problems, ...(await compareApplications(target, findings))];
}

/** Repeats every operation until all succeed, and returns the time this took, in ms. */
async function recovery(client: Client): Promise<number> {
  const started = Date.now();
  for (;;) {
    const failures = await probe(client);
    const tookMs = Date.now() - started;
    if (failures.length === 0) return tookMs;
    if (tookMs > RECOVERED_WITHIN_MS) throw new Error(`still failing: ${failures.join(', ')}`);
    await sleep(100);
  }
}

function summary(name: string, { counts }: Findings, recoveredMs?: number): string {
  const of = (matches: (status: number) => boolean) =>
    [...counts]
      .filter(([counted]) => matches(Number(counted.split(' ')[1])))
      .reduce((sum, [, n]) => sum + n, 0);
  const failures = [...counts].filter(([counted]) => / (?:409|429|5\d\d)$/.test(counted)).sort();
  return `${name}: ${String(of((s) => s < 300))} successes, ${failures.map(([c, n]) => `${c}: ${String(n)}`).join(', ') || 'no failure'}${recoveredMs === undefined ? '' : `; well after ${String(recoveredMs)} ms`}\n`;
}

/** How often an operation was completed; a deleted token is completed with 404. */
const succeeded = ({ counts }: Findings, operation: string): number =>
  [...counts]
    .filter(([counted]) => new RegExp(`^${operation} (?:2|404)`).test(counted))
    .reduce((sum, [, n]) => sum + n, 0);

async function runAll(clients: readonly Client[], missing: () => readonly Checked[]): Promise<void> {
  const until = Date.now() + TRAFFIC_MS;
  await Promise.all(clients.map((client) => (IS_THOROUGH ? client.run(until) : client.runMix())));
  for (let tries = 0; tries < MOST_TRIES && missing().length > 0; tries += 1)
    await Promise.all(clients.map((client) => client.runAgain(missing())));
}

interface Underwent {
  readonly problems: readonly string[];
  readonly findings: Findings;
  /** Calls of functions to AWS while there were faults, by service. */
  readonly calls: Readonly<Record<string, { readonly calls: number; readonly failures: number }>>;
}

const counts = (method: 'GET' | 'DELETE') => control(service.credentials, 'calls', { method });

async function countedCalls(): Promise<Underwent['calls']> {
  const { calls } = (await counts('GET')) as {
    calls: { principal: string; service: string; calls: number; failures: number }[];
  };
  const ofFunctions = calls.filter(({ principal }) => principal !== 'administrator');
  const byService = [...Map.groupBy(ofFunctions, (each) => each.service)];
  return Object.fromEntries(
    byService.map(([name, all]) => [
      name,
      {
        calls: all.reduce((sum, each) => sum + each.calls, 0),
        failures: all.reduce((sum, { failures }) => sum + failures, 0),
      },
    ]),
  );
}

/**
 * Traffic under faults, then without them, until each of the operations has succeeded under them.
 * Resolves with all problems.
 */
async function problemsUnder(
  faults: readonly string[],
  isExpected: IsExpectedFailure = isClearFailure,
  mustSucceed: readonly Checked[] = [],
): Promise<Underwent> {
  const target = await aTarget();
  const findings = noFindings();
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    const name = `c${String(index)}`;
    return new Client(
      name,
      new TokenLedger(name),
      target,
      findings,
      isExpected,
      seedOfClient(faults.join(), index + 1),
    );
  });
  await counts('DELETE');
  await setFaults(service.credentials, faults);
  try {
    await runAll(clients, () => mustSucceed.filter((operation) => succeeded(findings, operation) === 0));
  } finally {
    await setFaults(service.credentials, []);
  }
  const calls = await countedCalls();
  const prober = new Client(
    'probe',
    new TokenLedger('probe'),
    target,
    findings,
    isClearFailure,
    seedOfClient(faults.join(), 99),
  );
  const recoveredMs = await recovery(prober);
  process.stdout.write(summary(faults.join(' '), findings, recoveredMs));
  const problems = [...findings.problems, ...(await compareAll(target, [...clients, prober], findings))];
  return { problems, findings, calls };
}

/** Prints the seed with the problems. */
function expectNone(problems: readonly string[]): void {
  expect({ seed: SEED, problems: problems.slice(0, 20) }).toEqual({ seed: SEED, problems: [] });
}

beforeAll(async () => {
  const certificate = testCertificate();
  destination = await startDestination(certificate);
  destination.respond = ({ body, headers }, response) => {
    arrived.add(String(headers['svc-trace-id']));
    response.setHeader('content-type', 'application/json');
    response.end(body);
  };
  // With a sweep each second, several would run concurrently under slow calls.
  service = await runService([...TEST_SETTINGS, '--tick', '3', '--fault-seed', String(SEED)], {
    NODE_EXTRA_CA_CERTS: certificate.certFile,
  });
});

afterAll(async () => {
  await service.stop();
  await destination.close();
});

/** An invocation whose response was lost may have run, and its error states so. */
const isInterruptedRun: IsExpectedFailure = (operation, reply) =>
  isClearFailure(operation, reply) ||
  (operation === 'react' && reply.status === 500 && reply.body.title === 'Reactor Runtime Error');

/** A function that dies cannot respond; the gateway does. */
const isDeadFunction: IsExpectedFailure = (operation, reply) =>
  isClearFailure(operation, reply) ||
  (reply.status === 500 && reply.body.message === 'Internal Server Error');

/** With so many calls at a chance of 0.2 or more some fail, in all but one of 10^9 runs. */
const CERTAIN_CALLS = 100;

/** Repeats the traffic under a new tenant until a call has failed: some services get few calls. */
async function problemsWhere(
  name: 'kms' | 'lambda',
  ...traffic: Parameters<typeof problemsUnder>
): Promise<Underwent> {
  for (let tries = 0; ; tries += 1) {
    const found = await problemsUnder(...traffic);
    if (found.problems.length > 0 || (found.calls[name]?.failures ?? 0) > 0) return found;
    if (tries === 9) throw new Error(`no call to ${name} has failed`);
  }
}

describe('no wrong response, no lost write, no duplicate, and clear failures', () => {
  function expectAllWell({ problems, findings }: Underwent): void {
    expectNone(problems);
    for (const operation of CHECKED_OPERATIONS) expect(succeeded(findings, operation)).toBeGreaterThan(0);
  }

  it.each([
    [['dynamodb:throttle:0.3']],
    [['dynamodb:error:0.3']],
    [['dynamodb:lost-answer:0.2']],
    [['dynamodb:down:0.3']],
    [['dynamodb:latency:100']],
    [['dynamodb:conflict:0.3', 'dynamodb:partial:0.5']],
  ])('no response is wrong and no write is lost while there is %j', async (faults) => {
    const underwent = await problemsUnder(faults, isClearFailure, CHECKED_OPERATIONS);
    expectAllWell(underwent);
    expect(underwent.calls['dynamodb']?.calls).toBeGreaterThan(CERTAIN_CALLS);
  });

  it.each([
    ['kms', ['kms:throttle:0.6']],
    ['kms', ['kms:error:0.4', 'kms:lost-answer:0.3', 'kms:latency:50']],
    ['lambda', ['lambda:busy:0.7']],
  ] as const)('no response is wrong and no write is lost while %s fails with %j', async (name, faults) => {
    expectAllWell(await problemsWhere(name, faults, isClearFailure, CHECKED_OPERATIONS));
  });

  it('no response is wrong and no write is lost while the key service is down, and right after', async () => {
    const { problems, findings } = await problemsUnder(['kms:down:1']);
    expectNone(problems);
    expect(findings.counts.get('create 503')).toBeGreaterThan(0);
  });

  it('no response is wrong and no write is lost while everything fails now and then', async () => {
    const { problems, calls } = await problemsUnder([
      ...[
        'dynamodb:throttle:0.05',
        'dynamodb:error:0.05',
        'dynamodb:lost-answer:0.05',
        'dynamodb:conflict:0.1',
      ],
      ...['dynamodb:latency:20', 'kms:error:0.2', 'lambda:busy:0.2', 'sqs:error:0.2'],
    ]);
    expectNone(problems);
    expect(calls['dynamodb']?.calls).toBeGreaterThan(CERTAIN_CALLS);
  });

  it('no code runs twice while responses of the reactors are lost', async () => {
    expectNone(
      (await problemsWhere('lambda', ['lambda:lost-answer:0.5'], isInterruptedRun, ['react'])).problems,
    );
  });

  it('no response is wrong and no write is lost while functions die', async () => {
    const deaths = () => service.output().split('killed by a fault').length - 1;
    const before = deaths();
    // A request fails with a probability of 0.1.
    expectNone((await problemsUnder(['function:kill:0.1'], isDeadFunction)).problems);
    expect(deaths()).toBeGreaterThan(before);
  });
});

describe('the audit trail', () => {
  it('names every response and every effect while its own table fails', async () => {
    const faults = ['throttle:0.2', 'lost-answer:0.2', 'partial:0.5'];
    const { problems } = await problemsUnder(
      faults.map((fault) => `dynamodb/BatchExecuteStatement:${fault}`),
    );
    expectNone(problems);
  });

  it('is the only failure: every request of a known caller gets 503 and has no effect', async () => {
    const target = await aTarget();
    const before = await dataOf(service);
    const arrivals = arrived.size;
    const findings = noFindings();
    const client = new Client('down', new TokenLedger('down'), target, findings, isClearFailure, SEED);
    client.ledger.tokens.push({
      mark: 'down',
      id: target.sharedId,
      exists: 'yes',
      data: new Set(['down']),
      revision: 0,
      isIndexed: true,
    });
    await setFaults(service.credentials, ['dynamodb/BatchExecuteStatement:down:1']);
    try {
      await client.runMix();
    } finally {
      await setFaults(service.credentials, []);
    }
    const statuses = [...findings.counts.keys()].filter((counted) => !/ (?:401|503)$/.test(counted));
    expect(statuses).toEqual([]);
    expect(findings.counts.size).toBeGreaterThan(10);
    expect(findings.problems).toEqual([]);
    expect(arrived.size).toBe(arrivals);
    const after = await dataOf(service);
    const quiet = ofQuietTenants(before, before);
    expect(ofQuietTenants(after, before)).toEqual(quiet);
    expect(quiet.some((item) => item.includes(target.sharedId))).toBe(true);
  });

  it('verifies as intact after all these faults once it is sealed', async () => {
    await advanceClock(service.credentials, 300);
    const verified = async (of: object) => {
      let next: object = {};
      for (;;) {
        const reply = (await operatorOf(service.credentials, {
          command: 'verify-audit',
          ...of,
          ...next,
        })) as Body;
        expect(reply).toMatchObject({ intact: true });
        if (reply.next === null) return reply;
        next = reply.next as object;
      }
    };
    // Two ticks of the sealer later only the records of the checks themselves are unsealed. The
    // wait is for all trails: that of the deployment alone may have few records from the start.
    for (let tries = 0; tries < 40; tries += 1) {
      if (((await verified({})).not_sealed_yet as number) <= 10) break;
      await sleep(500);
    }
    expect((await verified({ index: true })).not_sealed_yet).toBeLessThan(50);
    process.stdout.write(
      `the trail: ${String(recorded.answers)} answers, ${String(recorded.arrivals)} arrivals, ${String(recorded.records)} records, nothing missing\n`,
    );
  });
});

/**
 * A request under an idempotency key whose response could not be stored, though everything else was
 * done.
 */
interface Refused {
  readonly name: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const LEASE_SECONDS = 60;

describe('an idempotency key whose response could not be stored', () => {
  let target: TrafficTarget;
  let refused: readonly Refused[];
  let first: readonly ApiResponse[];
  let second: readonly ApiResponse[];

  const sendRefused = ({ key, method, path, body, headers }: Refused) =>
    send(target.baseUrl, key, method, path, { body, headers });
  const responseOf = (name: string): ApiResponse => {
    const reply = second[refused.findIndex((each) => each.name === name)];
    if (reply === undefined) throw new Error(name);
    return reply;
  };

  beforeAll(async () => {
    target = await aTarget();
    const mark = { type: 'token', data: 'unkept', metadata: { refused: 'yes' } };
    const plain = { type: 'token', data: 'unkept plain' };
    const app = { name: 'unkept', type: 'private', permissions: ['token:read'] };
    const code = 'module.exports = () => ({ raw: 1 });';
    const requests: readonly (readonly [string, string, string, string, unknown])[] = [
      ['plain token', target.privateKey, 'POST', '/tokens', plain],
      ['token', target.privateKey, 'POST', '/tokens', mark],
      ['tokenize', target.privateKey, 'POST', '/tokenize', { a: mark, b: plain }],
      ['update', target.privateKey, 'PATCH', `/tokens/${target.sharedId}`, { data: { refused: 'yes' } }],
      ['application', target.managementKey, 'POST', '/applications', app],
      ['reactor', target.managementKey, 'POST', '/reactors', { name: 'unkept', code, configuration: {} }],
    ];
    refused = requests.map(([name, key, method, path, body]) => ({
      name,
      key,
      method,
      path,
      body,
      headers: { 'SVC-IDEMPOTENCY-KEY': `unkept ${name}` },
    }));
    await setFaults(service.credentials, ['dynamodb/UpdateItem:error:1']);
    try {
      first = await Promise.all(refused.map(sendRefused));
    } finally {
      await setFaults(service.credentials, []);
    }
    await advanceClock(service.credentials, LEASE_SECONDS + 1);
    second = await Promise.all(refused.map(sendRefused));
  });

  it('returns 503 first, and can be used when its lease is over', () => {
    expect(refused.map(({ name }, index) => [name, first[index]?.status])).toEqual(
      refused.map(({ name }) => [name, 503]),
    );
    expect(refused.map(({ name }, index) => [name, second[index]?.status])).toEqual(
      refused.map(({ name, method }) => [name, method === 'PATCH' || name === 'tokenize' ? 200 : 201]),
    );
  });

  it('creates each token once', async () => {
    const listed = await walk(target.privateKey, '/tokens');
    const ids = (data: string) => listed.filter((token) => token.data === data).map(({ id }) => id as string);
    const { a, b } = responseOf('tokenize').body as Record<'a' | 'b', { id: string }>;
    expect(ids('unkept').toSorted()).toEqual([responseOf('token').body.id, a.id].toSorted());
    expect(ids('unkept plain').toSorted()).toEqual([responseOf('plain token').body.id, b.id].toSorted());
  });

  it('creates an application once, and the retry returns its key', async () => {
    const { id, key } = responseOf('application').body as { id: string; key: string };
    const listed = await walk(target.managementKey, '/applications');
    expect(listed.filter(({ name }) => name === 'unkept').map((found) => found.id)).toEqual([id]);
    expect((await api(key, 'GET', '/permissions')).status).toBe(200);
  });

  it('creates a reactor once', async () => {
    const listed = await walk(target.managementKey, '/reactors');
    expect(listed.filter(({ name }) => name === 'unkept').map(({ id }) => id)).toEqual([
      responseOf('reactor').body.id,
    ]);
  });
});

describe('a fault that is certain', () => {
  let target: TrafficTarget;
  let id: string;

  const under = async (faults: readonly string[], method: string, path: string, body?: unknown) => {
    await setFaults(service.credentials, faults);
    try {
      return await api(target.privateKey, method, path, body);
    } finally {
      await setFaults(service.credentials, []);
    }
  };

  beforeAll(async () => {
    target = await aTarget();
    id = (await made(target.privateKey, '/tokens', { type: 'token', data: 'x', metadata: { a: 'b' } })).id;
  });

  const indexed = { type: 'token', data: 'x', metadata: { a: 'b' } };

  it.each(['throttle', 'conflict', 'error', 'lost-answer', 'down'])(
    'a transaction that always meets %s is a clear failure',
    async (kind) => {
      await setFaults(service.credentials, [`dynamodb/TransactWriteItems:${kind}:1`]);
      try {
        const create = () => api(target.privateKey, 'POST', '/tokens', indexed);
        for (const reply of await Promise.all(Array.from({ length: 4 }, create)))
          expect(isClearFailure('create', reply) ? 'clear' : [reply.status, reply.body]).toBe('clear');
      } finally {
        await setFaults(service.credentials, []);
      }
    },
  );

  it.each(['DeleteItem', 'TransactWriteItems'])(
    'a delete succeeds although the first response of %s is lost',
    async (action) => {
      const body = action === 'DeleteItem' ? { type: 'token', data: 'x' } : indexed;
      const statuses = [];
      await counts('DELETE');
      for (let tries = 0; tries < 12; tries += 1) {
        const { id: other } = await made(target.privateKey, '/tokens', body);
        const reply = await under(
          [`dynamodb/${action}:lost-answer:0.5`],
          'DELETE',
          `/tokens/${String(other)}`,
        );
        if (!isClearFailure('delete', reply)) statuses.push(reply.status);
      }
      const { calls } = (await counts('GET')) as {
        calls: { action: string; failures: number }[];
      };
      const lost = calls.filter((each) => each.action === `dynamodb:${action}` && each.failures > 0);
      // The test is valid only if responses were lost.
      expect(lost).not.toEqual([]);
      expect([...new Set(statuses)]).toEqual([204]);
    },
  );

  it('reads succeed while writes fail', async () => {
    const faults = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem'].map(
      (action) => `dynamodb/${action}:down:1`,
    );
    expect((await under(faults, 'GET', `/tokens/${id}`)).status).toBe(200);
    expect((await under(faults, 'POST', '/tokens', indexed)).status).toBe(503);
  });

  it('a store that never responds results in a 503 within the timeout of the gateway', async () => {
    const started = Date.now();
    const reply = await under(['dynamodb:latency:10000'], 'GET', `/tokens/${id}`);
    expect([reply.status, isClearFailure('get', reply)]).toEqual([503, true]);
    expect(Date.now() - started).toBeLessThan(30_000);
  });
});

describe('reactors, while the control plane of Lambda fails', () => {
  /** The client's view of one reactor. The code returns its version. */
  interface KnownReactor {
    readonly name: string;
    id?: string;
    exists: 'yes' | 'no' | 'maybe';
    versions: Set<number>;
  }

  const REACTORS = IS_THOROUGH ? 6 : 4;
  const codeOf = (version: number) => `module.exports = () => ({ raw: ${String(version)} });`;

  async function live(client: Client, reactor: KnownReactor): Promise<void> {
    const { managementKey: key } = client.target;
    const body = { name: reactor.name, code: codeOf(0), configuration: {} };
    const options = { body, headers: { 'SVC-IDEMPOTENCY-KEY': reactor.name } };
    for (let tries = 0; tries < 4 && reactor.id === undefined; tries += 1) {
      const reply = await client.send('reactor', [201], key, 'POST', '/reactors', options);
      if (reply) Object.assign(reactor, { id: reply.body.id as string, exists: 'yes' });
    }
    if (reactor.id === undefined) return;
    const path = `/reactors/${reactor.id}`;
    for (let version = 1; version < 3; version += 1) {
      reactor.versions.add(version);
      const change = { body: { code: codeOf(version) } };
      if (await client.send('reactor-update', [204], key, 'PATCH', path, change))
        reactor.versions = new Set([version]);
    }
    if (Number(reactor.name.split(' ')[1]) % 2 === 0) return;
    reactor.exists = 'maybe';
    const removed = await client.send('reactor-delete', [204, 404], key, 'DELETE', path);
    if (removed?.status === 404) client.problem(`delete: ${reactor.name} is not found, and was there`);
    if (removed) reactor.exists = 'no';
  }

  it.each([
    [['lambda:throttle:0.4']],
    [['lambda:error:0.2', 'lambda:down:0.1']],
    [['lambda:lost-answer:0.3']],
    [['dynamodb:error:0.1', 'dynamodb:lost-answer:0.2', 'lambda:latency:50']],
  ])('%j: none is lost, none is created twice, each runs the code that was acknowledged', async (faults) => {
    const target = await aTarget();
    const findings = noFindings();
    const reactors = Array.from({ length: REACTORS }, (_, index): KnownReactor => ({
      name: `reactor ${String(index)}`,
      exists: 'maybe',
      versions: new Set([0]),
    }));
    const clientOf = ({ name }: KnownReactor) =>
      new Client(
        name,
        new TokenLedger(name),
        target,
        findings,
        isClearFailure,
        seedOfClient(faults.join(), 1),
      );
    await setFaults(service.credentials, faults);
    try {
      await Promise.all(reactors.map((reactor) => live(clientOf(reactor), reactor)));
    } finally {
      await setFaults(service.credentials, []);
    }
    process.stdout.write(summary(`reactors, ${faults.join(' ')}`, findings));
    const problems = [...findings.problems];
    const listed = await walk(target.managementKey, '/reactors');
    for (const { name, id, exists, versions } of reactors) {
      const found = listed.filter((each) => each.name === name);
      if (found.length > 1) problems.push(`${name} was created ${String(found.length)} times`);
      if (exists === 'yes' && found[0]?.id !== id) problems.push(`${name} is lost`);
      if (exists === 'no' && found.length > 0) problems.push(`${name} was deleted and is there`);
      if (exists !== 'yes' || id === undefined) continue;
      const { status, body } = await api(target.privateKey, 'POST', `/reactors/${id}/react`, {});
      if (status !== 200 || !versions.has(body.raw as number))
        problems.push(
          `${name} gives ${String(status)} ${JSON.stringify(body)}, not ${[...versions].join(' or ')}`,
        );
    }
    expectNone(problems);
  });
});
