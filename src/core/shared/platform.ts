import type { Clock } from './clock.ts';

/** Random values. It is a port so that a simulation can repeat them. */
export interface Random {
  /** Makes as many bytes, which are cryptographically secure. */
  readonly bytes: (count: number) => Buffer;
  /** Writes as many secure random bytes into a buffer, from an offset on. */
  readonly fill: (buffer: Buffer, at: number, count: number) => void;
  /**
   * Draws a secure integer from 0 up to, but not including, `below`, which is at most 2^48 - 1.
   */
  readonly integer: (below: number) => number;
  /** Makes a UUID version 4 (RFC 9562) of secure random bits. */
  readonly uuid: () => string;
  /**
   * Draws a number from 0 up to, but not including, 1. It spreads retries; no secret depends on it.
   */
  readonly fraction: () => number;
}

/**
 * An instance takes these from the machine. Functions get them as an argument, so that a simulation
 * can run many instances in one process, and repeat a run.
 */
export interface Platform {
  readonly clock: Clock;
  /**
   * The time that other machines have, for what both sides compare, such as the time of a
   * signature. It differs from `clock` only where that is moved: locally.
   */
  readonly worldClock: Clock;
  readonly random: Random;
  /** Limits work: calls `onEnd` once after `ms`. Returns a function that cancels it. */
  readonly startTimer: (ms: number, onEnd: () => void) => () => void;
  /** Resolves after `ms`, before something is tried again. */
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * Runs `work` with a signal that aborts after `ms`. It leaves no timer behind, unlike
 * `AbortSignal.timeout`.
 */
export async function withTimeout<T>(
  { startTimer }: Pick<Platform, 'startTimer'>,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const cancel = startTimer(ms, () => ending.abort());
  try {
    return await work(ending.signal);
  } finally {
    cancel();
  }
}

/** Work that may take a certain time. */
interface Timed<T> {
  readonly ms: number;
  /**
   * Asks whether the time is over before it begins another part. Time also passes while the
   * instance is frozen; timers that end meanwhile fire in any order.
   */
  readonly work: (isOver: () => boolean) => Promise<T>;
  readonly tooLate: () => Error;
}

/**
 * Rejects with `tooLate` after `ms`, and leaves no timer behind. Work that does not ask continues,
 * and its outcome is lost.
 */
export function inTime<T>(
  { startTimer, worldClock }: Pick<Platform, 'startTimer' | 'worldClock'>,
  { ms, work, tooLate }: Timed<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const begun = worldClock();
    let isOver = false;
    const cancel = startTimer(ms, () => {
      isOver = true;
      reject(tooLate());
    });
    work(() => isOver || worldClock() - begun >= ms)
      .finally(cancel)
      .then(resolve, reject);
  });
}

/** Resolves when `work` has ended, or after `ms`, and leaves no timer behind. */
export async function atMost(
  { startTimer }: Pick<Platform, 'startTimer'>,
  ms: number,
  work: Promise<void>,
): Promise<void> {
  let cancel: (() => void) | undefined;
  const end = new Promise<void>((resolve) => {
    cancel = startTimer(ms, resolve);
  });
  try {
    await Promise.race([work, end]);
  } finally {
    cancel?.();
  }
}
