import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { damaged } from './storage-failure.ts';

/** Seconds that a clock is ahead of the machine's, shared by threads. */
export type SharedClock = SharedArrayBuffer;

/** `/_local/clock` returns this. */
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

const stored = z.strictObject({ ahead_seconds: z.int().positive().max(MOST_AHEAD_SECONDS) });

function parseAdvance(body: string): number {
  try {
    return advance.parse(JSON.parse(body)).advance_seconds;
  } catch {
    throw new Error('the body must be a JSON object such as {"advance_seconds": 60}, in whole seconds');
  }
}

/** Reads how far an earlier start moved the clock of a data folder. */
function storedSeconds(file: string): number {
  if (!existsSync(file)) return 0;
  try {
    return stored.parse(JSON.parse(readFileSync(file, 'utf8'))).ahead_seconds;
  } catch (error) {
    throw damaged(file, 'it does not hold how far the clock was moved', error);
  }
}

/** Stores it before the move, so that no content of the folder is later than its clock. */
function store(file: string, ahead: number): void {
  writeFileSync(`${file}.new`, JSON.stringify({ ahead_seconds: ahead }), { flush: true });
  renameSync(`${file}.new`, file);
}

/**
 * Makes a clock that has the machine's time, or the one to which it was moved in a data folder:
 * what is stored there may be dated until then.
 */
export function createClock(dataDirectory?: string): Clock {
  const file = dataDirectory === undefined ? undefined : join(dataDirectory, 'clock.json');
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const seconds = new Int32Array(shared);
  if (file !== undefined) Atomics.store(seconds, 0, storedSeconds(file));
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
        if (file !== undefined) store(file, ahead);
        Atomics.store(seconds, 0, ahead);
        for (const listener of listeners) listener(move);
      }
      return { now: new Date(now()).toISOString(), ahead_seconds: Atomics.load(seconds, 0) };
    },
  };
}

/**
 * The global function of this name has the machine's time, for what an app compares with others:
 * they have no part in a move.
 */
const MACHINE_TIME = Symbol.for('machine-time');

/**
 * Makes `Date` of this thread follow a clock; timers and `performance` do not. Returns the original
 * `Date.now`.
 */
export function followClock(shared: SharedClock): () => number {
  const seconds = new Int32Array(shared);
  const MachineDate = Date;
  const machineNow = Date.now;
  const now = (): number => machineNow() + Atomics.load(seconds, 0) * 1000;
  Reflect.set(globalThis, MACHINE_TIME, () => machineNow());
  globalThis.Date = new Proxy(MachineDate, {
    apply: () => new MachineDate(now()).toString(),
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  });
  MachineDate.now = now;
  MachineDate.prototype.constructor = globalThis.Date;
  return machineNow;
}
