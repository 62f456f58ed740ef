import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns whether work waits, at this moment, for something outside of the service. */
type Wait = () => boolean;

/** The service works on a request, or on a message of a queue. */
interface Work {
  readonly waits: Set<Wait>;
  ended: Promise<unknown>;
}

/** One look at what runs, in real ms. */
const LOOK_MS = 20;
/**
 * Work counts as waiting after so many looks without a step of it: a second of an idle machine. A
 * busy machine delays the looks as it delays the work.
 */
const LOOKS = 50;

/** All work of a vault at one time. Some of it may wait for the test. */
export class RunningWork {
  readonly #current = new AsyncLocalStorage<Work>();
  readonly #running = new Set<Work>();
  readonly #pause: (ms: number) => Promise<unknown>;
  #steps = 0;
  /** The steps that were done when all work rested last. */
  #restedAfter: number | undefined;

  constructor(pause: (ms: number) => Promise<unknown> = sleep) {
    this.#pause = pause;
  }

  /** Runs a task as work of its own. */
  start<T>(task: () => Promise<T>): Promise<T> {
    const work: Work = { waits: new Set(), ended: Promise.resolve() };
    this.#running.add(work);
    this.step();
    const running = this.#current.run(work, task).finally(() => {
      this.#running.delete(work);
      this.step();
    });
    work.ended = running;
    return running;
  }

  /** Runs a task as part of the work that it belongs to, if any: a reactor may call its vault. */
  join<T>(task: () => Promise<T>): Promise<T> {
    const work = this.#current.getStore();
    return work !== undefined && this.#running.has(work) ? task() : this.start(task);
  }

  /** The current work waits for a promise whenever `wait` returns true, until it settles. */
  async during<T>(promise: Promise<T>, wait: Wait = () => true): Promise<T> {
    const work = this.#current.getStore();
    work?.waits.add(wait);
    this.step();
    try {
      return await promise;
    } finally {
      work?.waits.delete(wait);
      this.step();
    }
  }

  /** Notes that some work went on. */
  step(): void {
    this.#steps += 1;
  }

  /**
   * Resolves when all work has ended, or waits for a destination, for the clock or in its code.
   * Work that rested, and did nothing since, still rests.
   */
  async rests(): Promise<void> {
    if (this.#restedAfter === this.#steps) return;
    for (let looks = 0, seen = this.#steps; looks < LOOKS && this.#running.size > 0; seen = this.#steps) {
      const ends = [...this.#running].map(({ ended }) => ended);
      await Promise.race([this.#pause(LOOK_MS), Promise.allSettled(ends)]);
      const areWaiting = [...this.#running].every(({ waits }) => [...waits].some((wait) => wait()));
      if (seen !== this.#steps) looks = 0;
      else if (areWaiting) looks += 1;
    }
    this.#restedAfter = this.#steps;
  }
}
