import type { Json } from '../sdk.ts';

type JsonObject = { readonly [name: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The merge patch (RFC 7386) that makes `after` of `before`: members that are gone become `null`,
 * at every depth. Anything but an object replaces what was there.
 */
export function mergePatch(before: Json | undefined, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after;
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries([
    ...removed.map((name): [string, null] => [name, null]),
    ...changed.map(([name, value]): [string, Json] => [name, mergePatch(before[name], value)]),
  ]);
}
