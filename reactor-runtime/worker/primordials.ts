// Saved before the author's code runs, so that what it replaces affects only itself. The runtime
// avoids spread, array destructuring and `for of`, whose iterators the code may have replaced.

import fs from 'node:fs';
import path from 'node:path';
import { types } from 'node:util';
import vm from 'node:vm';

const { isDataView } = types;
// None of these uses `this`. Members of built-in modules are read here, because imports would
// follow later replacements by reactor code.
/* oxlint-disable typescript/unbound-method */
export const {
  apply,
  construct,
  defineProperty,
  deleteProperty,
  get: getMember,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  ownKeys: ownKeysOf,
} = Reflect;
// `JSON.parse`, not that of src/core/shared: the Node.js of every image reads every name
// correctly, which a test proves (docs/decisions/0014).
export const { parse: parseJson, stringify: stringifyJson } = JSON;
export const { assign, keys: keysOf, create: createObject, entries: entriesOf } = Object;
export const isArray = Array.isArray;
export const isInteger = Number.isInteger;
export const startsWith = uncurry<string, [string], boolean>(String.prototype.startsWith);
export const slice = uncurry<string, [number, number?], string>(String.prototype.slice);
export const indexOf = uncurry<string, [string, number?], number>(String.prototype.indexOf);
export const charCodeAt = uncurry<string, [number], number>(String.prototype.charCodeAt);
export const includes = uncurry<string, [string], boolean>(String.prototype.includes);
export const thenOf = uncurry<
  Promise<unknown>,
  [(value: unknown) => unknown, ((reason: unknown) => unknown)?],
  unknown
>(Promise.prototype.then);
export const byteLength = Buffer.byteLength;
/** The getter of a typed array's length, which code may have removed from the array. */
export const lengthOf = uncurry<Uint8Array, [], number>(
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length')?.get as () => number,
);
// These are native, so changes to Buffer do not affect them.
export const { utf8Slice, utf8Write } = Buffer.prototype as unknown as Record<
  'utf8Slice' | 'utf8Write',
  Method
>;
export const Uint8ArrayClass = Uint8Array;
export const ArrayBufferClass = ArrayBuffer;
export const arrayBuffers: object = ArrayBuffer.prototype;
export const bytesOfBuffer = uncurry<ArrayBuffer, [], number>(
  Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get as () => number,
);
type Getter = (this: unknown) => unknown;
const getterOf = (owner: object, name: string) =>
  uncurry<unknown, [], unknown>(Object.getOwnPropertyDescriptor(owner, name)?.get as Getter);
/** A member of any view, which code may have replaced on it. */
function memberOfView(name: string): (view: unknown) => unknown {
  const ofArray = getterOf(Object.getPrototypeOf(Uint8Array.prototype) as object, name);
  const ofDataView = getterOf(DataView.prototype, name);
  return (view) => (isDataView(view) ? ofDataView(view) : ofArray(view));
}
export const bufferOfView = memberOfView('buffer') as (view: unknown) => ArrayBuffer;
export const offsetOfView = memberOfView('byteOffset') as (view: unknown) => number;
export const bytesOfView = memberOfView('byteLength') as (view: unknown) => number;
export const setBytes = uncurry<Uint8Array, [Uint8Array], unknown>(Uint8Array.prototype.set);
export const WeakMapClass = WeakMap;
export const objectPrototype: object = Object.prototype;
export const getOf = uncurry<WeakMap<object, unknown>, [object], unknown>(WeakMap.prototype.get);
export const setOf = uncurry<WeakMap<object, unknown>, [object, unknown], unknown>(WeakMap.prototype.set);
export const toNumber = Number;
export const ErrorClass = Error;
/** V8's own getter of `stack`, which errors have in Node.js 24; undefined in Node.js 16. */
export const errorStack: unknown = Object.getOwnPropertyDescriptor(new Error('stack'), 'stack')?.get;
export const TypeErrorClass = TypeError;
export const RangeErrorClass = RangeError;
export const PromiseClass = Promise;
export const { existsSync, readFileSync } = fs;
export const { resolve: resolvePath, join, dirname } = path;
export const { isArrayBuffer, isArrayBufferView, isProxy, isUint8Array } = types;
export const { compileFunction } = vm;
export const { nextTick } = process;
// `process.exit` calls a member that reactor code may have replaced.
export const { reallyExit: exit } = process as unknown as { readonly reallyExit: (status: number) => never };
export const { setImmediate: afterThis, setInterval: repeat } = globalThis;
/* oxlint-enable typescript/unbound-method */

/** A descriptor without a prototype: members of Object.prototype would count as its own. */
export const dataProperty = (value: unknown): PropertyDescriptor =>
  ({ __proto__: null, value, writable: true, enumerable: true, configurable: true }) as PropertyDescriptor;

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Turns a method into a function that takes its receiver as the first argument. */
export function uncurry<Self, Args extends unknown[], Result>(
  method: (this: Self, ...args: Args) => Result,
): (self: Self, ...args: Args) => Result {
  // `Reflect.apply` would be looked up at each call.
  return (self, ...args) => apply(method as unknown as Method, self, args) as Result;
}

const retained = new WeakMap<object, unknown>();
const retainedLast = new WeakMap<object, unknown>();

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/**
 * Keeps values alive as long as an object, beside those of earlier calls. Returns
 * whether these are the first.
 */
export function retainFor(owner: unknown, values: readonly unknown[]): boolean {
  if (!isObject(owner)) return false;
  const before = getOf(retained, owner);
  setOf(retained, owner, [values, before]);
  return before === undefined;
}

/** Keeps values alive as long as an object, or until the next ones. */
export function retainLastFor(owner: unknown, values: readonly unknown[]): void {
  if (isObject(owner)) setOf(retainedLast, owner, values);
}
