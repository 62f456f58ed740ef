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

/** Throws the reason of an aborted signal, and `TypeError` for what is no signal. */
export function throwIfAborted(signal: Signal | undefined): void {
  if (signal === undefined) return;
  const { aborted, addEventListener, removeEventListener } = (signal as Partial<Signal> | null) ?? {};
  const isSignal = [addEventListener, removeEventListener].every((each) => typeof each === 'function');
  if (typeof aborted !== 'boolean' || !isSignal) throw new TypeError('signal must be an AbortSignal');
  if (!aborted) return;
  // Some signals of Node 16 have no reason.
  if (signal.reason !== undefined) throw signal.reason as Error;
  const error = new Error('The operation was aborted');
  error.name = 'AbortError';
  throw error;
}

/** Everything that waits for a signal, behind one listener: Node warns of the eleventh. */
interface Waiting {
  readonly ends: Set<() => void>;
  readonly listener: () => void;
}

const waitingFor = new WeakMap<Signal, Waiting>();

function waitingOf(signal: Signal): Waiting {
  const existing = waitingFor.get(signal);
  if (existing !== undefined) return existing;
  const ends = new Set<() => void>();
  const listener = () => [...ends].forEach((end) => end());
  const waiting = { ends, listener };
  waitingFor.set(signal, waiting);
  signal.addEventListener('abort', listener);
  return waiting;
}

/** Calls `end` when the signal is aborted, until the function that it returns is called. */
export function onAbort(signal: Signal | undefined, end: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const { ends, listener } = waitingOf(signal);
  ends.add(end);
  return () => {
    if (!ends.delete(end) || ends.size > 0) return;
    signal.removeEventListener('abort', listener);
    waitingFor.delete(signal);
  };
}

/** Resolves as the promise does; rejects as soon as the signal is aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: Signal | undefined): Promise<T> {
  throwIfAborted(signal);
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => (stop = onAbort(signal, resolve)));
  try {
    const result = await Promise.race([promise, aborted.then(() => undefined)]);
    throwIfAborted(signal);
    return result as T;
  } finally {
    stop();
  }
}

/** Resolves after the delay; rejects as soon as the signal is aborted. */
export async function abortable(delayMs: number, signal: Signal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const delay = new Promise<void>((resolve) => (timer = setTimeout(resolve, delayMs)));
  await unlessAborted(delay, signal).finally(() => clearTimeout(timer));
}
