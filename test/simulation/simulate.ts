// `npm run simulate` (CONTRIBUTING.md#the-simulation): runs the whole service in one process, under
// a clock, an order and faults that a seed decides, and shows how a run breaks a promise.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { endMisused, readArguments } from '../../tools/read-arguments.ts';
import { planOf, type Plan } from './plan.ts';
import { createProgress } from './progress.ts';
import { runPlan, type Result } from './run.ts';
import { shrink } from './shrink.ts';
import { storyOf } from './story.ts';
import { MUTATIONS } from './mutations.ts';
import { tables } from './tables.ts';
import { warmUp } from './warm-up.ts';
import type { Report } from './worker.ts';
import { runInWorkers, type Pool } from './workers.ts';

/** Where the plans of runs that broke a promise are stored. */
const PLANS = join(import.meta.dirname, '../../.local/simulation');
/** Runs that are compared are shorter and not judged: they show what differs, not what breaks. */
const SHORT = 0.2;
/** The seeds within which each mutation must be found. */
const MUTATION_SEEDS = 100;

const USAGE = `npm run simulate -- [--seed N] [--seeds COUNT] [--minutes M] [--twice COUNT] [--workers W]
npm run simulate -- --plan FILE
npm run simulate -- --mutations [--only TEXT] [--workers W]

Runs the whole service in one process, under a clock, an order and faults that a seed decides.
  --seed N        the first seed, 1 by default
  --seeds COUNT   how many seeds run, 1 by default
  --minutes M     runs further seeds until so many minutes have passed
  --twice COUNT   also runs the first COUNT seeds in two processes, short, and compares them
  --workers W     how many processes run at once, 2 by default
  --plan FILE     runs a reduced plan again, whose file a run that broke a promise has named
  --mutations     breaks the service in each way of test/simulation/mutations.ts, one after the other
  --only TEXT     takes the mutations whose name has this text
It prints its progress each minute. docs/simulation.md says what it shows, and what it does not.`;

