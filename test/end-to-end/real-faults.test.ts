// Tests what only real processes, sockets and HTTP show of faults. Everything else is in the
// simulation (docs/simulation.md#what-the-simulation-does-not-show).
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Health } from '../../packages/local-aws/src/cloudwatch/health.ts';
import { control } from '../../packages/local-aws/src/control.ts';
import { IS_THOROUGH, randomOfFile, SEED } from '../../packages/test-kit/src/thoroughness.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { asking, isClearFailure, noFindings, type Ask, type Findings } from '../support/fault-traffic.ts';
import { httpClient, type ApiResponse, type Body, type HttpClient } from '../support/http-client.ts';
import { needing } from '../support/needing.ts';
import { operatorOf } from '../support/operator.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { revealing } from '../support/sample-requests.ts';
import { setFaults } from '../support/set-faults.ts';
import { TokenLedger, type LedgerToken } from '../support/token-ledger.ts';

const random = randomOfFile();

const { describe } = needing('openssl');

let service: RunningService;
/** Sends each body back, and verifies each webhook. */
let destination: TestDestination;
/** Counts the runs of a reactor, which it lets wait. */
let counter: TestDestination;
let client: HttpClient;
let privateKey: string;

const management = () => httpClient(service.credentials.base_url, service.credentials.management_key);
const at = (path: string) => `https://localhost:${String(destination.port)}${path}`;

beforeAll(async () => {
  const certificate = testCertificate();
  [destination, counter] = [await startDestination(certificate), await startDestination()];
  service = await runService([...TEST_SETTINGS, '--fault-seed', String(SEED)], {
    NODE_EXTRA_CA_CERTS: certificate.certFile,
  });
  const application = { name: 'x', type: 'private', rules: [revealing()] };
  privateKey = (await management().post('/applications', application)).body.key as string;
  client = httpClient(service.credentials.base_url, privateKey);
});

afterAll(async () => {
  await service.stop();
  await destination.close();
  await counter.close();
});

/** All tokens, of which there are few. */
const listed = async (): Promise<readonly Body[]> => {
  const { body } = await client.get('/tokens?size=100');
  expect(body.pagination.after).toBeNull();
  return body.data as readonly Body[];
};

describe('while the store throttles calls, loses responses and never answers a query', () => {
  const ROUNDS = IS_THOROUGH ? 4 : 2;
  const CLIENTS = ['a', 'b', 'c'];
  const findings = noFindings();
  const ledgers = CLIENTS.map((name) => new TokenLedger(name));
  let unanswered: ApiResponse;

  /** Creates, repeats, changes, reads, forwards and deletes tokens of its own. */
  async function traffic(ask: Ask, ledger: TokenLedger, { problems }: Findings): Promise<void> {
    const post = (name: string, good: number, path: string, body: unknown, headers = {}) =>
      ask(name, [good], privateKey, 'POST', path, { body, headers });
    const sees = (token: LedgerToken, body: Body) => {
      if (!token.data.has(body.data as string)) problems.push(`${token.mark} is ${JSON.stringify(body)}`);
      if (token.id !== undefined && token.id !== body.id) problems.push(`${token.mark} was created twice`);
      Object.assign(token, { id: body.id as string, exists: 'yes', data: new Set([body.data as string]) });
    };
    const bodyOf = ({ mark, isIndexed }: LedgerToken) => ({
      type: 'token',
      data: `${mark}#0`,
      ...(isIndexed && { metadata: { mark } }),
    });

    async function create(): Promise<LedgerToken & { id?: string }> {
      const token = ledger.begin({ isIndexed: random() < 0.5 });
      const headers = { 'SVC-IDEMPOTENCY-KEY': randomUUID() };
      for (let tries = 0, successes = 0; tries < 6 && successes < 2; tries += 1) {
        const answer = await post('create', 201, '/tokens', bodyOf(token), headers);
        if (answer) sees(token, answer.body);
        successes += answer ? 1 : 0;
      }
      return token;
    }

    async function tokenize(): Promise<void> {
      const group = randomUUID();
      const a = ledger.begin({ group });
      const b = ledger.begin({ isIndexed: true, group });
      const answer = await post('tokenize', 200, '/tokenize', { a: bodyOf(a), b: bodyOf(b) });
      if (!answer) return;
      sees(a, answer.body.a);
      sees(b, answer.body.b);
    }

    async function change(token: LedgerToken, path: string): Promise<void> {
      const data = `${token.mark}#1`;
      token.data.add(data);
      const answer = await ask('update', [200], privateKey, 'PATCH', path, { body: { data } });
      if (answer) token.data = new Set([data]);
      const shown = await ask('get', [200], privateKey, 'GET', path);
      if (shown) sees(token, shown.body);
      const headers = { 'SVC-PROXY-URL': at('/echo') };
      const echoed = await post('proxy', 200, '/proxy', { value: `{{ ${String(token.id)} }}` }, headers);
      if (echoed) sees(token, { id: token.id, data: echoed.body.value as string });
    }

    async function remove(token: LedgerToken, path: string): Promise<void> {
      Object.assign(token, { exists: 'maybe', isDeleted: true });
      const answer = await ask('delete', [204], privateKey, 'DELETE', path);
      if (!answer) return;
      token.exists = 'no';
      await ask('get deleted', [404], privateKey, 'GET', path);
    }

    for (let round = 0; round < ROUNDS; round += 1) {
      const token = await create();
      await tokenize();
      if (token.id === undefined) continue;
      const path = `/tokens/${token.id}`;
      await change(token, path);
      if (round % 2 === 0) await remove(token, path);
    }
  }

  beforeAll(async () => {
    destination.respond = ({ body }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(body);
    };
    const ask = asking(service.credentials.base_url, findings);
    // No other request has a query.
    const list = async () => {
      unanswered = await management().get('/applications');
    };
    const faults = ['dynamodb:throttle:0.1', 'dynamodb:lost-answer:0.1', 'dynamodb/Query:latency:60000'];
    await setFaults(service.credentials, faults);
    try {
      await Promise.all([list(), ...ledgers.map((ledger) => traffic(ask, ledger, findings))]);
    } finally {
      await setFaults(service.credentials, []);
    }
  });

  it('no response is wrong, and failures are clear', () => {
    process.stdout.write(
      `${[...findings.counts].map(([name, count]) => `${name}: ${String(count)}`).join(', ')}\n`,
    );
    expect({ seed: SEED, problems: findings.problems }).toEqual({ seed: SEED, problems: [] });
    const operations = ['create 201', 'tokenize 200', 'update 200', 'get 200', 'proxy 200'];
    for (const operation of [...operations, 'delete 204', 'get deleted 404'])
      expect([operation, findings.counts.get(operation)]).toEqual([operation, expect.any(Number)]);
  });

  it('no write is lost, and nothing is created twice', async () => {
    const tokens = await listed();
    expect(ledgers.flatMap((ledger) => ledger.compare(tokens as never))).toEqual([]);
  });

  it('a request whose query is never answered gets 503 within the timeout of the gateway', () => {
    expect([unanswered.status, isClearFailure(unanswered)]).toEqual([503, true]);
  });
});

