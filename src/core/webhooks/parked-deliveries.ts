import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { decodeCursor, encodeCursor } from '../lists/cursor.ts';
import { sliceAfter, type Page } from '../lists/pagination.ts';
import { existingReactor, type GetReactorDeps } from '../reactors/get-reactor.ts';
import { isListed, positionOf, type Invocation } from '../reactors/invocation.ts';
import type { InvocationStore } from '../reactors/invocation-store.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { KEY_REVOKED } from './delivery-failure.ts';
import { forbiddenAmong, notParked, startAgain, type ResendDeps } from './undelivered.ts';

export interface ParkedDeliveriesDeps extends ResendDeps, Pick<GetReactorDeps, 'reactorStore'> {
  readonly invocationStore: Pick<InvocationStore, 'find' | 'parked' | 'resend' | 'update'>;
  readonly tenantKeys: Pick<TenantKeys, 'current' | 'all'>;
}

/** The page that a caller asks for. It has no number, because nothing counts the deliveries. */
export interface ParkedPage {
  readonly size: number;
  readonly cursor: string | undefined;
}

async function* entries(batches: AsyncIterable<readonly Invocation[]>) {
  for await (const batch of batches)
    yield batch.map((invocation) => ({ position: positionOf(invocation), invocation }));
}

/** Shows a delivery that ends before its next attempt as one that has ended. */
const asForbidden = ({ lastStatus: _, ...invocation }: Invocation): Invocation => ({
  ...invocation,
  delivery: 'forbidden',
  lastReason: KEY_REVOKED,
});

/**
 * A page of the parked deliveries of a reactor, the oldest first
 * (docs/contract.md#parked-deliveries). Throws `not_found` for an unknown reactor, and
 * `validation_failed` for a cursor of another list.
 */
export async function listParked(
  deps: ParkedDeliveriesDeps,
  caller: Caller,
  reactorId: string,
  { size, cursor }: ParkedPage,
): Promise<Page<Invocation>> {
  requirePermission(caller, 'reactor:read');
  const { tenantId } = caller;
  const [{ key }, keys] = await Promise.all([
    deps.tenantKeys.current(tenantId, 'cursor'),
    deps.tenantKeys.all(tenantId, 'cursor'),
  ]);
  const scope = { list: 'deliveries', applicationId: caller.credentialId, filters: reactorId };
  const after = cursor === undefined ? undefined : decodeCursor(keys, scope, cursor);
  const now = deps.clock();
  // One more than the page has shows whether another one follows.
  const batches = deps.invocationStore.parked({ tenantId, reactorId }, after, size + 1);
  const [slice] = await Promise.all([
    sliceAfter(entries(batches), ({ invocation }) => isListed(invocation, now), size),
    existingReactor(deps, tenantId, reactorId),
  ]);
  const found = slice.entries.map(({ invocation }) => invocation);
  const forbidden = await forbiddenAmong(deps, tenantId, found);
  return {
    items: found.map((each) => (forbidden.has(each.id) ? asForbidden(each) : each)),
    info: { size, after: slice.next === undefined ? null : encodeCursor(key, scope, slice.next) },
  };
}

/**
 * Starts a parked delivery of a reactor again, with all of its attempts. Throws `not_found` if none
 * is parked under this id, for this reactor of the caller's tenant, and `conflict` if it is being
 * changed or a key that asked for it was revoked. The rules of the invoker decide again before each
 * attempt, so the caller of this operation gives it no right.
 */
export async function resendParked(
  deps: ParkedDeliveriesDeps,
  caller: Caller,
  { reactorId, invocationId }: { readonly reactorId: string; readonly invocationId: string },
  writes: WriteIdentity,
): Promise<void> {
  requirePermission(caller, 'reactor:update');
  const { tenantId } = caller;
  const [invocation] = await Promise.all([
    deps.invocationStore.find({ tenantId, id: invocationId }),
    existingReactor(deps, tenantId, reactorId),
  ]);
  if (invocation?.reactorId !== reactorId) throw notParked();
  const resentBy = writes.newId();
  // An earlier attempt of this request has started it, but its response was lost.
  if (invocation.resentBy === resentBy) return;
  await startAgain(deps, invocation, resentBy);
}
