/**
 * The path of a member inside a request, as errors name it: `rules[0].permissions[1]`. An empty
 * path is the whole body.
 */
export function memberPath(path: string, member: PropertyKey): string {
  if (typeof member === 'number') return `${path}[${String(member)}]`;
  return path === '' ? String(member) : `${path}.${String(member)}`;
}

/** Longest path that a caller is shown, in characters. */
export const PATH_MAX_LENGTH = 500;

/**
 * Where a value stands in a request. It becomes text only for an error: of a million values nearly
 * none needs a path.
 */
export interface Place {
  readonly parent: Place | undefined;
  readonly member: PropertyKey;
}

/** The path of a place below `root`, as much of it as is shown: names may be megabytes. */
export function pathOf(place: Place | undefined, root = ''): string {
  const members: PropertyKey[] = [];
  for (let at = place; at !== undefined; at = at.parent) members.push(at.member);
  let path = root;
  for (const member of members.reverse()) {
    if (path.length > PATH_MAX_LENGTH) break;
    path = memberPath(path, typeof member === 'string' ? member.slice(0, PATH_MAX_LENGTH) : member);
  }
  return path;
}

/** The path of what is relative to another path. */
export function joinedPath(path: string, relative: string): string {
  return path === '' || relative.startsWith('[') ? `${path}${relative}` : `${path}.${relative}`;
}
