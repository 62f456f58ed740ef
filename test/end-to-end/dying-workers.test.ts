// Jobs while workers and senders are killed at random, and messages are late or duplicated: a
// thousand jobs in the thorough run.
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { setFaults } from '../support/set-faults.ts';
import { send, type ApiResponse } from '../support/http-client.ts';
import { needing } from '../support/needing.ts';
import { IS_THOROUGH, SEED } from '../../packages/local-aws/test/thoroughness.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';

const { it } = needing('openssl');

/**
 * One batch has so many jobs. More batches follow until a worker has died in the middle of its
 * work.
 */
const JOBS = IS_THOROUGH ? 1_000 : 40;
const MOST_BATCHES = 10;
const SUBMITTERS = 8;
/** When most jobs have begun, the kills end, so that the wait ends too. */
const KILLS_END_WHEN_RUN = 0.9 * JOBS;
const KILLS_GO_ON_AT_MOST_MS = 60_000;
const OVER_AFTER_MS = 150_000;
/**
 * The test waits for leases by the clock of the service: an interrupted job is detected at the end
 * of its lease, which is timeout_ms and a minute, and a dead sender after a minute.
 */
const LEASE_SECONDS = 75;
const QUIET_MS = 1_500;
/** Less than the hour within which a job must be started. */
const MOST_AHEAD_SECONDS = 20 * LEASE_SECONDS;

const UNRELIABLE_QUEUES = ['sqs:duplicate:0.2', 'sqs:delay:2000'];
const FAILING_QUEUES = ['sqs:error:0.2', 'sqs:lost-answer:0.1'];
const KILLS = [`function/Worker:kill:${IS_THOROUGH ? '0.1' : '0.3'}`, 'function/Sender:kill:0.1'];

let service: RunningService;
let receiver: TestDestination;
let counter: TestDestination;

const api = (
  key: string,
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> => send(service.credentials.base_url, key, method, path, { body, headers });

/** Counts its own runs before it does anything else. */
const CODE = `
  const http = require('http');
  module.exports = (req) => new Promise((resolve, reject) => {
    http.get(req.configuration.url + '/' + req.args.job, (response) => {
      response.resume();
      response.on('end', () => resolve({ raw: { job: req.args.job } }));
    }).on('error', reject);
  });`;

beforeAll(async () => {
  const certificate = testCertificate();
  receiver = await startDestination(certificate);
  counter = await startDestination();
  service = await runService([...TEST_SETTINGS, '--tick', '1', '--fault-seed', String(SEED)], {
    NODE_EXTRA_CA_CERTS: certificate.certFile,
  });
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
  await counter.close();
});

async function prepare(): Promise<{ readonly key: string; readonly reactor: string }> {
  const management = service.credentials.management_key;
  const application = { name: 'invoker', type: 'private', permissions: ['token:use'] };
  const { key } = (await api(management, 'POST', '/applications', application)).body as { key: string };
  const configuration = { url: `http://localhost:${String(counter.port)}` };
  const reactor = { name: 'job', code: CODE, configuration };
  const { id } = (await api(management, 'POST', '/reactors', reactor)).body as { id: string };
  return { key, reactor: id };
}

/** Submits a batch of jobs; returns their numbers by the ids under which they were accepted. */
async function submit(key: string, reactor: string, batch: number): Promise<ReadonlyMap<string, string>> {
  const accepted = new Map<string, string>();
  const jobs = Array.from({ length: JOBS }, (_, index) => `job-${String(batch)}-${String(index)}`);
  const submitter = async () => {
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
      const path = `/reactors/${reactor}/react`;
      const invocation = {
        args: { job },
        callback_url: `https://localhost:${String(receiver.port)}/hook`,
        timeout_ms: 10_000,
      };
      const once = () => api(key, 'POST', path, invocation, { 'SVC-IDEMPOTENCY-KEY': job });
      // As clients do: a busy machine may answer 503, and the key prevents a second job.
      let { status, body } = await once();
      for (let tries = 0; [409, 503].includes(status) && tries < 20; tries += 1) {
        await sleep(500);
        ({ status, body } = await once());
      }
      expect([status, job]).toEqual([202, job]);
      accepted.set(body.id as string, job);
    }
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
  return accepted;
}

let aheadSeconds = 0;

/** Waits, and lets leases end when there is no more progress. */
async function until(isDone: () => boolean, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  let [seen, quietSince] = [0, Date.now()];
  while (!isDone() && Date.now() < end) {
    const happened = counter.received.length + receiver.received.length;
    if (happened !== seen) [seen, quietSince] = [happened, Date.now()];
    if (Date.now() - quietSince > QUIET_MS && aheadSeconds < MOST_AHEAD_SECONDS) {
      await advanceClock(service.credentials, LEASE_SECONDS);
      aheadSeconds += LEASE_SECONDS;
      quietSince = Date.now();
    }
    await sleep(100);
  }
}

function runsByJob(): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const { url } of counter.received) runs.set(url.slice(1), (runs.get(url.slice(1)) ?? 0) + 1);
  return runs;
}

