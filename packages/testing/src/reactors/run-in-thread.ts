import { dirname, extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { outcome, notLoaded } from '../../../../reactor-runtime/loop/outcome.ts';
import { parseWorkerMessage, readLoaded } from '../../../../reactor-runtime/loop/parse-worker-message.ts';
import type { Platform } from '../../../../src/core/shared/platform.ts';
import type { AskedRequest, AskedResponse, FromWorker, ToWorker, WorkerInput } from './bridge-message.ts';
import type { RunCode } from '../aws/memory-lambda.ts';

/** The file is next to this one, and next to the bundle. */
const WORKER = join(dirname(import.meta.filename), `reactor-thread${extname(import.meta.filename)}`);
/** How large the heap of a thread may be, in MB. */
const HEAP_MB = 256;

export interface ThreadOptions extends Pick<Platform, 'startTimer'> {
  /** Sends a request of the code. Rejects if nothing can be reached there. */
  readonly ask: (request: AskedRequest) => Promise<AskedResponse>;
  readonly print: (line: string) => void;
  /** Gets what the author of the test has to mend. */
  readonly warn: (error: unknown) => void;
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

export function createThreads({ ask, print, warn, startTimer }: ThreadOptions): Threads {
  const running = new Set<(result: string) => void>();
  let hasEnded = false;

  const run: RunCode = (code, event) =>
    new Promise((resolve) => {
      if (hasEnded) {
        resolve(outcome('exited'));
        return;
      }
      const { timeout_ms: timeoutMs } = JSON.parse(event) as { readonly timeout_ms: number };
      const workerData: WorkerInput = { code, event, folder: process.cwd() };
      const worker = new Worker(WORKER, {
        workerData,
        env: {},
        execArgv: ['--no-warnings'],
        stdout: true,
        stderr: true,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      });
      const end = (result: string) => {
        running.delete(end);
        cancel();
        resolve(result);
        worker.terminate().catch(() => undefined);
      };
      running.add(end);
      const cancel = startTimer(timeoutMs, () => end(outcome('timed_out')));
      for (const stream of [worker.stdout, worker.stderr])
        stream.on('data', (text: Buffer) => print(text.toString().trimEnd()));
      const reply = async (id: number, asked: AskedRequest) => {
        const message: ToWorker = await ask(asked).then(
          (response) => ({ id, response }),
          (error: unknown) => ({ id, failure: error instanceof Error ? error.message : String(error) }),
        );
        worker.postMessage(message);
      };
      worker.on('message', (message: FromWorker) => {
        if ('asked' in message) void reply(message.id, message.asked);
        else if ('printed' in message) print(message.printed);
        else if ('missing' in message) warn(new Error(message.missing));
        else {
          const failure = readLoaded(message.said);
          if (failure !== undefined && failure !== 'loaded') end(notLoaded(failure));
          const response = parseWorkerMessage(message.said);
          if (response !== undefined) end(response);
        }
      });
      worker.on('error', ({ code: reason }: NodeJS.ErrnoException) => {
        end(outcome(reason === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out_of_memory' : 'exited'));
      });
      worker.on('exit', () => end(outcome('exited')));
    });

  return {
    run,
    end: () => {
      hasEnded = true;
      for (const end of running) end(outcome('exited'));
    },
  };
}
