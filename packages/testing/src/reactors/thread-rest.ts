import type { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './bridge-message.ts';

/** Code that has computed for so long, in ms of processor time, is not waited for. */
const BUSY_MS = 1_000;

/** Processor time of a thread in ms; on Node.js before 24.6 the time that its loop was active. */
async function busyMs(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== 'function') return worker.performance.eventLoopUtilization().active;
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1_000;
}

/** Finds out whether the code in a thread waits for time to pass, or computes without an end. */
export function watchRest(worker: Worker): {
  /** Call it for every message of the thread. */
  readonly heard: (message: FromWorker) => void;
  /** Whether the thread replied to the question of the last call, and said nothing else since. */
  readonly rests: () => boolean;
} {
  let hasReplied = true;
  let hasSaidMore = true;
  let isBusy = false;

  function ask(): void {
    hasReplied = false;
    hasSaidMore = false;
    worker.postMessage('reach' satisfies ToWorker);
  }

  return {
    heard: (message) => {
      if (message === 'reached') hasReplied = true;
      else hasSaidMore = true;
    },
    rests: () => {
      const rested = isBusy || (hasReplied && !hasSaidMore);
      if (hasReplied) ask();
      busyMs(worker).then(
        (ms) => (isBusy = ms > BUSY_MS),
        () => undefined,
      );
      return rested;
    },
  };
}
