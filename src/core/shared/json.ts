export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json;
}

/** Whether a JSON value is an object, which arrays and `null` are not. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type of a value as JSON names it, for errors. */
export function jsonType(value: Json): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

/** Members named `__proto__` are ordinary members of this object. */
export function jsonObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/**
 * Changes the elements of a list. Returns the list itself if no element changes, so that unchanged
 * values need no further memory.
 */
export function withElements(list: readonly Json[], change: (element: Json) => Json): readonly Json[] {
  let changed: Json[] | undefined;
  list.forEach((element, at) => {
    const next = change(element);
    if (next === element) return;
    changed ??= list.slice();
    changed[at] = next;
  });
  return changed ?? list;
}

/**
 * Changes the members of an object, in the order of `names`. Returns the object itself if nothing
 * changes. Reads members by name, because V8 takes three times as long to list the values or
 * entries of large objects.
 */
export function withMembers(
  object: JsonObject,
  change: (member: Json) => Json,
  own: readonly string[] = Object.keys(object),
  names = own,
): JsonObject {
  let changed: Json[] | undefined;
  names.forEach((name, at) => {
    const member = object[name] ?? null;
    const next = change(member);
    if (next === member) return;
    changed ??= names.map((each) => object[each] ?? null);
    changed[at] = next;
  });
  if (changed === undefined && names === own) return object;
  return jsonObject(
    names.map((name, at) => [name, (changed === undefined ? object[name] : changed[at]) ?? null] as const),
  );
}

/** Whether two JSON values are equal. The order of their members does not matter. */
export const isEqualJson = (a: Json, b: Json): boolean =>
  JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

/**
 * The same value with object members in code-unit order, so that equal values have equal text
 * (after RFC 8785).
 */
export function canonical(value: Json): Json {
  if (Array.isArray(value)) return withElements(value as readonly Json[], canonical);
  if (!isJsonObject(value)) return value;
  const own = Object.keys(value);
  const isOrdered = own.every((name, at) => at === 0 || (own[at - 1] ?? '') < name);
  return withMembers(value, canonical, own, isOrdered ? own : [...own].sort());
}
