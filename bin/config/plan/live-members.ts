import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import { listOf } from './bodies.ts';
import type { Members } from './members.ts';

const hasMembersBelow = (members: Members, prefix: string): boolean =>
  Object.keys(members).some((path) => path.startsWith(prefix));

function inValue(members: Members, value: Json, path: string): readonly string[] {
  if (isJsonObject(value) && hasMembersBelow(members, `${path}.`))
    return unknownMembers(members, value, path);
  if (hasMembersBelow(members, `${path}[].`))
    return listOf(value).flatMap((each) => inValue(members, each, `${path}[]`));
  return [];
}

/** Paths of members of a response that the table does not have: the service is newer than it. */
export function unknownMembers(members: Members, body: JsonObject, path = ''): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const at = memberPath(path, name);
    return Object.hasOwn(members, at) ? inValue(members, value, at) : [at];
  });
}
