import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes, randomFillSync, randomInt, randomUUID } from 'node:crypto';
import type { Platform } from '../core/shared/platform.ts';

/** The local account moves `Date`, and leaves the time of the machine here. */
const machineTime = Reflect.get(globalThis, Symbol.for('machine-time')) as (() => number) | undefined;

/** Takes everything from the machine on which the process runs. */
export const machinePlatform: Platform = {
  clock: () => Date.now(),
  worldClock: machineTime ?? (() => Date.now()),
  random: {
    bytes: (count) => randomBytes(count),
    fill: (buffer, at, count) => void randomFillSync(buffer, at, count),
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
