// Everything in which the versions of Node.js of the images differ: all other modules of the worker
// are the same text on each (docs/reactor-isolation.md).
import fs from 'node:fs';
import { binding, methodOf, type Binding } from './bindings.ts';
import {
  apply,
  ArrayBufferClass,
  arrayBuffers,
  bufferOfView,
  bytesOfBuffer,
  bytesOfView,
  createObject,
  dataProperty,
  defineProperty,
  isArray,
  isArrayBufferView,
  isUint8Array,
  offsetOfView,
  setBytes,
  slice,
  toNumber,
  Uint8ArrayClass,
  utf8Write,
  type Method,
} from './primordials.ts';
import { memberOf } from './hostile-member.ts';
import { refusal, refuser } from './refusal.ts';

interface ByteStreams {
  readonly ReadableByteStreamController: { readonly prototype: object };
  readonly ReadableStreamBYOBReader: { readonly prototype: object };
}

const load = require;
const MAJOR = toNumber(slice(process.versions.node, 0, 2));
const IS_NODE_16 = MAJOR === 16;

const files = binding('fs') as Binding;
const buffers = binding('buffer') as Binding;
// Natives, from before any guard: reactor code can replace members that Node's `fs` and `Buffer`
// look up (`length`, `utf8Write`), to run between the worker's messages and its input.
const read = methodOf(files, 'read');
const write = methodOf(files, 'writeBuffer');
const realPath = methodOf(files, 'realpath');
const fileStatus = methodOf(files, 'fstat');
/** Node.js 24 has a method in JavaScript on Buffer.prototype, which reads members of arguments. */
const writeUtf8 = IS_NODE_16 ? undefined : methodOf(buffers, 'utf8WriteStatic');

/** Pipes have no positions, so each read and write continues where the last one ended. */
const WHERE_IT_IS = -1;

/** Node.js 16 fills a context in place of throwing, for which its natives take an argument. */
function inContext(native: Method, args: readonly unknown[]): unknown {
  const context = createObject(null) as { errno?: number };
  const length = args.length;
  const all = args as unknown[];
  defineProperty(all, length, dataProperty(undefined));
  defineProperty(all, length + 1, dataProperty(context));
  const result = apply(native, undefined, all);
  return context.errno === undefined ? result : undefined;
}

function unlessThrown(native: Method, args: readonly unknown[]): unknown {
  try {
    return apply(native, undefined, args as unknown[]);
  } catch {
    return undefined;
  }
}

const callThrowing = IS_NODE_16 ? inContext : unlessThrown;

/** Reads from a descriptor into an array; `undefined` if the descriptor transfers nothing. */
export const readInto = (descriptor: number, bytes: Uint8Array, at: number, length: number) =>
  callThrowing(read, [descriptor, bytes, at, length, WHERE_IT_IS]) as number | undefined;

/** Writes a part of an array to a descriptor; `undefined` if the descriptor transfers nothing. */
export const writeFrom = (descriptor: number, bytes: Uint8Array, at: number, length: number) =>
  inContext(write, [descriptor, bytes, at, length, WHERE_IT_IS]) as number | undefined;

/** Whether this process has a descriptor. */
export const isOpenDescriptor = (descriptor: number): boolean =>
  (IS_NODE_16
    ? inContext(fileStatus, [descriptor, false])
    : unlessThrown(fileStatus, [descriptor, false, undefined, true])) !== undefined;

/** Returns the target of links; `undefined` if it does not exist. */
export const realPathOf = (file: string) => callThrowing(realPath, [file, 'utf8']) as string | undefined;

/** Writes the first `length` bytes of a text as UTF-8 into an array. */
export const writeText = (bytes: Uint8Array, text: string, length: number): void => {
  if (writeUtf8 === undefined) apply(utf8Write, bytes, [text, 0, length]);
  else apply(writeUtf8, undefined, [bytes, text, 0, length]);
};

/**
 * Returns the folder that code sees for one above those that it may read. The permission model of
 * Node.js 24 opens a folder with all below it or not at all, so code sees the temp folder in its
 * place.
 */
export const shownAbove = (folder: string, temp: string): string => (IS_NODE_16 ? folder : temp);

/** The real path of a folder is no other folder's. */
export const ACCESS_OF_REALPATH = IS_NODE_16 ? 'look' : 'read';

/** Node.js 16 completes the name of a new temp folder itself, before the native. */
export const TEMP_NAME_END = IS_NODE_16 ? '' : 'XXXXXX';

/**
 * Native functions of this version alone that are refused, by their half
 * (guard-native-code.ts#REFUSED).
 */
export const REFUSED_HERE: Readonly<Record<string, readonly string[]>> = IS_NODE_16
  ? {}
  : {
      blob: ['createBlobFromFilePath'],
      inspector: ['emitProtocolEvent', 'putNetworkResource', 'setupNetworkTracking'],
      modules: ['enableCompileCache', 'flushCompileCache', 'saveCompileCacheEntry'],
      process_methods: ['execve', 'loadEnvFile'],
      profiler: ['endCoverage', 'startCoverage'],
      report: ['setExcludeEnv', 'setExcludeNetwork'],
      sea: ['getAsset'],
      sqlite: ['backup', 'DatabaseSync', 'Session', 'StatementSync'],
      v8: ['GCProfiler', 'startCpuProfile', 'stopCpuProfile'],
      webstorage: ['Storage'],
    };

