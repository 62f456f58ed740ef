import { setTimeout as sleep } from 'node:timers/promises';
import { randomFillSync, randomInt, randomUUID } from 'node:crypto';
import type { Platform } from '../core/shared/platform.ts';
import { randomPool } from './random-pool.ts';

/** The local account moves `Date`, and leaves the time of the machine here. */
const machineTime = Reflect.get(globalThis, Symbol.for('machine-time')) as (() => number) | undefined;

const fill = randomPool(randomFillSync);

function bytes(count: number): Buffer {
  const buffer = Buffer.alloc(count);
  fill(buffer, 0, count);
  return buffer;
}

/** Takes everything from the machine on which the process runs. */
export const machinePlatform: Platform = {
  clock: () => Date.now(),
  worldClock: machineTime ?? (() => Date.now()),
  random: {
    bytes,
    fill,
    integer: (below) => randomInt(below),
    uuid: () => randomUUID(),
    fraction: () => Math.random(),
  },
  startTimer(ms, onEnd) {
    const timer = setTimeout(onEnd, ms);
    return () => clearTimeout(timer);
  },
  pause: (ms) => sleep(ms),
};
