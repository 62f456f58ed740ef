/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [member: string]: Json;
}

/** Whether a JSON value is an object (not an array, not `null`). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON name of a value's type. */
export function jsonType(value: Json): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

/** An object without a prototype's reach: members named `__proto__` are members like any other. */
export function jsonObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** The same value with object members in code-unit order, so that equal values have equal text (after RFC 8785). */
export function canonical(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(canonical);
  if (!isJsonObject(value)) return value;
  return jsonObject(
    Object.keys(value)
      .sort()
      .map((name) => [name, canonical(value[name] ?? null)] as const),
  );
}
