import { isParked, type Invocation } from '../reactors/invocation.ts';
import type { InvocationId, InvocationQueue, InvocationStore } from '../reactors/invocation-store.ts';
import type { Clock } from '../shared/clock.ts';
import { defined } from '../shared/defined.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface ResendDeps {
  readonly invocationStore: Pick<InvocationStore, 'resend'>;
  readonly deliveryQueue: InvocationQueue;
  readonly clock: Clock;
}

export interface UndeliveredDeps extends ResendDeps {
  readonly invocationStore: Pick<InvocationStore, 'find' | 'undelivered' | 'resend'>;
}

/**
 * Deliveries whose last attempt failed, at most `limit`. Those that wait to be sent again
 * come first, the oldest first. Those that are retried follow, the next one first.
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

export const notParked = () => new ServiceError('not_found', 'No delivery is parked under this id.');

/**
 * Starts a delivery again, with all of its attempts. `resentBy` names the request. Throws
 * `not_found` if it is not parked, and `conflict` if another request changes it at the same time.
 */
export async function startAgain(deps: ResendDeps, invocation: Invocation, resentBy?: string): Promise<void> {
  const now = deps.clock();
  if (!isParked(invocation, now)) throw notParked();
  const again = { delivery: 'pending', attempts: 0, dueAt: now, resentBy } as const;
  const pending: Invocation = defined({ ...invocation, ...again });
  if (!(await deps.invocationStore.resend(invocation, pending)))
    throw new ServiceError('conflict', 'The delivery is being changed by another request.');
  // The delivery is pending. If this message is lost, the sweep sends it again.
  await deps.deliveryQueue.send(invocation).catch(() => undefined);
}

/** Starts a delivery again for an operator, whatever its reactor. Throws as {@link startAgain}. */
export async function resendDelivery(deps: UndeliveredDeps, id: InvocationId): Promise<void> {
  const invocation = await deps.invocationStore.find(id);
  if (invocation === undefined) throw notParked();
  await startAgain(deps, invocation);
}