/**
 * Refuses public functions whose natives Node's own modules have copied before any guard: the
 * snapshot that Node.js 24 starts from has loaded them.
 */
export function guardCopiedNatives(): void {
  if (!IS_NODE_16) defineProperty(fs, 'openAsBlob', dataProperty(refuser('openAsBlob')));
}

/** Members of classes of the language are not enumerable. */
const hidden = (value: unknown): PropertyDescriptor => {
  const property = dataProperty(value);
  property.enumerable = false;
  return property;
};

/** Copies into a new buffer. `slice` would ask the code for one: by its species. */
function copyOf(buffer: ArrayBuffer, length = bytesOfBuffer(buffer)): ArrayBuffer {
  const made = new ArrayBufferClass(length);
  const most = bytesOfBuffer(buffer);
  const copied = new Uint8ArrayClass(buffer, 0, length < most ? length : most);
  setBytes(new Uint8ArrayClass(made), copied);
  return made;
}

/** Takes the place of methods that free the memory of a buffer: the original stays as it is. */
function transferred(this: ArrayBuffer, length?: unknown): ArrayBuffer {
  return copyOf(this, length === undefined ? bytesOfBuffer(this) : toNumber(length));
}

/** V8 detaches a buffer with a key only for its owner, and Node.js 16 sets none. */
const KEY = createObject(null) as object;
const setDetachKey = IS_NODE_16 ? undefined : methodOf(buffers, 'setDetachKey');

/** Keeps the memory of a buffer from being freed by any function of Node or of the language. */
export const pinMemory = (buffer: ArrayBuffer): void => {
  if (setDetachKey !== undefined) apply(setDetachKey, undefined, [buffer, KEY]);
};

/**
 * A `Blob` takes the memory of the buffer that the code's own `slice` returns. Node.js 16 cannot
 * pin a buffer, and its `Blob` is experimental.
 */
function refuseBlob(): void {
  const { Blob: blob } = load('node:buffer') as { readonly Blob: { readonly prototype: object } };
  const refused: Method & { prototype?: object } = function () {
    throw refusal('Blob');
  };
  refused.prototype = blob.prototype;
  defineProperty(blob.prototype, 'constructor', hidden(refused));
  defineProperty(load('node:buffer') as object, 'Blob', dataProperty(refused));
}

/** Replaces a method of a class by one that gets a copy of its first argument. */
function copyFirst(owner: object, name: string, copied: (value: unknown) => unknown): void {
  const original = methodOf(owner as Binding, name);
  const method: Method = function (this: unknown, ...args) {
    args[0] = copied(args[0]);
    return apply(original, this, args);
  };
  defineProperty(owner, name, hidden(method));
}

/** The methods themselves refuse what is no view. */
function bytesOf(view: unknown): unknown {
  if (!isArrayBufferView(view)) return view;
  const bytes = new Uint8ArrayClass(bytesOfView(view));
  setBytes(bytes, new Uint8ArrayClass(bufferOfView(view), offsetOfView(view), bytesOfView(view)));
  return bytes;
}

/** The reader returns an array with the memory that it got. */
function arrayOfCopy(view: unknown): unknown {
  if (!isUint8Array(view)) throw refusal('a reader of bytes into another array than Uint8Array');
  const buffer = bufferOfView(view);
  return new Uint8ArrayClass(copyOf(buffer), offsetOfView(view), bytesOfView(view));
}

/**
 * Closes the ways to free the memory of a buffer while natives use it (guard-memory.ts). Streams of
 * bytes get copies, and have no `byobRequest`; `structuredClone` moves nothing.
 */
export function guardDetaching(): void {
  if (IS_NODE_16) {
    buffers['detachArrayBuffer'] = (buffer) => copyOf(buffer as ArrayBuffer);
    refuseBlob();
    return;
  }
  for (const name of ['transfer', 'transferToFixedLength'])
    defineProperty(arrayBuffers, name, hidden(transferred));
  const clone = (globalThis as unknown as Binding)['structuredClone'] as Method;
  const cloned: Method = (value, options) => {
    const moved = memberOf(options, 'transfer');
    if (moved !== undefined && !(isArray(moved) && moved.length === 0))
      throw refusal('structuredClone with transfer');
    return apply(clone, undefined, [value]);
  };
  defineProperty(globalThis, 'structuredClone', hidden(cloned));
  const { ReadableByteStreamController: Controller, ReadableStreamBYOBReader: Reader } = load(
    'stream/web',
  ) as ByteStreams;
  copyFirst(Controller.prototype, 'enqueue', bytesOf);
  copyFirst(Reader.prototype, 'read', arrayOfCopy);
  defineProperty(Controller.prototype, 'byobRequest', hidden(null));
}

/** Node.js 24 needs a class of this name to load `fetch`. Nothing is an instance of this one. */
function MessagePort(): never {
  throw refusal('MessagePort');
}

/** Takes the globals away by which code could send messages. */
export function guardMessages(remove: (name: string) => void): void {
  for (const name of ['BroadcastChannel', 'MessageChannel', 'MessagePort']) remove(name);
  if (!IS_NODE_16) {
    defineProperty(globalThis, 'MessagePort', hidden(MessagePort));
  }
}

export const HAS_NO_FETCH = IS_NODE_16;

/** Whether this version has a built-in that another version lacks. */
export const hasBuiltIn = (name: string): boolean => !IS_NODE_16 || name !== 'readline/promises';
