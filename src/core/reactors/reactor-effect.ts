import type { Effect } from '../audit/effect.ts';

/** An effect that a request has on a reactor, or that its code has. */
export const reactorEffect = (id: string, more: Effect = {}): Effect => ({
  resource: `reactor:${id}`,
  ...more,
});
