import type { Effect } from '../audit/effect.ts';

/** An effect on a reactor, or an effect of its code. */
export const reactorEffect = (id: string, more: Effect = {}): Effect => ({
  resource: `reactor:${id}`,
  ...more,
});
