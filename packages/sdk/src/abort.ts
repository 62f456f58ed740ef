/**
 * The parts of an `AbortSignal` that the SDK needs: declarations without globals work without the
 * types of the DOM and of Node.
 */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Throws the reason of an aborted signal. */
export function throwIfAborted(signal: Signal | undefined): void {
  if (signal?.aborted !== true) return;
  // Some signals of Node 16 have no reason.
  if (signal.reason !== undefined) throw signal.reason as Error;
  const error = new Error('The operation was aborted');
  error.name = 'AbortError';
  throw error;
}

/** Resolves after the delay; rejects as soon as the signal is aborted. */
export async function abortable(delayMs: number, signal: Signal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end);
  });
  throwIfAborted(signal);
}
