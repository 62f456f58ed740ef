import type { Clock } from '../shared/clock.ts';
import { CONTENT_MS, dueStep, PARKED_MS, QUEUE_PATIENCE_MS, type Invocation } from './invocation.ts';
import type { InvocationId, InvocationQueue, InvocationStore } from './invocation-store.ts';

export interface SweepInvocationDeps {
  readonly invocationStore: InvocationStore;
  readonly invocationQueue: InvocationQueue;
  readonly deliveryQueue: InvocationQueue;
  readonly clock: Clock;
}

/** A change of state that wins or does nothing, and the message that follows it. */
async function move(
  { invocationStore }: SweepInvocationDeps,
  previous: Invocation,
  change: Partial<Invocation>,
  queue?: InvocationQueue,
): Promise<void> {
  if (await invocationStore.update(previous, { ...previous, ...change })) await queue?.send(previous);
}

/**
 * A delivery that was tried as often as it may waits for an operator, at the longest until its
 * content goes.
 */
export function parking({ createdAt }: Invocation, now: number): Partial<Invocation> {
  return { delivery: 'parked', dueAt: Math.min(now + PARKED_MS, createdAt + CONTENT_MS) };
}

/** What the sweep does for an invocation: see {@link dueStep}. Safe to run twice, also at once. */
export async function sweepInvocation(deps: SweepInvocationDeps, id: InvocationId): Promise<void> {
  const invocation = await deps.invocationStore.find(id);
  if (invocation === undefined) return;
  const now = deps.clock();
  const ended = { state: 'failed', wasInterrupted: true, delivery: 'pending', dueAt: now } as const;
  switch (dueStep(invocation, now)) {
    case 'wait':
      return;
    case 'queue':
      return move(deps, invocation, { dueAt: now + QUEUE_PATIENCE_MS }, deps.invocationQueue);
    case 'give-up':
    case 'interrupt':
      return move(deps, invocation, ended, deps.deliveryQueue);
    case 'deliver':
      return deps.deliveryQueue.send(id);
    case 'park':
      return move(deps, invocation, parking(invocation, now));
    case 'remove':
      return deps.invocationStore.remove(id);
  }
}
