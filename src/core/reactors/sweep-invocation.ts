import type { Clock } from '../shared/clock.ts';
import {
  afterRun,
  CONTENT_MS,
  dueStep,
  PARKED_MS,
  QUEUE_PATIENCE_MS,
  type Invocation,
} from './invocation.ts';
import type { InvocationId, InvocationQueue, InvocationStore } from './invocation-store.ts';

export interface SweepInvocationDeps {
  readonly invocationStore: InvocationStore;
  readonly invocationQueue: InvocationQueue;
  readonly deliveryQueue: InvocationQueue;
  readonly clock: Clock;
  /** Called for each delivery that is parked here, where its last attempt did not end. */
  readonly onParked: () => void;
}

/**
 * Changes the state, unless another writer was faster, and then sends the message. Returns whether
 * it changed.
 */
async function move(
  { invocationStore }: SweepInvocationDeps,
  previous: Invocation,
  change: Partial<Invocation>,
  queue?: InvocationQueue,
): Promise<boolean> {
  const isChanged = await invocationStore.update(previous, { ...previous, ...change });
  if (isChanged) await queue?.send(previous);
  return isChanged;
}

/**
 * Parks a delivery whose attempts are used up, or ends one as `forbidden`. Both are listed for as
 * long, at most until their content is deleted.
 */
export function parking(
  { createdAt }: Invocation,
  now: number,
  delivery: 'parked' | 'forbidden' = 'parked',
): Pick<Invocation, 'delivery' | 'dueAt'> {
  return { delivery, dueAt: Math.min(now + PARKED_MS, createdAt + CONTENT_MS) };
}

/**
 * Takes the step that {@link dueStep} names for an invocation. It may run twice, even concurrently.
 */
export async function sweepInvocation(deps: SweepInvocationDeps, id: InvocationId): Promise<void> {
  const invocation = await deps.invocationStore.find(id);
  if (invocation === undefined) return;
  const now = deps.clock();
  const ended = { state: 'failed', wasInterrupted: true, ...afterRun(invocation, now) } as const;
  switch (dueStep(invocation, now)) {
    case 'wait':
      return;
    case 'queue':
      await move(deps, invocation, { dueAt: now + QUEUE_PATIENCE_MS }, deps.invocationQueue);
      return;
    case 'give-up':
    case 'interrupt':
      await move(deps, invocation, ended, ended.delivery === 'pending' ? deps.deliveryQueue : undefined);
      return;
    case 'deliver':
      return deps.deliveryQueue.send(id);
    case 'park':
      if (await move(deps, invocation, parking(invocation, now))) deps.onParked();
      return;
    case 'remove':
      return deps.invocationStore.remove(id);
  }
}
