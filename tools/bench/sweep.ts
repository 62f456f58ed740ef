// `npm run bench -- sweep`: records that the sweeper's bundle removes in a minute, by kind and
// together, with calls of 5 ms over TLS. Its own process excludes the database's processor time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { AT_ONCE } from '../../src/core/sweep/sweep.ts';
import { aDatabase, type Database } from '../../test/support/a-database.ts';
import { BUDGETS } from './budgets.ts';
import { bundleOf } from './cold-start/bundles.ts';
import { effort } from './effort.ts';
import { report, type Budget, type Figures } from './section.ts';
import { DUE_KINDS, type DueKind } from './sweep/plant.ts';
import type { SweeperRun } from './sweep/sweeper-process.ts';
import { startTls } from './tls-endpoint.ts';

const LATENCY_MS = 5;
/** The time limit of a run on Lambda. */
const TIMEOUT_MS = 58_000;
const MINUTE_MS = 60_000;

/** Records of each kind, measured separately. */
const EACH = effort(10_000, 20);
/** Kinds that never occur in numbers. */
const FEW = effort(1_000, 10);
const WARM_UP = effort(1_000, 1);
/** Records of each kind when all are due; more than a run removes here. */
const BACKLOG = effort(40_000, 40);

async function startSweeper(endpoint: { readonly url: string; readonly certFile: string }) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_EXTRA_CA_CERTS: endpoint.certFile,
    AWS_ENDPOINT_URL: endpoint.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    SERVICE_NAME: 'bench',
    TOKENS_TABLE: 'Tokens',
    EPHEMERAL_TABLE: 'Ephemeral',
    ACCESS_TABLE: 'Access',
    REACTORS_TABLE: 'Reactors',
    INVOCATIONS_QUEUE_URL: `${endpoint.url}/invocations`,
    DELIVERIES_QUEUE_URL: `${endpoint.url}/deliveries`,
    REACTOR_FUNCTION_PREFIX: 'bench-reactor-',
    HOT_CONCURRENCY: '0',
    HOT_INSTANCES: '0',
    KEY_ROTATION_DAYS: '365',
  };
  const child = fork(join(import.meta.dirname, 'sweep/sweeper-process.ts'), [bundleOf('sweeper').file], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
    async run(): Promise<SweeperRun> {
      child.send(TIMEOUT_MS);
      const [response] = (await once(child, 'message')) as [SweeperRun | { readonly error: string }];
      if ('error' in response) throw new Error(response.error);
      if (response.failed > 0) throw new Error(`${String(response.failed)} records failed`);
      return response;
    },
    stop: () => void child.kill(),
  };
}

type Sweeper = Awaited<ReturnType<typeof startSweeper>>;

/** Measures a run and its calls to the database, which uses the processor time of this process. */
async function observed(database: Database, sweeper: Sweeper) {
  database.takeCalls();
  const before = process.cpuUsage();
  const run = await sweeper.run();
  const { user, system } = process.cpuUsage(before);
  const calls = database.takeCalls().length;
  const done = Object.values(run.swept).reduce((sum, count) => sum + count, 0);
  if (done === 0) throw new Error('nothing was swept');
  return { ...run, done, calls, databaseMsPerCall: (user + system) / 1000 / calls };
}

const FEW_WORKS = ['applications', 'invocations'];
const whole = (value: number) => Math.round(value).toLocaleString('en');

/**
 * Measures one kind on this machine, and estimates the result without the database as a bottleneck.
 */
async function ofKind(database: Database, sweeper: Sweeper, name: string, { plant, work }: DueKind) {
  const count = FEW_WORKS.includes(work) ? FEW : EACH;
  await plant(database, count);
  const { done, calls, elapsedMs, cpuMs, databaseMsPerCall } = await observed(database, sweeper);
  // A busy machine may need more than one run; the first is enough.
  for (let left = count - done; left > 0;) left -= (await observed(database, sweeper)).done;
  const byProcessor = MINUTE_MS / (cpuMs / done);
  const byLatency = (AT_ONCE * MINUTE_MS) / (LATENCY_MS * (calls / done));
  return {
    name,
    expected: Math.min(byProcessor, byLatency),
    row: [
      name,
      whole((done / elapsedMs) * MINUTE_MS),
      (calls / done).toFixed(2),
      `${whole((cpuMs / done) * 1000)} us`,
      `${whole(databaseMsPerCall * 1000)} us`,
      whole(byProcessor),
      whole(byLatency),
    ],
  };
}

