import { isMeantFor, requireMatch, type Conditional, type Revised } from './revision.ts';
import { ServiceError } from './service-error.ts';

/** An external id has at most so many characters (docs/contract.md#external-ids). */
export const EXTERNAL_ID_MAX_LENGTH = 200;

/** A resource under a name that its owner chose, which no other of its kind in the tenant has. */
export interface Named extends Revised {
  readonly tenantId: string;
  readonly externalId?: string;
}

/** Finds resources by their external ids. */
export interface ExternalIds {
  /** The ids of the resources that have these external ids, by external id. */
  findNamed(tenantId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/**
 * Throws `external_id_taken` if another resource has the external id, and `conflict` if that one is
 * hidden: it is being made or deleted, or has expired, and soon frees its name.
 */
export async function requireFree(
  store: ExternalIds,
  { tenantId, id, externalId }: Pick<Named, 'tenantId' | 'id' | 'externalId'>,
  isShown: (id: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  if (externalId === undefined) return;
  const holder = (await store.findNamed(tenantId, [externalId])).get(externalId);
  if (holder === undefined || holder === id) return;
  if (!(await isShown(holder)))
    throw new ServiceError(
      'conflict',
      'The resource that has the external_id is being made or deleted, or has expired.',
      { headers: { 'Retry-After': '60' } },
    );
  throw new ServiceError('external_id_taken', 'Another resource of the tenant has the external_id.');
}

/**
 * A resource as the store knows it, where a request names an external id. After a restore the name
 * may be free, or of another resource: then this one has none until it takes it again.
 */
export async function asOwned<R extends Named>(
  store: ExternalIds,
  resource: R,
  change: string | null | undefined,
): Promise<R> {
  const { tenantId, id, externalId } = resource;
  if (externalId === undefined || change !== externalId) return resource;
  if ((await store.findNamed(tenantId, [externalId])).get(externalId) === id) return resource;
  const { externalId: _, ...rest } = resource;
  return rest as R;
}

/** An external id after a change: `undefined` leaves it, and `null` takes it away. */
export function externalIdAfter(
  before: string | undefined,
  change: string | null | undefined,
): Pick<Named, 'externalId'> {
  const externalId = change === undefined ? before : (change ?? undefined);
  return externalId === undefined ? {} : { externalId };
}

/**
 * Writes the next state of a resource, if the request is meant for the previous one. `write` writes
 * both under the condition that nothing has changed since. Throws `external_id_taken`, then
 * `precondition_failed`.
 */
export async function writeNext<Next extends Named>(
  store: ExternalIds,
  request: Conditional,
  { previous, next, isShown }: { previous: Named; next: Next; isShown?: (id: string) => Promise<boolean> },
  write: () => Promise<boolean>,
): Promise<Next | 'conflict'> {
  if (isMeantFor(request, previous) && (await write())) return next;
  if (next.externalId !== previous.externalId) await requireFree(store, next, isShown);
  requireMatch(request, previous);
  return 'conflict';
}

/** No resource has this id. */
const NO_ID = '-';

/**
 * The ids by which a list is filtered, in the order of the external ids, if it is filtered by
 * these. A list of none would be one of all.
 */
export async function idsAskedFor(
  store: ExternalIds,
  tenantId: string,
  { ids, externalIds }: { readonly ids: readonly string[]; readonly externalIds: readonly string[] },
): Promise<readonly string[]> {
  if (externalIds.length === 0) return ids;
  const named = await store.findNamed(tenantId, externalIds);
  const found = externalIds.flatMap((externalId) => named.get(externalId) ?? []);
  const wanted = ids.length === 0 ? found : found.filter((id) => ids.includes(id));
  return wanted.length === 0 ? [NO_ID] : wanted;
}
