/** A resource, and its place in a list. It sorts the pages of the list. */
export interface Placed<Resource> {
  readonly position: string;
  readonly resource: Resource;
}

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
