import { DynamoDbError } from './dynamodb-error.ts';

/** An attribute as the document client has it; numbers are numbers, binary is `Uint8Array`. */
export type Value = unknown;
export type Item = Readonly<Record<string, Value>>;

const NESTING_BYTES = 3;
const ELEMENT_BYTES = 1;

/** The digits of a number take a byte for two, and one more; a sign takes another. */
function numberBytes(value: number): number {
  const [digits = ''] = String(Math.abs(value)).split('e');
  const significant = digits.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length;
  return Math.ceil(significant / 2) + 1 + (value < 0 ? 1 : 0);
}

const isMap = (value: object): value is Record<string, Value> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype as object) === null;
};

/** Throws for a value that no item can have. */
function unsupported(value: Value): never {
  throw new DynamoDbError('ValidationException', `an item cannot have a value of ${typeof value}`);
}

/**
 * Copies a value, so that nobody changes what is stored. Leaves out members that are `undefined`,
 * as the document client of the service does (src/adapters/aws/clients.ts).
 */
export function copyOf(value: Value): Value {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : unsupported(value);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.filter((element) => element !== undefined).map(copyOf);
  if (typeof value === 'object' && isMap(value)) return copyOfItem(value);
  return unsupported(value);
}

export function copyOfItem(item: Item): Record<string, Value> {
  const copy: Record<string, Value> = {};
  for (const name of Object.keys(item)) {
    const value = item[name];
    if (value !== undefined) copy[name] = copyOf(value);
  }
  return copy;
}

function bytesOf(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value))
    return value.reduce((sum: number, element) => sum + ELEMENT_BYTES + bytesOf(element), NESTING_BYTES);
  if (typeof value === 'object' && value !== null)
    return NESTING_BYTES + ELEMENT_BYTES * Object.keys(value).length + itemBytes(value as Item);
  return 1;
}

/**
 * The size of an item in bytes, for the limits of DynamoDB (CapacityUnitCalculations.html of its
 * developer guide).
 */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const name of Object.keys(item)) bytes += Buffer.byteLength(name) + bytesOf(item[name]);
  return bytes;
}

/** Moves surrogates after all other units, where UTF-8 sorts the characters that they make. */
const utf8Order = (unit: number): number =>
  unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;

/** Compares texts by the bytes of their UTF-8, as DynamoDB sorts keys. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return utf8Order(left) - utf8Order(right);
  }
  return a.length - b.length;
}

/** Whether two values are the same for DynamoDB. */
export function isEqual(a: Value, b: Value): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((element, at) => isEqual(element, b[at]));
  if (typeof a !== 'object' || a === null) return a === b;
  if (typeof b !== 'object' || b === null || Array.isArray(b) || b instanceof Uint8Array) return false;
  const [left, right] = [a as Item, b as Item];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]))
  );
}

/** The order of two values of one type; `undefined` if they have none. */
export function compareValues(a: Value, b: Value): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return undefined;
}
