import { isRecord } from './is-record.ts';

/** Accepts an object literal and an object without a prototype, of any realm. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/** A value that says itself what its JSON is, such as a Date. Bytes of Node list their numbers. */
const hasOwnJson = (value: object): boolean =>
  'toJSON' in value &&
  typeof value.toJSON === 'function' &&
  !ArrayBuffer.isView(value) &&
  // A Date that is none becomes `null`.
  !(kindOf(value) === 'Date' && Number.isNaN(Number(value)));

const isExact = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);

/** Throws `TypeError` with the place of the first value that JSON would lose or change. */
function check(value: unknown, place: string): void {
  if (isExact(value)) return;
  // An iterator also finds holes.
  if (Array.isArray(value)) for (const [at, item] of value.entries()) check(item, `${place}[${String(at)}]`);
  else if (isPlainObject(value) && !hasOwnJson(value)) {
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) check(member, `${place}.${name}`);
  } else if (!isRecord(value) || !hasOwnJson(value)) {
    throw new TypeError(
      `${place} is of the kind ${kindOf(value)}, and JSON would lose its content: send plain objects, arrays, text and finite numbers`,
    );
  }
}

/**
 * The JSON of a value that loses nothing; members that are `undefined` are absent, as always.
 * Throws `TypeError` for a Map, a Set, bytes, an instance of a class without `toJSON`, a function,
 * a number that is not finite: with its place, without its content.
 */
export function jsonText(value: unknown): string {
  try {
    // First, since it refuses circles.
    const text = JSON.stringify(value);
    check(value, 'body');
    return text;
  } catch (error) {
    // Throws again for a circle, and not for a BigInt, of which `check` knows the place.
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? 0 : each));
    check(value, 'body');
    throw error;
  }
}
