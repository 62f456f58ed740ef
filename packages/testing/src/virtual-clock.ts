import { clearTimeout, setTimeout } from 'node:timers';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import type { Platform } from '../../../src/core/shared/platform.ts';

interface Timer {
  readonly dueAt: number;
  readonly fire: () => void;
}

/**
 * The clock of a vault. It stands still, except that each request takes a millisecond. A timer of
 * the service ends after its real time, or when the clock passes its end.
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
    const end = () => {
      this.#timers.delete(timer);
      clearTimeout(real);
    };
    const timer: Timer = {
      dueAt: this.#now + ms,
      fire: () => {
        end();
        onEnd();
      },
    };
    const real = setTimeout(timer.fire, this.#hasEnded ? 0 : ms);
    this.#timers.add(timer);
    return end;
  };

  /** What every function of a vault has as its platform. */
  platform(): Platform {
    return { ...machinePlatform, clock: this.now, worldClock: this.now, startTimer: this.startTimer };
  }
}