const { values } = readArguments(USAGE, {
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    twice: { type: 'string', default: '0' },
    workers: { type: 'string', default: '2' },
    plan: { type: 'string' },
    mutations: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

/** Reads a whole number of at least `least`. */
function wholeNumber(option: 'seed' | 'seeds' | 'minutes' | 'twice' | 'workers', least: number): number {
  const text = values[option] ?? '0';
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    endMisused(USAGE, `--${option} takes a whole number from ${String(least)} on, not ${text}`);
  return Number(text);
}

const OPTIONS = {
  seed: wholeNumber('seed', 0),
  seeds: wholeNumber('seeds', 1),
  minutes: wholeNumber('minutes', 0),
  twice: wholeNumber('twice', 0),
  workers: wholeNumber('workers', 1),
};

/** Shows the shortest run that breaks a promise which this one breaks, and stores its plan. */
async function showShort(first: Result): Promise<void> {
  const definitions = tables();
  const shortest = await shrink(first, (plan) => runPlan(plan, definitions));
  console.log(storyOf(shortest));
  mkdirSync(PLANS, { recursive: true });
  const file = join(PLANS, `seed-${shortest.plan.seed}.json`);
  writeFileSync(file, JSON.stringify(shortest.plan, undefined, 2));
  console.log(`the same again: npm run simulate -- --plan ${relative(process.cwd(), file)}`);
}

async function runOnePlan(plan: Plan): Promise<Result> {
  await warmUp();
  return runPlan(plan, tables());
}

function summaryOf(reports: readonly Report[], startedAt: number): string {
  const sum = (of: (report: Report) => number) =>
    Math.round(reports.reduce((all, each) => all + of(each), 0));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const counted = [
    `${String(reports.length)} runs in ${seconds} s`,
    `${String(reports.filter(({ size }) => size === 1).length)} of them in full`,
    `${String(sum(({ minutes }) => minutes / 60))} h simulated`,
    `${String(sum(({ requests }) => requests))} requests`,
    `${String(sum(({ calls }) => calls))} events`,
    `${String(sum(({ faults }) => faults))} faults`,
  ];
  return counted.join(', ');
}

/** Which of the runs that were compared have differed. */
function differing(reports: readonly Report[]): readonly string[] {
  const digests = Map.groupBy(reports, ({ seed, size }) => `${seed} (${String(size)})`);
  return [...digests]
    .filter(([, same]) => new Set(same.map(({ digest }) => digest)).size > 1)
    .map(([name]) => name);
}

/**
 * All seeds run in full, and `twice` of them twice more, short: once in each of the first two
 * workers, in another order, so that what a process remembers of earlier runs shows as well.
 */
function seeds(from: number, count: number, twice: number, endsAt: number): Pool['next'] {
  const compared = Array.from({ length: twice }, (_, index) => ({ seed: String(from + index), size: SHORT }));
  const own = [compared, compared.toReversed()];
  let seed = from;
  return (worker) => {
    const short = own[worker]?.shift();
    if (short !== undefined) return short;
    if (seed >= from + count && performance.now() >= endsAt) return undefined;
    seed += 1;
    return { seed: String(seed - 1), size: 1 };
  };
}

/** Shows a line of progress each minute while work is done. */
async function showingProgress<T>(
  total: number | undefined,
  work: (progress: ReturnType<typeof createProgress>) => Promise<T>,
): Promise<T> {
  const progress = createProgress(total);
  const ticking = setInterval(() => {
    console.error(progress.nextMinute());
  }, 60_000);
  try {
    return await work(progress);
  } finally {
    clearInterval(ticking);
  }
}

async function runSeeds(): Promise<void> {
  const startedAt = performance.now();
  const { seed: from, seeds: count, twice, minutes, workers } = OPTIONS;
  const endsAt = startedAt + minutes * 60_000;
  // A time decides how many seeds run.
  const total = minutes > 0 ? undefined : count + 2 * twice;
  const reports = await showingProgress(total, ({ onDone }) =>
    runInWorkers({
      workers,
      next: seeds(from, count, twice, endsAt),
      isEnough: ({ problems }) => problems.length > 0,
      onReport: ({ seed }) => onDone(`seed ${seed}`),
    }),
  );
  const broken = reports.filter(({ problems }) => problems.length > 0);
  const different = differing(reports);
  for (const { seed, problems } of broken) console.log(`seed ${seed}: ${problems.slice(0, 3).join('\n  ')}`);
  for (const name of different) console.log(`seed ${name} has not repeated its history`);
  console.log(summaryOf(reports, startedAt));
  if (broken.length + different.length > 0) process.exitCode = 1;
  const [first] = broken;
  if (first !== undefined) await showShort(await runOnePlan(planOf(first.seed, first.size)));
}

/** All of them, or those whose name has a text. */
const wantedMutations = () => MUTATIONS.map(({ name }) => name).filter((name) => name.includes(values.only));

/** Shows how many seeds a way to break the service took to be found. */
async function runMutation(name: string): Promise<void> {
  const isFound = ({ problems }: Report) => problems.length > 0;
  const reports = await runInWorkers({
    workers: OPTIONS.workers,
    next: seeds(1, MUTATION_SEEDS, 0, 0),
    isEnough: isFound,
    mutation: name,
  });
  const found = reports.find(isFound);
  const [judge] = found?.problems[0]?.split(':') ?? [];
  if (found === undefined) process.exitCode = 1;
  console.log(
    `${found === undefined ? 'NOT FOUND' : found.seed.padStart(9)}  ${name}${judge ? ` (${judge})` : ''}`,
  );
}

/** Breaks the service in each way, one after the other. */
async function runMutations(): Promise<void> {
  const names = wantedMutations();
  if (names.length === 0) endMisused(USAGE, `no mutation has ${values.only} in its name`);
  await showingProgress(names.length, async ({ onDone }) => {
    for (const name of names) {
      await runMutation(name);
      onDone(name);
    }
  });
}

if (OPTIONS.twice > 0 && OPTIONS.workers < 2)
  endMisused(USAGE, '--twice compares two processes, so it needs two workers');
if (values.mutations) await runMutations();
else if (values.plan !== undefined) {
  const result = await runOnePlan(JSON.parse(readFileSync(values.plan, 'utf8')) as Plan);
  console.log(result.problems.length === 0 ? 'no promise is broken' : storyOf(result));
  if (result.problems.length > 0) process.exitCode = 1;
} else await runSeeds();
