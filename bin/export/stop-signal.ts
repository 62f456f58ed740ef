import { CommandFailure } from '../command-line/failures.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with a promise that rejects at a signal, so that the part on its way is ended first.
 * A second signal ends the process.
 */
export async function withStopSignal<T>(work: (stopped: Promise<never>) => Promise<T>): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => undefined);
  const stop = (signal: NodeJS.Signals) => {
    ignore();
    reject(new CommandFailure(`stopped by ${signal}`));
  };
  const ignore = () => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopped);
  } finally {
    ignore();
  }
}
