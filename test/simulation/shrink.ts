import { NO_FAULTS } from './calls.ts';
import { NO_LIFE_FAULTS, type Plan } from './plan.ts';
import type { Result } from './run.ts';

/** Most runs that a reduction takes, and how long it takes at most, in ms of real time. */
const MOST_RUNS = 200;
const MOST_MS = 60_000;

type Attempt = (plan: Plan) => Promise<Result>;

/** Every way to leave out one part of each size of a list: halves first, then smaller ones. */
function* parts(length: number): Generator<readonly [from: number, to: number]> {
  for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < length; from += size) yield [from, Math.min(length, from + size)];
}

const without = <T>(list: readonly T[], [from, to]: readonly [number, number]): readonly T[] => [
  ...list.slice(0, from),
  ...list.slice(to),
];

/** Plans with one kind of fault less. */
function* calmer(plan: Plan): Generator<Plan> {
  for (const service of ['dynamodb', 'kms', 'sqs', 'lambda'] as const)
    yield { ...plan, faults: { ...plan.faults, [service]: NO_FAULTS } };
  for (const service of ['dynamodb', 'kms', 'sqs', 'lambda'] as const)
    for (const kind of Object.keys(NO_FAULTS))
      yield { ...plan, faults: { ...plan.faults, [service]: { ...plan.faults[service], [kind]: 0 } } };
  for (const kind of Object.keys(NO_LIFE_FAULTS)) yield { ...plan, life: { ...plan.life, [kind]: 0 } };
  yield { ...plan, lagMs: 0 };
  yield { ...plan, queues: { duplicate: 0, delayMs: 0 } };
  yield { ...plan, receivers: { refusal: 0, unanswered: 0 } };
  yield { ...plan, paceMs: 0 };
}

/** Plans with some steps less. */
function* shorter(plan: Plan): Generator<Plan> {
  for (const part of parts(plan.clients.length)) yield { ...plan, clients: without(plan.clients, part) };
  for (const [index, steps] of plan.clients.entries())
    for (const part of parts(steps.length))
      yield { ...plan, clients: plan.clients.with(index, without(steps, part)) };
}

/** Plans in which some of the faults that were drawn do not happen. */
function* rarer(plan: Plan, faults: number): Generator<Plan> {
  const left = Array.from({ length: faults }, (_, index) => index + 1).filter(
    (number) => !plan.spared.includes(number),
  );
  for (const [from, to] of parts(left.length))
    yield { ...plan, spared: [...plan.spared, ...left.slice(from, to)].sort((a, b) => a - b) };
}

/**
 * Reduces a plan that breaks a promise: fewer steps, fewer kinds of faults, fewer faults. What is
 * left still breaks one that the first run broke.
 */
export async function shrink(first: Result, attempt: Attempt): Promise<Result> {
  const judges = new Set(first.problems.map(({ judge }) => judge));
  const endsAt = performance.now() + MOST_MS;
  let best = first;
  let runs = 0;

  /** Whether one of these plans is as bad: then it is the best. */
  async function improve(plans: Iterable<Plan>): Promise<boolean> {
    for (const plan of plans) {
      if (JSON.stringify(plan) === JSON.stringify(best.plan)) continue;
      if (runs >= MOST_RUNS || performance.now() > endsAt) return false;
      runs += 1;
      const result = await attempt(plan);
      if (!result.problems.some(({ judge }) => judges.has(judge))) continue;
      best = result;
      return true;
    }
    return false;
  }

  for (const plansOf of [shorter, calmer, (plan: Plan) => rarer(plan, best.faults), shorter])
    while (await improve(plansOf(best.plan)));
  return best;
}
