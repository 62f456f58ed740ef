import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { decodeCursor, encodeCursor, type CursorScope } from './cursor.ts';
import { inAskedOrder, listName, type Placed } from './in-asked-order.ts';
import { sliceAfter, sliceNumbered, type Page, type PageRequest } from './pagination.ts';

/** The caller that lists: a cursor is valid only for the same credential. */
interface Lister {
  readonly tenantId: string;
  readonly credentialId: string;
}

/** A list of small resources whose ids sort by creation. */
export interface ResourceList<Resource extends { readonly id: string }> {
  /** The name of the list and its filters in one spelling, to which a cursor is bound. */
  readonly list: string;
  readonly filters: string;
  readonly isVisible: (resource: Resource) => boolean;
  /** How much of a response each takes: a page with more is shorter, and goes on by its cursor. */
  readonly size?: { readonly bytesOf: (resource: Resource) => number; readonly bytesMax: number };
  readonly source: ResourceSource<Resource>;
}

/** Reads the resources of a list. */
export interface ResourceSource<Resource> {
  /** Only these are listed, in this order. All are, newest first, if it is empty. */
  readonly ids: readonly string[];
  readonly findMany: (ids: readonly string[]) => Promise<readonly Resource[]>;
  /** The resources, newest first, that come after an id. */
  readonly newestFirst: (after: string | undefined) => AsyncIterable<readonly Resource[]>;
}

async function* entries<Resource extends { readonly id: string }>(
  { ids, findMany, newestFirst }: ResourceSource<Resource>,
  after: string | undefined,
): AsyncGenerator<readonly Placed<Resource>[]> {
  if (ids.length > 0) yield inAskedOrder(ids, await findMany(ids), after);
  else
    for await (const batch of newestFirst(after))
      yield batch.map((resource) => ({ position: resource.id, resource }));
}

/** The first entries that fit into a response: at least one. */
function fittingOf<Resource extends { readonly id: string }>(
  found: readonly Placed<Resource>[],
  { size }: ResourceList<Resource>,
): readonly Placed<Resource>[] {
  if (size === undefined) return found;
  let bytes = 0;
  const tooLarge = found.findIndex(({ resource }, index) => {
    bytes += size.bytesOf(resource);
    return index > 0 && bytes > size.bytesMax;
  });
  return tooLarge === -1 ? found : found.slice(0, tooLarge);
}

/**
 * A page of resources (docs/contract.md#lists). Throws `validation_failed` for a cursor of another
 * list.
 */
export async function pageResources<Resource extends { readonly id: string }>(
  tenantKeys: TenantKeys,
  caller: Lister,
  wanted: ResourceList<Resource>,
  request: PageRequest,
): Promise<Page<Resource>> {
  const [{ key }, keys] = await Promise.all([
    tenantKeys.current(caller.tenantId, 'cursor'),
    tenantKeys.all(caller.tenantId, 'cursor'),
  ]);
  const scope: CursorScope = {
    list: listName(wanted.list, wanted.source.ids),
    applicationId: caller.credentialId,
    filters: wanted.filters,
  };
  const isVisible = (entry: Placed<Resource>) => wanted.isVisible(entry.resource);
  const slice =
    request.kind === 'numbered'
      ? await sliceNumbered(entries(wanted.source, undefined), isVisible, request)
      : await sliceAfter(
          entries(wanted.source, decodeCursor(keys, scope, request.cursor)),
          isVisible,
          request.size,
        );
  const fitting = fittingOf(slice.entries, wanted);
  const next = fitting.length < slice.entries.length ? fitting.at(-1)?.position : slice.next;
  return {
    items: fitting.map(({ resource }) => resource),
    info: {
      size: request.size,
      after: next === undefined ? null : encodeCursor(key, scope, next),
      ...(slice.total !== undefined &&
        request.kind === 'numbered' && { counted: { ...slice.total, page: request.page } }),
    },
  };
}
