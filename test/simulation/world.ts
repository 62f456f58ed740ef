import { seeded, type Draws } from './seeded.ts';

/** A task happens at a time. A promise is awaited before anything else happens. */
export type Task = () => void | Promise<void>;

/** One thing that happened, for the story of a run. */
export interface HappenedEvent {
  /** In ms since the beginning of the run. */
  readonly at: number;
  /** The client, instance or part that it happened to. */
  readonly who: string;
  readonly what: string;
}

/**
 * The time of a simulation, and the order in which things happen: by their time, and otherwise as
 * they were planned. Nothing else decides, so that a seed repeats a run.
 */
export interface World {
  readonly seed: string;
  /** In ms since the epoch, with a fraction. */
  readonly now: () => number;
  /** Plans a task; returns what cancels it. */
  readonly after: (ms: number, task: Task) => () => void;
  /** Resolves after so many ms. */
  readonly pause: (ms: number) => Promise<void>;
  /** Draws by a name: those of one name do not change those of another. */
  readonly draws: (name: string) => Draws;
  readonly happened: (who: string, what: string) => void;
  readonly events: readonly HappenedEvent[];
  /** Lets time pass until a promise settles. Rejects if nothing is planned and it has not. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
}

/** 2026-01-01, so that times in stories read well. */
export const BEGINNING = Date.UTC(2026, 0, 1);

interface Planned {
  readonly time: number;
  readonly order: number;
  readonly task: Task;
  isCancelled: boolean;
}

const isBefore = (a: Planned, b: Planned): boolean =>
  a.time < b.time || (a.time === b.time && a.order < b.order);

/** A binary heap: the earliest is the first. */
function createAgenda() {
  const heap: Planned[] = [];
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b] as Planned, heap[a] as Planned];
  };

  function push(planned: Planned): void {
    let at = heap.push(planned) - 1;
    for (
      let parent = (at - 1) >> 1;
      at > 0 && isBefore(planned, heap[parent] as Planned);
      parent = (at - 1) >> 1
    ) {
      swap(at, parent);
      at = parent;
    }
  }

  function pop(): Planned | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      for (const child of [left, right])
        if (child < heap.length && isBefore(heap[child] as Planned, heap[least] as Planned)) least = child;
      if (least === at) return first;
      swap(at, least);
      at = least;
    }
  }

  return { push, pop };
}

/**
 * Resolves when the code that can run without time passing has run. It uses promises and
 * `process.nextTick` alone, which end before the next turn of Node's event loop.
 */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createWorld(seed: string): World {
  const agenda = createAgenda();
  const events: HappenedEvent[] = [];
  let now = BEGINNING;
  let order = 0;

  function after(ms: number, task: Task): () => void {
    const planned = { time: now + Math.max(0, ms), order: (order += 1), task, isCancelled: false };
    agenda.push(planned);
    return () => {
      planned.isCancelled = true;
    };
  }

  return {
    seed,
    now: () => now,
    after,
    pause: (ms) =>
      new Promise((resolve) => {
        after(ms, resolve);
      }),
    draws: (name) => seeded(`${seed}/${name}`),
    happened: (who, what) => {
      events.push({ at: now - BEGINNING, who, what });
    },
    events,
    run: async <T>(work: Promise<T>) => {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      work.then(end, end);
      await settle();
      const isDone = () => isOver;
      while (!isDone()) {
        const next = agenda.pop();
        if (next === undefined) throw new Error('nothing is planned, and the work has not ended');
        if (next.isCancelled) continue;
        now = next.time;
        await next.task();
        await settle();
      }
      return await work;
    },
  };
}
