import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Report, WantedRun } from './worker.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
const MUTATE = join(import.meta.dirname, 'mutate.ts');
/** A worker that needs longer for one run, in ms of real time, hangs. */
const HANGS_AFTER_MS = 300_000;

export interface Pool {
  /** How many processes run at once. */
  readonly workers: number;
  /** Returns what a worker, by its number, runs next; undefined if nothing is left for it. */
  readonly next: (worker: number) => WantedRun | undefined;
  /** Whether nothing more is run after this report. */
  readonly isEnough: (report: Report) => boolean;
  /** Called with each report when it arrives. */
  readonly onReport?: (report: Report) => void;
  /** The name of a mutation, with which all of them run. */
  readonly mutation?: string;
  readonly hangsAfterMs?: number;
  /** The module that each process runs. */
  readonly module?: string;
}

const nameOf = (wanted: WantedRun | undefined): string =>
  wanted === undefined ? 'no seed' : `seed ${wanted.seed} (size ${String(wanted.size)})`;

function start({ mutation, module = WORKER }: Pool) {
  return fork(module, [], {
    // The errors of faults need no stack: a run that broke a promise is repeated, and shows them.
    execArgv: [
      '--max-semi-space-size=64',
      '--stack-trace-limit=0',
      ...(mutation === undefined ? [] : ['--import', MUTATE]),
    ],
    env: { ...process.env, ...(mutation !== undefined && { CLOAKROOM_MUTATION: mutation }) },
    // A service that is broken on purpose may fail as it likes.
    stdio: ['ignore', 'inherit', mutation === undefined ? 'inherit' : 'ignore', 'ipc'],
  });
}

/**
 * Runs what is wanted in several processes. Rejects, with the name of the seed, if one of them ends
 * by itself: a run without a report would otherwise count as one without a problem.
 */
export async function runInWorkers(pool: Pool): Promise<readonly Report[]> {
  const { workers, next, isEnough, onReport, hangsAfterMs = HANGS_AFTER_MS } = pool;
  const reports: Report[] = [];
  const children = Array.from({ length: workers }, () => start(pool));
  let isOver = false;

  const work = (child: (typeof children)[number], worker: number) =>
    new Promise<void>((resolve, reject) => {
      let hang: NodeJS.Timeout | undefined;
      let current: WantedRun | undefined;
      const goOn = () => {
        clearTimeout(hang);
        current = isOver ? undefined : next(worker);
        if (current === undefined) {
          resolve();
          return;
        }
        hang = setTimeout(() => child.kill('SIGKILL'), hangsAfterMs);
        child.send(current);
      };
      child.on('message', (message) => {
        if (message !== 'ready') {
          const report = message as Report;
          if (report.seed !== current?.seed || report.size !== current.size)
            reject(new Error(`a worker reported ${nameOf(report)} instead of ${nameOf(current)}`));
          reports.push(report);
          onReport?.(report);
          isOver ||= isEnough(report);
        }
        goOn();
      });
      child.on('error', reject);
      // One whose work is over has resolved already.
      child.on('exit', (code, signal) => {
        clearTimeout(hang);
        reject(new Error(`a worker ended in ${nameOf(current)} with ${String(signal ?? code)}`));
      });
    });

  try {
    await Promise.all(children.map(work));
    return reports;
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}
