import { binding, methodOf, type Binding } from './bindings.ts';
import { guardDetaching, pinMemory } from './natives.ts';
import {
  apply,
  bufferOfView,
  construct,
  dataProperty,
  defineProperty,
  getOf,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isArray,
  isArrayBuffer,
  isArrayBufferView,
  isProxy,
  retainFor,
  retainLastFor,
  objectPrototype,
  ownKeysOf,
  setOf,
  WeakMapClass,
  type Method,
} from './primordials.ts';
import { refuser } from './refusal.ts';

// Natives keep the address of memory that Node's own modules keep alive until an operation ends.
// Code that frees such memory earlier, by detaching it or by dropping the last reference, would
// choose what Node writes where: these guards close the ways to do so.

/** The halves whose classes have objects that code can find. */
const HALVES: readonly string[] = [
  'blob',
  'cares_wrap',
  'crypto',
  'fs',
  'fs_dir',
  'fs_event_wrap',
  'http2',
  'http_parser',
  'js_stream',
  'messaging',
  'pipe_wrap',
  'process_wrap',
  'signal_wrap',
  'stream_wrap',
  'tcp_wrap',
  'tls_wrap',
  'udp_wrap',
  'zlib',
];

type Class = Method & { readonly prototype: Binding };

const classesOf = (half: string, visit: (own: Class) => void): void => {
  const owner = binding(half) as Binding;
  const names = ownKeysOf(owner);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    const value: unknown = getOwnPropertyDescriptor(owner, name)?.value;
    const own = value as Partial<Class>;
    if (typeof value === 'function' && typeof own.prototype === 'object') visit(value as Class);
  }
};

/** Buffers of WebAssembly belong to their memory: V8 never frees them alone. */
const ofMemories = new WeakMapClass<object, true>();

/** Pins the memory of a buffer, of a view, or of those in a list. */
function pin(value: unknown): void {
  if (isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (!isArray(value[at])) pin(value[at]);
    return;
  }
  const buffer: unknown = isArrayBufferView(value) ? bufferOfView(value) : value;
  if (isArrayBuffer(buffer) && getOf(ofMemories, buffer) !== true) pinMemory(buffer);
}

function pinAll(args: readonly unknown[]): void {
  for (let at = 0; at < args.length; at += 1) pin(args[at]);
}

/** Keeps what an operation was called with as long as its request, its promise or its object. */
function retainUntilItEnds(owner: Binding, name: string): void {
  if (typeof owner[name] !== 'function') return;
  const original = methodOf(owner, name);
  owner[name] = function (this: unknown, ...args: unknown[]) {
    const last = args[args.length - 1];
    // An array could lose its elements meanwhile, so the operation gets a copy.
    for (let at = 0; at < args.length; at += 1) {
      const list = args[at];
      if (isArray(list) && !isProxy(list)) args[at] = copyOf(list);
    }
    pinAll(args);
    const result = apply(original, this, args);
    retainFor(last, args);
    retainFor(result, args);
    return result;
  };
}

function copyOf(list: readonly unknown[]): unknown[] {
  const copy: unknown[] = [];
  for (let at = 0; at < list.length; at += 1) defineProperty(copy, at, dataProperty(list[at]));
  return copy;
}

/** Methods that remember memory in their object. */
const REMEMBERING: readonly string[] = ['init', 'useUserBuffer', 'write'];

/** Keeps everything that such a method was called with as long as its object. */
function retainByObject(prototype: Binding, name: string): void {
  if (typeof getOwnPropertyDescriptor(prototype, name)?.value !== 'function') return;
  const original = methodOf(prototype, name);
  prototype[name] = function (this: unknown, ...args: unknown[]) {
    pinAll(args);
    if (name === 'write') retainLastFor(this, args);
    else retainFor(this, args);
    return apply(original, this, args);
  } satisfies Method;
}

/** Jobs that write random bytes into the memory of their caller. */
function keepOfJobs(): void {
  const crypto = binding('crypto') as Binding;
  const original = crypto['RandomBytesJob'] as Class;
  const made = function (...args: unknown[]): unknown {
    pinAll(args);
    const job: unknown = construct(original, args);
    retainFor(job, args);
    return job;
  };
  made.prototype = original.prototype;
  crypto['RandomBytesJob'] = made;
}

/**
 * Memory of WebAssembly is freed with its object although arrays of it are in use, if it has grown
 * meanwhile. Code gets the arrays only here.
 */
function keepMemories(): void {
  const { WebAssembly: wasm } = globalThis as unknown as {
    readonly WebAssembly: { readonly Memory: { readonly prototype: object } };
  };
  const owner = wasm.Memory.prototype;
  const getter = getOwnPropertyDescriptor(owner, 'buffer')?.get as Method;
  const seen: unknown[] = [];
  defineProperty(owner, 'buffer', {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get(this: unknown) {
      const buffer: unknown = apply(getter, this, []);
      setOf(ofMemories, buffer as object, true);
      if (retainFor(buffer, [this])) defineProperty(seen, seen.length, dataProperty(this));
      return buffer;
    },
  } as PropertyDescriptor);
}

/** No object leads back to its class: code could make one for memory of its choice. */
function guardPrototype(prototype: Binding): void {
  for (let at = 0; at < REMEMBERING.length; at += 1) retainByObject(prototype, REMEMBERING[at] ?? '');
  const own: unknown = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  if (typeof own === 'function') defineProperty(prototype, 'constructor', dataProperty(refuser(own.name)));
}

/** After all guards of single natives, which need the classes. */
export function guardMemory(): void {
  guardDetaching();
  keepMemories();
  keepOfJobs();
  const files = binding('fs') as Binding;
  for (const name of ['read', 'readBuffers', 'writeBuffer', 'writeBuffers']) retainUntilItEnds(files, name);
  const seen: object[] = [objectPrototype];
  for (const half of HALVES) {
    classesOf(half, (own) => {
      let next: object | null = own.prototype;
      for (; next !== null && !seen.includes(next); next = getPrototypeOf(next)) {
        seen.push(next);
        guardPrototype(next as Binding);
        // Ports inherit from public classes; others inherit from classes that no half names.
        if (half === 'messaging') break;
      }
    });
  }
}
