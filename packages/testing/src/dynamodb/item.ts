import { validationError } from './dynamodb-error.ts';

/** An attribute as the document client has it; numbers are numbers, binary is `Uint8Array`. */
export type Value = unknown;
export type Item = Readonly<Record<string, Value>>;

const NESTING_BYTES = 3;
const ELEMENT_BYTES = 1;
/** No number is closer to zero. */
const NUMBER_MIN = 1e-130;
/** How deep a value is at most: an attribute is at the first level. */
const LEVELS_MAX = 32;

/** The digits of a number take a byte for two, and one more; a sign takes another. */
function numberBytes(value: number): number {
  const [digits = ''] = String(Math.abs(value)).split('e');
  const significant = digits.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length;
  return Math.ceil(significant / 2) + 1 + (value < 0 ? 1 : 0);
}

const isMap = (value: object): value is Record<string, Value> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** The document client itself refuses what it cannot send. */
function unsupported(value: Value): never {
  throw new Error(`the document client cannot send this ${typeof value}`);
}

/** The numbers that are sent, without a sign of zero, which DynamoDB does not store. */
function copyOfNumber(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) unsupported(value);
  if (value !== 0 && Math.abs(value) < NUMBER_MIN) throw validationError('the number is too close to zero');
  return value + 0;
}

/**
 * Copies a value, so that no caller changes what is stored. Leaves out members that are
 * `undefined`, as the document client of the service does (src/adapters/aws/clients.ts).
 */
export function copyOf(value: Value): Value {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return copyOfNumber(value);
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

/** Throws for values that are nested too deep, and for members of maps without a name. */
export function checkNesting(value: object, level = 0): void {
  for (const [name, member] of Object.entries(value) as [string, Value][]) {
    if (name === '') throw validationError('an attribute needs a name');
    if (level >= LEVELS_MAX) throw validationError('the item is nested too deep');
    if (typeof member === 'object' && member !== null && !(member instanceof Uint8Array))
      checkNesting(member, level + 1);
  }
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
 * Computes the size of an item in bytes, for the limits of DynamoDB
 * (CapacityUnitCalculations.html of its developer guide).
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
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return utf8Order(left) - utf8Order(right);
  }
  return a.length - b.length;
}

const isMapValue = (value: Value): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

function isEqualMap(a: Item, b: Item): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}

/** Whether two values are the same for DynamoDB. */
export function isEqual(a: Value, b: Value): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((element, at) => isEqual(element, b[at]));
  return isMapValue(a) ? isMapValue(b) && isEqualMap(a, b) : a === b;
}

/** The order of two values of one type; `undefined` if they have none. */
export function compareValues(a: Value, b: Value): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return undefined;
}