it('the gateway answers for a function that dies, and the next request succeeds', async () => {
  const create = () => client.post('/tokens', { type: 'token', data: 'fatal' });
  await setFaults(service.credentials, ['function/Tokens:kill:1']);
  const dead = await Promise.all(Array.from({ length: 4 }, create));
  await setFaults(service.credentials, []);
  for (const { status, body } of dead)
    expect([status, body]).toMatchObject([500, { message: 'Internal Server Error' }]);
  expect(service.output()).toContain('killed by a fault');
  expect((await create()).status).toBe(201);
  const created = (await listed()).filter(({ data }) => data === 'fatal').length;
  expect(created).toBeGreaterThanOrEqual(1);
  expect(created).toBeLessThanOrEqual(5);
});

describe('asynchronous invocations whose workers die', () => {
  const JOBS = 4;
  const MOST_BATCHES = 5;
  /** How long a run waits for the counter: most of the time of its worker. */
  const RUN_MS = 500;
  /**
   * Longer than the lease of a job or of a sender, and twice is longer than a message is invisible.
   * Less than the five minutes of a signature, which may arrive while the clock moves.
   */
  const AHEAD_SECONDS = 170;
  /** So many looks at an account in which nothing changes: a busy machine looks less often. */
  const QUIET_LOOKS = 20;
  /** Less than the hour within which a job must be started. */
  const MOST_AHEAD_SECONDS = 18 * AHEAD_SECONDS;
  const CODE = `
    const http = require('http');
    module.exports = (req) => new Promise((resolve, reject) => {
      http.get(req.configuration.url + '/' + req.args.job, (response) => {
        response.resume();
        response.on('end', () => resolve({ raw: { job: req.args.job } }));
      }).on('error', reject);
    });`;

  let reactor: string;
  let aheadSeconds = 0;
  const accepted = new Map<string, string>();
  /** Has every different body of an invocation, by its id. */
  const delivered = new Map<string, Set<string>>();

  const runsOf = (job: string) => counter.received.filter(({ url }) => url === `/${job}`).length;

  async function invoke(job: string): Promise<string> {
    const body = { args: { job }, callback_url: at('/hook'), timeout_ms: 10_000 };
    const answer = await client.post(`/reactors/${reactor}/react`, body);
    expect([answer.status, job]).toEqual([202, job]);
    accepted.set(answer.body.id as string, job);
    return answer.body.id as string;
  }

  /** Changes with each message, invocation and request. */
  async function activity(): Promise<string> {
    const { functions, queues } = (await control(service.credentials, 'health')) as Health;
    return JSON.stringify([
      counter.received.length + destination.received.length,
      functions.map(({ invocations, errors, instances }) => [invocations, errors, instances]),
      queues.map(({ visible, in_flight, delayed }) => [visible, in_flight, delayed]),
    ]);
  }

  /** Waits, and moves the clock on when nothing happens any more. */
  async function until(isDone: () => boolean): Promise<void> {
    let seen = '';
    let quiet = 0;
    while (!isDone()) {
      const now = await activity();
      quiet = now === seen ? quiet + 1 : 0;
      seen = now;
      // A delivery that failed is repeated after more than that, when all jobs have been started.
      const isEarly = aheadSeconds < MOST_AHEAD_SECONDS;
      if (quiet >= (isEarly ? QUIET_LOOKS : 10 * QUIET_LOOKS)) {
        await advanceClock(service.credentials, AHEAD_SECONDS);
        aheadSeconds += AHEAD_SECONDS;
        // A call that was signed before may still be on its way if the machine is busy. It has
        // arrived once a request, which is many calls, was answered after it.
        await client.get('/tokens?size=1');
        quiet = 0;
      }
      await sleep(50);
    }
  }

  /** Whether a job ended as interrupted. Throws if it ended in a way that it must not. */
  function isInterrupted(id: string, job: string): boolean {
    const [body = '{}', ...others] = delivered.get(id) ?? [];
    expect([job, others]).toEqual([job, []]);
    const result = JSON.parse(body) as { raw?: object; status?: number; detail?: string };
    if (result.raw === undefined) {
      // On a busy machine the clock may move on over the time limit of a run.
      const detail = expect.stringMatching(/interrupted|ran longer than its limit/);
      expect([job, result]).toMatchObject([job, { detail }]);
      expect(runsOf(job)).toBeLessThanOrEqual(1);
      return result.status === 500 && result.detail?.includes('interrupted') === true;
    }
    expect([result.raw, runsOf(job)]).toEqual([{ job }, 1]);
    return false;
  }

  beforeAll(async () => {
    counter.respond = (_received, response) => void setTimeout(() => response.end('ok'), RUN_MS);
    const webhook = new Webhook(service.credentials.webhook_secret);
    destination.respond = ({ headers, body }, response) => {
      const bodies = delivered.get(String(headers['webhook-id'])) ?? new Set();
      try {
        bodies.add(JSON.stringify(webhook.verify(body, headers as never)));
      } catch (error) {
        bodies.add(`not signed: ${String(error)}`);
      }
      delivered.set(String(headers['webhook-id']), bodies);
      response.end('ok');
    };
    const configuration = { url: `http://localhost:${String(counter.port)}` };
    const { body } = await management().post('/reactors', { name: 'job', code: CODE, configuration });
    reactor = body.id as string;
    // Workers that are killed die within the time of earlier runs.
    const id = await invoke('first');
    await until(() => delivered.has(id));
  });

  it('run once, and each ends in one signed result', async () => {
    let interrupted = 0;
    for (let batch = 0; interrupted === 0 && batch < MOST_BATCHES; batch += 1) {
      // Each batch has an hour of its own.
      aheadSeconds = 0;
      const jobs = Array.from({ length: JOBS }, (_, index) => `job-${String(batch)}-${String(index)}`);
      await setFaults(service.credentials, ['function/Worker:kill:1']);
      const ids = await Promise.all(jobs.map(invoke));
      await until(() => jobs.some((job) => runsOf(job) > 0));
      await sleep(2 * RUN_MS);
      await setFaults(service.credentials, []);
      await until(() => ids.every((id) => delivered.has(id)));
      interrupted += ids.filter((id, index) => isInterrupted(id, jobs[index] ?? '')).length;
    }
    // The test is valid only if a worker died in the middle of its work.
    expect(interrupted).toBeGreaterThan(0);
    expect([...delivered.keys()].filter((id) => !accepted.has(id))).toEqual([]);
  });
});

it('the audit trail verifies as intact after all these faults once it is sealed', async () => {
  const verified = async () => {
    let next: object | null = {};
    let reply: Body = {};
    while (next !== null) {
      reply = await operatorOf(service.credentials, { command: 'verify-audit', index: true, ...next });
      expect(reply).toMatchObject({ intact: true });
      next = reply.next as object | null;
    }
    return reply;
  };
  // The sealer runs some times. Only the records of the checks themselves are left unsealed.
  let left = Infinity;
  while (left > 10) {
    await advanceClock(service.credentials, 150);
    await sleep(500);
    left = (await verified()).not_sealed_yet as number;
  }
});
