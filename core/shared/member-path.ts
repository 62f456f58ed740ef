/** The path of a member inside a request, as errors name it: `rules[0].permissions[1]`. An empty path is the whole body. */
export function memberPath(path: string, member: PropertyKey): string {
  if (typeof member === 'number') return `${path}[${String(member)}]`;
  return path === '' ? String(member) : `${path}.${String(member)}`;
}

/** The path of what is relative to another path. */
export function joinedPath(path: string, relative: string): string {
  return path === '' || relative.startsWith('[') ? `${path}${relative}` : `${path}.${relative}`;
}
