import { z } from 'zod';

/** Seconds that a clock is ahead of the machine's, shared by threads. */
export type SharedClock = SharedArrayBuffer;

/** What `/_local/clock` returns. */
export interface ClockReading {
  /** ISO 8601, in UTC. */
  readonly now: string;
  readonly ahead_seconds: number;
}

/** The local account has the time of the machine, or a later one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Passed to other threads, which call {@link followClock}. */
  readonly shared: SharedClock;
  /**
   * Handles `/_local/clock`: PUT moves the clock forward by the `advance_seconds` of a JSON object;
   * every method returns the time. Throws an Error for an invalid body.
   */
  control(body: string, method: string): ClockReading;
  /** Calls a function after each move, with the seconds. */
  onMove(listener: (seconds: number) => void): void;
}

/** 30 years. */
const MOST_AHEAD_SECONDS = 30 * 365 * 24 * 3600;

const advance = z.strictObject({ advance_seconds: z.int().positive().max(MOST_AHEAD_SECONDS) });

function parseAdvance(body: string): number {
  try {
    return advance.parse(JSON.parse(body)).advance_seconds;
  } catch {
    throw new Error('the body must be a JSON object such as {"advance_seconds": 60}, in whole seconds');
  }
}

export function createClock(): Clock {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const seconds = new Int32Array(shared);
  const now = (): number => Date.now() + Atomics.load(seconds, 0) * 1000;
  const listeners: ((seconds: number) => void)[] = [];
  return {
    now,
    shared,
    onMove: (listener) => void listeners.push(listener),
    control: (body, method) => {
      if (method === 'PUT') {
        const move = parseAdvance(body);
        const ahead = Atomics.load(seconds, 0) + move;
        if (ahead > MOST_AHEAD_SECONDS) throw new Error('the clock can be moved by 30 years in all');
        Atomics.store(seconds, 0, ahead);
        for (const listener of listeners) listener(move);
      }
      return { now: new Date(now()).toISOString(), ahead_seconds: Atomics.load(seconds, 0) };
    },
  };
}

/**
 * Makes `Date` of this thread follow a clock; timers and `performance` do not. Returns the original
 * `Date.now`.
 */
export function followClock(shared: SharedClock): () => number {
  const seconds = new Int32Array(shared);
  const MachineDate = Date;
  const machineNow = Date.now;
  const now = (): number => machineNow() + Atomics.load(seconds, 0) * 1000;
  globalThis.Date = new Proxy(MachineDate, {
    apply: () => new MachineDate(now()).toString(),
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  });
  MachineDate.now = now;
  MachineDate.prototype.constructor = globalThis.Date;
  return machineNow;
}
