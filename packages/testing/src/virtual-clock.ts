import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import type { Platform } from '../../../src/core/shared/platform.ts';

interface Timer {
  readonly dueAt: number;
  readonly fire: () => void;
}

/**
 * The clock of a vault. It stands still, except that each request takes a millisecond. A limit of
 * the service ends when the clock passes it, and at no other time: how fast the machine is changes
 * no result. A pause before another try ends after its real time, or when the clock passes it.
 */
export class VirtualClock {
  readonly #timers = new Set<Timer>();
  /** Ms since the epoch. */
  #now: number;
  #hasEnded = false;

  constructor(now: number) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  /** Starts the next request: lists sort by time. */
  tick(): void {
    this.#now += 1;
  }

  /** Moves the clock to a later time, and ends the waits until then. */
  moveTo(now: number): void {
    this.#now = now;
    for (const timer of this.#timers) if (timer.dueAt <= now) timer.fire();
  }

  /** Ends every wait at once, also those that begin later. */
  endTimers(): void {
    this.#hasEnded = true;
    for (const timer of this.#timers) timer.fire();
  }

  readonly startTimer = (ms: number, onEnd: () => void): (() => void) => {
    const end = () => void this.#timers.delete(timer);
    const timer: Timer = {
      dueAt: this.#now + ms,
      fire: () => {
        end();
        onEnd();
      },
    };
    this.#timers.add(timer);
    // No timer ends within the call that starts it.
    if (this.#hasEnded)
      setImmediate(() => {
        if (this.#timers.has(timer)) timer.fire();
      });
    return end;
  };

  readonly pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = this.startTimer(ms, () => {
        clearTimeout(real);
        resolve();
      });
      const real = setTimeout(() => {
        end();
        resolve();
      }, ms);
    });

  /** Every function of a vault has this as its platform. */
  platform(): Platform {
    const { now, startTimer, pause } = this;
    return { ...machinePlatform, clock: now, worldClock: now, startTimer, pause };
  }
}
