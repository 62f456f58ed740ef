import type { Draws } from './seeded.ts';
import type { Task, World } from './world.ts';

/**
 * The life of one instance of a function. Lambda freezes an instance between two invocations: then
 * none of its timers fires, and no response of a call arrives until it thaws.
 */
export interface Life {
  readonly name: string;
  readonly draws: Draws;
  /** Its own clock, in whole ms since the epoch, which differs from that of the world. */
  readonly clock: () => number;
  /** Plans a task that waits while the instance is frozen, and never happens after its death. */
  readonly after: (ms: number, task: Task) => () => void;
  readonly isDead: () => boolean;
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly die: () => void;
}

/** `skewMs`: how far its clock is ahead. */
export function createLife(world: World, name: string, skewMs: number): Life {
  let state: 'running' | 'frozen' | 'dead' = 'running';
  let waiting: Task[] = [];

  return {
    name,
    draws: world.draws(name),
    clock: () => Math.floor(world.now() + skewMs),
    after: (ms, task) => {
      let isCancelled = false;
      const act = () => (isCancelled ? undefined : task());
      const cancel = world.after(ms, () => {
        if (state === 'running') return act();
        if (state === 'frozen') waiting.push(act);
        return undefined;
      });
      return () => {
        isCancelled = true;
        cancel();
      };
    },
    isDead: () => state === 'dead',
    freeze: () => {
      if (state === 'running') state = 'frozen';
    },
    thaw: () => {
      if (state !== 'frozen') return;
      state = 'running';
      const due = waiting;
      waiting = [];
      for (const task of due) world.after(0, () => (state === 'dead' ? undefined : task()));
    },
    die: () => {
      state = 'dead';
      waiting = [];
    },
  };
}
