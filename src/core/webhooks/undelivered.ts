import type { Invocation } from '../reactors/invocation.ts';
import type { InvocationId, InvocationQueue, InvocationStore } from '../reactors/invocation-store.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface UndeliveredDeps {
  readonly invocationStore: Pick<InvocationStore, 'find' | 'update' | 'undelivered'>;
  readonly deliveryQueue: InvocationQueue;
  readonly clock: Clock;
}

/**
 * Deliveries whose last attempt failed, at most `limit`. Those that wait for an operator come
 * first, the oldest first. Those that are retried follow, the next one first.
 */
export async function listUndelivered(
  { invocationStore }: UndeliveredDeps,
  limit: number,
): Promise<readonly Invocation[]> {
  const found: Invocation[] = [];
  for (const state of ['parked', 'pending'] as const) {
    if (found.length >= limit) break;
    for await (const batch of invocationStore.undelivered(state)) {
      found.push(...batch.slice(0, limit - found.length));
      if (found.length >= limit) break;
    }
  }
  return found;
}

/**
 * Starts a parked delivery again, with all of its attempts. Throws `not_found` if no delivery with
 * this id is parked.
 */
export async function resendDelivery(deps: UndeliveredDeps, id: InvocationId): Promise<void> {
  const parked = await deps.invocationStore.find(id);
  if (parked?.delivery !== 'parked')
    throw new ServiceError('not_found', 'No delivery is parked under this id.');
  const pending = { ...parked, delivery: 'pending', attempts: 0, dueAt: deps.clock() } as const;
  if (!(await deps.invocationStore.update(parked, pending)))
    throw new ServiceError('conflict', 'The delivery is being changed by another request.');
  await deps.deliveryQueue.send(id);
}
