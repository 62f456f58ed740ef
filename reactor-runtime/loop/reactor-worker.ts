import { Worker } from 'node:worker_threads';
import { WARM_UP, type EventMessage, type WorkerSettings } from '../worker-settings.ts';
import type { MemoryBounds } from './memory-bounds.ts';
import { outcome, type Interruption, type LoadFailure } from './outcome.ts';
import { readAnswer, readLoaded } from './read-answer.ts';
import type { ReactorEvent } from './reactor-event.ts';

/** Lambda's own limit for the whole init phase is 10 s. */
const LOAD_MS = 4_000;
/** How long a thread gets to end; one in native code (a long pbkdf2Sync) does not. */
const GRACE_MS = 1_000;
/** Between two looks at the memory: while the function runs, and while nothing should. */
const [BUSY_LOOK_MS, IDLE_LOOK_MS] = [10, 250] as const;

const LOAD_FAILURE: Readonly<Record<Interruption, LoadFailure>> = {
  timed_out: 'timed_out',
  out_of_memory: 'memory',
  exited: 'exited',
};

/** A fresh thread with the author's code, for one invocation. */
export interface ReactorWorker {
  /** Settles when the code is loaded or cannot be. */
  readonly loaded: Promise<'loaded' | LoadFailure>;
  readonly alive: () => boolean;
  /** The body of the answer, whatever happens. Once. */
  run(event: ReactorEvent): Promise<string>;
  /** Whether the thread has ended. */
  end(): Promise<boolean>;
}

/** What a phase of a worker's life (loading, the invocation) listens to; the first that ends it, ends it. */
interface Phase {
  message(message: unknown): void;
  interrupted(by: Interruption): void;
}

const code = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

export function startReactorWorker(
  file: string,
  settings: WorkerSettings,
  { resourceLimits, residentBytes }: MemoryBounds,
): ReactorWorker {
  const thread = new Worker(file, {
    argv: [],
    env: {},
    execArgv: [],
    stdin: false,
    // Not on the process's own; `worker/guard-process.ts` sees to it that nothing comes here either, and nobody reads.
    stdout: true,
    stderr: true,
    resourceLimits,
    workerData: settings,
  });

  let alive = true;
  let phase: Phase | undefined;
  let cause: Interruption = 'exited';

  const interrupt = (by: Interruption) => {
    const ended = phase;
    phase = undefined;
    ended?.interrupted(by);
  };

  thread.on('message', (message) => phase?.message(message));
  thread.on('messageerror', () => interrupt('exited'));
  thread.on('error', (error) => {
    cause = code(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out_of_memory' : 'exited';
  });
  const ended = new Promise<true>((resolve) => {
    thread.on('exit', () => {
      alive = false;
      clearInterval(looks);
      interrupt(cause);
      resolve(true);
    });
  });

  const look = () => {
    if (process.memoryUsage.rss() <= residentBytes) return;
    cause = 'out_of_memory';
    interrupt('out_of_memory');
    void thread.terminate();
  };
  let looks = setInterval(look, BUSY_LOOK_MS);

  /** Runs a phase to its end, at most for `limitMs`. */
  const enter = <T>(
    limitMs: number,
    read: (message: unknown) => T | undefined,
    interrupted: (by: Interruption) => T,
  ): Promise<T> =>
    new Promise((resolve) => {
      clearInterval(looks);
      looks = setInterval(look, BUSY_LOOK_MS);
      const timer = setTimeout(() => interrupt('timed_out'), limitMs);
      const settle = (value: T) => {
        phase = undefined;
        clearTimeout(timer);
        clearInterval(looks);
        if (alive) looks = setInterval(look, IDLE_LOOK_MS);
        resolve(value);
      };
      phase = {
        message: (message) => {
          const value = read(message);
          if (value !== undefined) settle(value);
        },
        interrupted: (by) => settle(interrupted(by)),
      };
    });

  const loaded = enter<'loaded' | LoadFailure>(LOAD_MS, readLoaded, (by) => LOAD_FAILURE[by]);
  thread.postMessage([[], WARM_UP] satisfies EventMessage);
  return {
    loaded,
    alive: () => alive,
    run: ({ payload, localPorts, timeoutMs }) => {
      if (!alive) return Promise.resolve(outcome('exited'));
      const answer = enter(timeoutMs, readAnswer, outcome);
      thread.postMessage([localPorts, payload] satisfies EventMessage);
      return answer;
    },
    end: () => {
      void thread.terminate();
      return Promise.race([
        ended,
        new Promise<boolean>((resolve) => setTimeout(() => resolve(!alive), GRACE_MS).unref()),
      ]);
    },
  };
}
