import { revokedAmong, type RevokedKeysDeps } from '../applications/revoked-keys.ts';
import { isListed, type Invocation } from '../reactors/invocation.ts';
import type { InvocationId, InvocationQueue, InvocationStore } from '../reactors/invocation-store.ts';
import type { Clock } from '../shared/clock.ts';
import { defined } from '../shared/defined.ts';
import { ServiceError } from '../shared/service-error.ts';
import { KEY_REVOKED } from './delivery-failure.ts';

export interface ResendDeps extends RevokedKeysDeps {
  readonly invocationStore: Pick<InvocationStore, 'resend' | 'update'>;
  readonly deliveryQueue: InvocationQueue;
  readonly clock: Clock;
}

export interface UndeliveredDeps extends ResendDeps {
  readonly invocationStore: Pick<InvocationStore, 'find' | 'undelivered' | 'resend' | 'update'>;
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

/** The error for a delivery that has ended, because a key that asked for it was revoked. */
const forbiddenForGood = () =>
  new ServiceError(
    'conflict',
    'A key that asked for this delivery was revoked, so nothing more is sent to its address.',
  );

/**
 * Finds the ids of deliveries of one tenant that have ended, or end before their next attempt,
 * because a key that asked for them was revoked.
 */
export async function forbiddenAmong(
  deps: RevokedKeysDeps,
  tenantId: string,
  invocations: readonly Invocation[],
): Promise<ReadonlySet<string>> {
  const open = invocations.filter(({ delivery }) => delivery !== 'forbidden');
  const keys = open.flatMap((each) => each.keys ?? []);
  const revoked = await revokedAmong(deps, tenantId, keys);
  const isForbidden = ({ delivery, keys: own = [] }: Invocation) =>
    delivery === 'forbidden' || own.some(({ keyId }) => revoked.has(keyId));
  return new Set(invocations.filter(isForbidden).map(({ id }) => id));
}

/**
 * Starts a delivery again, with all of its attempts. `resentBy` names the request. Throws
 * `not_found` if it is not parked, and `conflict` if another request changes it at the same time,
 * or if a key that asked for it was revoked: then it ends.
 */
export async function startAgain(deps: ResendDeps, invocation: Invocation, resentBy?: string): Promise<void> {
  const now = deps.clock();
  if (!isListed(invocation, now)) throw notParked();
  if ((await forbiddenAmong(deps, invocation.tenantId, [invocation])).size > 0) {
    const ended = { ...invocation, delivery: 'forbidden', lastReason: KEY_REVOKED } as const;
    // It is no longer a matter of its receiver, which the operator would look into.
    if (invocation.delivery === 'parked') await deps.invocationStore.update(invocation, ended);
    throw forbiddenForGood();
  }
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
