import { JsonExtentError, MEMBERS_MAX } from '../shared/json-extent.ts';
import { isJsonObject, jsonObject, withMembers, type Json, type JsonObject } from '../shared/json.ts';

/** Patches a value that is not an object: the result is the patch without `null` members. */
function withoutNulls(patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const own = Object.keys(patch);
  const names = own.filter((name) => patch[name] !== null);
  return withMembers(patch, withoutNulls, own, names.length === own.length ? own : names);
}

function mergedObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const remaining = Object.keys(target).filter((name) => !Object.hasOwn(patch, name) || patch[name] !== null);
  const added = Object.keys(patch).filter((name) => !Object.hasOwn(target, name) && patch[name] !== null);
  // This is checked before merging: two objects with different names can have twice the permitted
  // members.
  if (remaining.length + added.length > MEMBERS_MAX) throw new JsonExtentError('members');
  const merged = (name: string): Json =>
    Object.hasOwn(patch, name)
      ? mergePatch(target[name] ?? null, patch[name] ?? null)
      : (target[name] ?? null);
  return jsonObject([
    ...remaining.map((name) => [name, merged(name)] as const),
    ...added.map((name) => [name, withoutNulls(patch[name] ?? null)] as const),
  ]);
}

/**
 * Applies a JSON merge patch (RFC 7386, section 2). It removes members with the patch `null`. Any
 * patch but an object replaces the value. Throws `JsonExtentError`.
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  return isJsonObject(target) ? mergedObjects(target, patch) : withoutNulls(patch);
}
