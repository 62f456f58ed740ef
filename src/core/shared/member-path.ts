import type { FieldErrors } from './service-error.ts';

/**
 * The path of a member inside a request, as errors name it: `rules[0].permissions[1]`. An empty
 * path is the whole body.
 */
export function memberPath(path: string, member: PropertyKey): string {
  if (typeof member === 'number') return `${path}[${String(member)}]`;
  return path === '' ? String(member) : `${path}.${String(member)}`;
}

/** Longest path that an error may have, in characters. */
export const PATH_MAX_LENGTH = 500;

/**
 * The place of a value in a request. It becomes text only for an error, because of a million values
 * hardly any needs a path.
 */
export interface MemberPlace {
  readonly parent: MemberPlace | undefined;
  readonly member: PropertyKey;
}

/**
 * The path of a place below `root`. It is cut to the maximum length, as names may be megabytes
 * long.
 */
export function pathOf(place: MemberPlace | undefined, root = ''): string {
  const members: PropertyKey[] = [];
  for (let at = place; at !== undefined; at = at.parent) members.push(at.member);
  let path = root;
  for (const member of members.reverse()) {
    if (path.length > PATH_MAX_LENGTH) break;
    path = memberPath(path, typeof member === 'string' ? member.slice(0, PATH_MAX_LENGTH) : member);
  }
  return path;
}

/** A path, or a function that computes it if there is an error. */
export type LazyPath = string | (() => string);

export const pathText = (path: LazyPath): string => (typeof path === 'string' ? path : path());

/** Puts the path of a part of a request before the paths of its own errors. */
export function errorsBelow(path: string, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([relative, messages]) => [joinedPath(path, relative), messages]),
  );
}

function joinedPath(path: string, relative: string): string {
  const isJoined = path === '' || relative === '' || relative.startsWith('[');
  return isJoined ? `${path}${relative}` : `${path}.${relative}`;
}
