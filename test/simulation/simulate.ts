// `npm run simulate` (CONTRIBUTING.md#the-simulation): runs the whole service in one process, under
// a clock, an order and faults that a seed decides, and shows how a run breaks a promise.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { planOf, type Plan } from './plan.ts';
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
                      [--plan FILE] [--mutations [--only TEXT]]`;

const { values } = (() => {
  try {
    return parseArgs({
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
  } catch (error) {
    return end(error instanceof Error ? error.message : String(error));
  }
})();

/** Ends before anything has run. */
function end(reason: string): never {
  console.error(`${reason}\n${USAGE}`);
  return process.exit(2);
}

/** Reads a whole number of at least `least`. */
function wholeNumber(option: 'seed' | 'seeds' | 'minutes' | 'twice' | 'workers', least: number): number {
  const text = values[option] ?? '0';
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    end(`--${option} takes a whole number from ${String(least)} on, not ${text}`);
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

async function runSeeds(): Promise<void> {
  const startedAt = performance.now();
  const { seed: from, seeds: count, twice, minutes, workers } = OPTIONS;
  const endsAt = startedAt + minutes * 60_000;
  const reports = await runInWorkers({
    workers,
    next: seeds(from, count, twice, endsAt),
    isEnough: ({ problems }) => problems.length > 0,
  });
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

/** How many seeds each way to break the service took to be found. */
async function runMutations(): Promise<void> {
  const names = wantedMutations();
  if (names.length === 0) end(`no mutation has ${values.only} in its name`);
  for (const name of names) {
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
}

if (OPTIONS.twice > 0 && OPTIONS.workers < 2) end('--twice compares two processes, so it needs two workers');
if (values.mutations) await runMutations();
else if (values.plan !== undefined) {
  const result = await runOnePlan(JSON.parse(readFileSync(values.plan, 'utf8')) as Plan);
  console.log(result.problems.length === 0 ? 'no promise is broken' : storyOf(result));
  if (result.problems.length > 0) process.exitCode = 1;
} else await runSeeds();