/** Contains every different body of an invocation, and the number of its deliveries. */
type Deliveries = Map<string, { readonly bodies: Set<string>; readonly count: number }>;

/**
 * Verifies deliveries as they arrive, like a receiver: a signature is valid for five minutes, and a
 * busy machine needs longer for all of them.
 */
function takeDeliveries(): Deliveries {
  const found: Deliveries = new Map();
  const webhook = new Webhook(service.credentials.webhook_secret);
  receiver.respond = ({ headers, body }, response) => {
    const id = String(headers['webhook-id']);
    // The clock of the service may be ahead.
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + aheadSeconds * 1_000);
    const { bodies, count } = found.get(id) ?? { bodies: new Set<string>(), count: 0 };
    try {
      bodies.add(JSON.stringify(webhook.verify(body, headers as never)));
    } catch (error) {
      bodies.add(`not signed: ${String(error)}`);
    } finally {
      now.mockRestore();
    }
    found.set(id, { bodies, count: count + 1 });
    response.end('ok');
  };
  return found;
}

const deaths = (name: string): number =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes(name) && line.includes('killed by a fault')).length;

type Ends = ReturnType<typeof endsOf>;

/** What became of the jobs: all that is wrong, and how many were interrupted or timed out. */
function endsOf(accepted: ReadonlyMap<string, string>, ended: Deliveries) {
  const runs = runsByJob();
  const problems: string[] = [];
  let [interrupted, timedOut] = [0, 0];
  for (const [id, job] of accepted) {
    const count = runs.get(job) ?? 0;
    if (count > 1) problems.push(`${job} ran ${String(count)} times`);
    const bodies = [...(ended.get(id)?.bodies ?? [])];
    const result = JSON.parse(bodies[0] ?? 'null') as {
      raw?: { job: string };
      status?: number;
      detail?: string;
    };
    if (bodies.length !== 1)
      problems.push(`${job} (${id}) was delivered with ${String(bodies.length)} results`);
    else if (result.raw !== undefined) {
      if (result.raw.job !== job || count !== 1)
        problems.push(`${job} ran ${String(count)} times and gave ${bodies.join()}`);
    } else if (result.status === 500 && /interrupted/.test(result.detail ?? '')) interrupted += 1;
    // The clock moved over the time limit of a run on a busy machine.
    else if (aheadSeconds > 0 && /ran longer than its limit/.test(result.detail ?? '')) timedOut += 1;
    else problems.push(`${job} was delivered as ${bodies.join()}`);
  }
  return { problems, interrupted, timedOut };
}

function summary(
  accepted: ReadonlyMap<string, string>,
  ended: Deliveries,
  { interrupted, timedOut }: Ends,
): string {
  const runs = runsByJob();
  const deliveryCounts = [...ended.values()].map(({ count }) => count);
  return [
    `${String(accepted.size)} jobs accepted, leases moved on by ${String(aheadSeconds)} s`,
    `${String(runs.size)} jobs ran, ${String([...runs.values()].filter((n) => n > 1).length)} of them more than once`,
    `${String(ended.size)} delivered (${String(deliveryCounts.filter((n) => n > 1).length)} more than once), ${String(interrupted)} of them as interrupted, ${String(timedOut)} as too long`,
    `${String(deaths('Worker'))} workers and ${String(deaths('Sender'))} senders killed`,
    '',
  ].join('\n');
}

it('no job is lost or runs twice when workers die, and every job ends in a delivery', async () => {
  const { key, reactor } = await prepare();
  const ended = takeDeliveries();
  const accepted = new Map<string, string>();
  let ends: Ends;
  let batch = 0;
  do {
    const begun = runsByJob().size;
    await setFaults(service.credentials, [...KILLS, ...FAILING_QUEUES, ...UNRELIABLE_QUEUES]);
    for (const [id, job] of await submit(key, reactor, batch)) accepted.set(id, job);
    await until(() => runsByJob().size - begun >= KILLS_END_WHEN_RUN, KILLS_GO_ON_AT_MOST_MS);
    await setFaults(service.credentials, UNRELIABLE_QUEUES);
    await until(() => ended.size >= accepted.size, OVER_AFTER_MS);
    ends = endsOf(accepted, ended);
    batch += 1;
  } while (ends.problems.length === 0 && ends.interrupted === 0 && batch < MOST_BATCHES);
  process.stdout.write(summary(accepted, ended, ends));
  expect(ends.problems.slice(0, 20)).toEqual([]);
  expect(accepted.size).toBe(batch * JOBS);
  expect([...ended.keys()].filter((id) => !accepted.has(id))).toEqual([]);
  // The test is valid only if workers died in the middle of their work.
  expect(ends.interrupted).toBeGreaterThan(0);
  expect(deaths('Worker')).toBeGreaterThan(0);
});