/**
 * Returns the kind with the fewest removals, among those that a run over a backlog did not
 * complete.
 */
function leastOf(
  planted: ReadonlyMap<string, number>,
  { swept, done }: SweeperRun & { readonly done: number },
) {
  const [least] = [...planted]
    .map(([name, count]) => ({ name, isDone: swept[name] === count, share: (swept[name] ?? 0) / done }))
    .filter(({ isDone }) => !isDone)
    .toSorted((a, b) => a.share - b.share);
  return least ?? { name: 'all are done', share: 1 };
}

async function ofAll(database: Database, sweeper: Sweeper): Promise<readonly [Budget, Figures]> {
  const planted = new Map<string, number>();
  for (const { plant, work } of Object.values(DUE_KINDS)) {
    const count = FEW_WORKS.includes(work) ? FEW : BACKLOG;
    planted.set(work, (planted.get(work) ?? 0) + count);
    await plant(database, count);
  }
  const run = await observed(database, sweeper);
  const { swept, done, calls, elapsedMs, cpuMs, databaseMsPerCall } = run;
  const least = leastOf(planted, run);
  const percent = (share: number) => `${(100 * share).toFixed(0)}%`;
  const minutes = elapsedMs / MINUTE_MS;
  const budget = {
    budget: 'no kind of due records starves another',
    limit: `done, or ${percent(BUDGETS.sweep.share)}`,
    measured: `least: ${percent(least.share)} of a run (${least.name})`,
    reference: 'a backlog of every kind',
    isMet: least.share >= BUDGETS.sweep.share,
    isExact: true,
  };
  const figures = {
    title: 'The sweep with a backlog of every kind',
    columns: ['work', 'removed in the run', 'a minute'],
    rows: [
      ...Object.entries(swept)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => [name, whole(count), whole(count / minutes)]),
      ['together', whole(done), whole(done / minutes)],
    ],
    note:
      `One run of ${(elapsedMs / 1000).toFixed(1)} s: ${(calls / done).toFixed(2)} calls and ${whole((cpuMs / done) * 1000)} us of processor time a record, ` +
      `${whole((cpuMs / elapsedMs) * 100)}% of a processor; the local DynamoDB takes ${whole(databaseMsPerCall * 1000)} us of another a call.`,
  };
  return [budget, figures];
}

const database = await aDatabase(8, { latencyMs: LATENCY_MS });
const tls = await startTls(database.url);
const sweeper = await startSweeper(tls);
try {
  for (const { plant } of Object.values(DUE_KINDS)) await plant(database, WARM_UP);
  await sweeper.run();
  const kinds = [];
  for (const [name, kind] of Object.entries(DUE_KINDS))
    kinds.push(await ofKind(database, sweeper, name, kind));
  const slowest = kinds.reduce((least, each) => (each.expected < least.expected ? each : least));
  const [starvation, backlog] = await ofAll(database, sweeper);
  const limit = BUDGETS.sweep.recordsAMinute;
  report({
    budgets: [
      {
        budget: 'due records swept a minute, of any kind',
        limit: `at least ${whole(limit)}`,
        measured: `${whole(slowest.expected)} (${slowest.name})`,
        reference: `by CPU and calls of ${String(LATENCY_MS)} ms`,
        isMet: slowest.expected >= limit,
      },
      starvation,
    ],
    figures: [
      {
        title: 'The sweep, a kind at a time',
        columns: [
          'record',
          'a minute here',
          'calls',
          'CPU of the sweeper',
          'CPU of the local DynamoDB a call',
          'a minute by CPU',
          `a minute by calls of ${String(LATENCY_MS)} ms`,
        ],
        rows: kinds.map(({ row }) => row),
      },
      backlog,
    ],
  });
} finally {
  sweeper.stop();
  tls.close();
  await database.close();
}
