import type { Platform } from '../../core/shared/platform.ts';
import type { LambdaCalls } from '../aws/clients.ts';

/** Resolves at the next free time, so that the calls which wait for it keep a rate. */
export type Pace = () => Promise<void>;

/** Lets callers pass at most so often a second, in the order in which they ask. */
export function createPace({ clock, pause }: Pick<Platform, 'clock' | 'pause'>, perSecond: number): Pace {
  const gapMs = 1_000 / perSecond;
  let next = 0;
  return async () => {
    const now = clock();
    const mine = Math.max(now, next);
    next = mine + gapMs;
    if (mine > now) await pause(mine - now);
  };
}

/** A client whose calls all keep the rate. */
export function paced(client: LambdaCalls, pace: Pace): LambdaCalls {
  const send = (command: Parameters<LambdaCalls['send']>[0]) => pace().then(() => client.send(command));
  return { send: send as LambdaCalls['send'] };
}
