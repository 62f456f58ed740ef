import { isJsonObject, jsonObject, type Json } from './json.ts';

/** Applies a JSON merge patch (RFC 7386, section 2). Members whose patch is `null` are removed; anything but an object replaces. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name) ?? null, value));
  }
  return jsonObject(members);
}
