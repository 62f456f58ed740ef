import { AsyncResource } from 'node:async_hooks';
import { dirname, extname, join } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { outcome, notLoaded } from '../../../../reactor-runtime/loop/outcome.ts';
import { parseWorkerMessage, readLoaded } from '../../../../reactor-runtime/loop/parse-worker-message.ts';
import type { Image } from '../../../../src/core/reactors/layer.ts';
import { packageAt } from '../../../../src/core/reactors/package-files.ts';
import type { Platform } from '../../../../src/core/shared/platform.ts';
import type { AskedRequest, AskedResponse, FromWorker, ToWorker, WorkerInput } from './bridge-message.ts';
import type { RunCode, RunnableCode } from '../aws/memory-lambda.ts';
import type { RunningWork } from '../running-work.ts';
import { watchRest } from './thread-rest.ts';

/** The file is next to this one, and next to the bundle. */
const WORKER = join(dirname(import.meta.filename), `reactor-thread${extname(import.meta.filename)}`);
/** How large the heap of a thread may be, in MB. */
const HEAP_MB = 256;
/** Code that nothing else ends is stopped after so long, in real ms. */
const ENDLESS_MS = 60_000;

export interface ThreadOptions extends Pick<Platform, 'startTimer'> {
  /** Sends a request of the code. Rejects if nothing can be reached there. */
  readonly ask: (request: AskedRequest) => Promise<AskedResponse>;
  readonly print: (line: string) => void;
  /** Gets what the author of the test has to mend. */
  readonly warn: (error: unknown) => void;
  readonly work: RunningWork;
}

/** Runs the reactors of a vault. */
export interface Threads {
  /**
   * Runs a reactor's code in a thread of its own, which ends with the run. A thread is no wall: the
   * code can read the files and the memory of this process.
   */
  readonly run: RunCode;
  /** Ends all that run, and starts no more. */
  readonly end: () => void;
}

function startThread(workerData: WorkerInput): Worker {
  return new Worker(WORKER, {
    workerData,
    env: {},
    execArgv: ['--no-warnings'],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

/** The result of a run, if the runtime said it. */
function resultIn(said: string, { packages }: RunnableCode): string | undefined {
  const find = (line: number, column: number) => packages && packageAt(packages.places, line, column);
  const failure = readLoaded(said, find);
  if (failure !== undefined && failure !== 'loaded') return notLoaded(failure);
  return parseWorkerMessage(said, find);
}

export function createThreads({ ask, print, warn, work, startTimer }: ThreadOptions): Threads {
  const running = new Set<(result: string) => void>();
  let hasEnded = false;

  function start(code: RunnableCode, event: string, image: Image): Promise<string> {
    const { timeout_ms: timeoutMs } = JSON.parse(event) as { readonly timeout_ms: number };
    const worker = startThread({ ...code, event, image, folder: process.cwd() });
    const rest = watchRest(worker);
    let asks = 0;

    const reply = async (id: number, asked: AskedRequest) => {
      asks += 1;
      const message: ToWorker = await ask(asked).then(
        (response) => ({ id, response }),
        (error: unknown) => ({ id, failure: error instanceof Error ? error.message : String(error) }),
      );
      asks -= 1;
      worker.postMessage(message);
    };
    const result = new Promise<string>((resolve) => {
      const end = (ended: string) => {
        running.delete(end);
        cancel();
        clearTimeout(endless);
        resolve(ended);
        worker.terminate().catch(() => undefined);
      };
      running.add(end);
      const cancel = startTimer(timeoutMs, () => end(outcome('timed_out')));
      const endless = setTimeout(() => end(outcome('timed_out')), ENDLESS_MS);
      const hear = (message: FromWorker) => {
        rest.heard(message);
        if (message === 'reached') return;
        work.step();
        if ('asked' in message) void reply(message.id, message.asked);
        else if ('printed' in message) print(message.printed);
        else if ('missing' in message) warn(new Error(message.missing));
        else {
          const said = resultIn(message.said, code);
          if (said !== undefined) end(said);
        }
      };
      // A request of the code is part of the work that runs it.
      worker.on('message', AsyncResource.bind(hear));
      worker.on('error', ({ code: reason }: NodeJS.ErrnoException) => {
        end(outcome(reason === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out_of_memory' : 'exited'));
      });
      worker.on('exit', () => end(outcome('exited')));
    });
    for (const stream of [worker.stdout, worker.stderr])
      stream.on('data', (text: Buffer) => print(text.toString().trimEnd()));
    return work.during(result, () => asks === 0 && rest.rests());
  }

  return {
    run: (code, event, image) => (hasEnded ? Promise.resolve(outcome('exited')) : start(code, event, image)),
    end: () => {
      hasEnded = true;
      for (const end of running) end(outcome('exited'));
    },
  };
}
