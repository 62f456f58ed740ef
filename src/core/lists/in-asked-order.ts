/** A resource, and its place in a list. It sorts the pages of the list. */
export interface Placed<Resource> {
  readonly position: string;
  readonly resource: Resource;
}

/**
 * The name of a list, to which its cursors are bound. One by ids has places of another kind, which
 * a cursor of an earlier version does not have.
 */
export const listName = (list: string, ids: readonly string[] = []): string =>
  ids.length === 0 ? list : `${list} by ids`;

/**
 * The resources that were found under ids, in the order in which the ids were asked for
 * (docs/contract.md#lists), behind the place `after`. An id that is
 * repeated counts once, at its first place.
 */
export function inAskedOrder<Resource extends { readonly id: string }>(
  ids: readonly string[],
  found: readonly Resource[],
  after: string | undefined,
): readonly Placed<Resource>[] {
  const byId = new Map(found.map((resource) => [resource.id, resource]));
  return [...new Set(ids)].flatMap((id, place) => {
    const resource = byId.get(id);
    const isAfter = after === undefined || place > Number(after);
    return resource === undefined || !isAfter ? [] : [{ position: String(place), resource }];
  });
}
