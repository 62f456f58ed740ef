import {
  CheckFailure,
  isAutomatic,
  type AutomaticItem,
  type Deployment,
  type ItemContext,
  type ReleaseDeps,
  type ReleaseItem,
} from './item.ts';

export type Status = 'passed' | 'failed' | 'needs a person' | 'only on AWS' | 'interrupted';

/** A row of the report. */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly seen: string;
  readonly seconds: number;
}

/** Where the items run; `undefined` if only items for persons were chosen. */
export interface RunPlace {
  readonly deployment: Deployment | undefined;
  readonly isLocal: boolean;
}

type Outcome = Pick<Result, 'status' | 'seen'>;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Returns what reverts the changes of an item, and the calls that end with the run. */
function contextOf(deps: ReleaseDeps, deployment: Deployment, signal: AbortSignal) {
  const undos: (() => Promise<unknown>)[] = [];
  let isEnding = false;
  const live = () => {
    if (!isEnding) signal.throwIfAborted();
  };
  const context: ItemContext = {
    ...deps,
    deployment,
    fetch: async (...args) => {
      live();
      return await deps.fetch(...args);
    },
    rawFetch: async (request) => {
      live();
      return await deps.rawFetch(request);
    },
    async pause(ms) {
      live();
      if (isEnding) return await deps.pause(ms);
      const aborted = Promise.withResolvers<never>();
      const stop = () => {
        aborted.reject(signal.reason as Error);
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        return await Promise.race([deps.pause(ms), aborted.promise]);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    afterwards: (undo) => undos.push(undo),
  };
  return {
    context,
    /** Puts everything back, also after one of the steps failed. Resolves with the failures. */
    end: async (): Promise<readonly string[]> => {
      isEnding = true;
      const failures: string[] = [];
      for (const undo of undos.toReversed()) {
        try {
          await undo();
        } catch (error) {
          failures.push(messageOf(error));
        }
      }
      return failures;
    },
  };
}

async function outcomeOf(item: AutomaticItem, context: ItemContext, signal: AbortSignal): Promise<Outcome> {
  try {
    const { seen, person } = await item.run(context);
    return person === undefined
      ? { status: 'passed', seen }
      : { status: 'needs a person', seen: `${seen}; ${person}` };
  } catch (error) {
    if (signal.aborted) return { status: 'interrupted', seen: 'it was put back' };
    const isCheck = error instanceof CheckFailure;
    return { status: 'failed', seen: isCheck ? error.message : `an error: ${messageOf(error)}` };
  }
}

async function runAutomatic(
  deps: ReleaseDeps,
  deployment: Deployment,
  item: AutomaticItem,
  signal: AbortSignal,
): Promise<Outcome> {
  deps.print(`${item.id} ...`);
  const { context, end } = contextOf(deps, deployment, signal);
  const outcome = await outcomeOf(item, context, signal);
  const failures = await end();
  if (failures.length === 0) return outcome;
  return { status: 'failed', seen: `${outcome.seen}; NOT PUT BACK: ${failures.join('; ')}` };
}

async function runItem(deps: ReleaseDeps, place: RunPlace, item: ReleaseItem, signal: AbortSignal) {
  if (!isAutomatic(item)) return { status: 'needs a person', seen: item.steps } as const;
  if (place.isLocal && item.where === 'only on AWS') return { status: 'only on AWS', seen: '' } as const;
  if (place.deployment === undefined) throw new Error('an automatic item needs a deployment');
  return await runAutomatic(deps, place.deployment, item, signal);
}

/** Runs items one after the other, until the run is interrupted. Resolves with their results. */
export async function runItems(
  deps: ReleaseDeps,
  place: RunPlace,
  items: readonly ReleaseItem[],
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (signal.aborted) break;
    const started = deps.clock();
    const outcome = await runItem(deps, place, item, signal);
    const seconds = Math.round((deps.clock() - started) / 100) / 10;
    results.push({ id: item.id, title: item.title, ...outcome, seconds });
  }
  return results;
}

/** Whether the command must exit with 1. What only a person or AWS can show is no failure. */
export const hasFailed = (results: readonly Result[]): boolean =>
  results.some(({ status }) => status === 'failed' || status === 'interrupted');

/** The report for people. */
export function reportOf(results: readonly Result[]): string {
  const lines = results.map(({ id, title, status, seen, seconds }) => {
    const details = seen === '' ? [] : seen.split('\n').map((line) => `    ${line}`);
    return [`${status.padEnd(14)} ${id}: ${title} (${String(seconds)} s)`, ...details].join('\n');
  });
  const counts = Object.entries(Object.groupBy(results, ({ status }) => status));
  return [...lines, counts.map(([status, of]) => `${String(of.length)} ${status}`).join(', ')].join('\n');
}
