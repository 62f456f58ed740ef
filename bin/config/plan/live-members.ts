import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import { APPLICATION_TYPES, PERMISSION_NAMES } from '../../../src/core/access/permission.ts';
import type { Kind, LiveResource } from '../model.ts';
import { listOf, objectsIn, textIn, textsIn } from './bodies.ts';
import { APPLICATION, PROXY, REACTOR, TRANSFORMS, type Members } from './members.ts';

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

const OF_KIND: Readonly<Record<Kind, Members>> = {
  applications: APPLICATION,
  proxies: PROXY,
  reactors: REACTOR,
};

/** Names in a body that this command does not know: permissions, and types of two kinds. */
function unknownNames(kind: Kind, body: JsonObject): readonly string[] {
  if (kind === 'applications') {
    const types = [textIn(body, 'type') ?? ''].filter(
      (type) => !APPLICATION_TYPES.some((each) => each === type),
    );
    const permissions = [body, ...objectsIn(body['rules'])].flatMap((each) => textsIn(each['permissions']));
    const known: readonly string[] = PERMISSION_NAMES;
    return [...types, ...permissions.filter((permission) => !known.includes(permission))];
  }
  const transforms = ['request_transforms', 'response_transforms'].flatMap((side) => objectsIn(body[side]));
  return transforms.flatMap((transform) => {
    const type = textIn(transform, 'type') ?? '';
    const members = Object.hasOwn(TRANSFORMS, type) ? TRANSFORMS[type] : undefined;
    return members === undefined
      ? [type]
      : unknownMembers(members, transform).map((path) => `${type}.${path}`);
  });
}

/** Says which members and names of a resource this command does not know, each once. */
export const unknownIn = (kind: Kind, { body }: LiveResource): readonly string[] => [
  ...new Set([...unknownMembers(OF_KIND[kind], body), ...unknownNames(kind, body)]),
];
