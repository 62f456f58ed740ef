import { methodOf, type Binding } from './bindings.ts';
import {
  apply,
  createObject,
  dataProperty,
  defineProperty,
  deleteProperty,
  getOwnPropertyDescriptor,
  thenOf,
  type Method,
} from './primordials.ts';
import { refuser } from './refusal.ts';

/**
 * The files that reactor code has opened itself. Descriptors belong to the whole process: without this it could read from, write to or close the loop's own
 * connection by its number.
 */
export interface OpenFiles {
  has(descriptor: unknown): boolean;
  forget(descriptor: unknown): void;
  /** `binding.open`, its result remembered. */
  open(original: Method, args: unknown[]): unknown;
  /** `binding.openFileHandle`, likewise. */
  openHandle(original: Method, args: unknown[]): unknown;
}

interface OpenRequest {
  oncomplete: Method;
}

export function openFiles(files: Binding): OpenFiles {
  /** By descriptor; a handle is kept, since Node closes the file when it collects one. */
  const open = createObject(null) as Record<number, unknown>;
  const remember = (descriptor: unknown, handle: unknown) => {
    if (typeof descriptor === 'number' && descriptor >= 0) open[descriptor] = handle;
  };
  const forget = (descriptor: unknown) => {
    if (typeof descriptor === 'number') deleteProperty(open, descriptor);
  };

  const handles = files['FileHandle'] as unknown as { prototype: Binding };
  const descriptorOf = getOwnPropertyDescriptor(handles.prototype, 'fd')?.get;
  if (descriptorOf === undefined) throw new Error('this Node has no FileHandle.fd');
  for (const name of ['close', 'releaseFD']) {
    const original = methodOf(handles.prototype, name);
    handles.prototype[name] = function (this: unknown, ...args: unknown[]) {
      // Before it is closed: afterwards the number may be someone else's.
      forget(apply(descriptorOf, this, []));
      return apply(original, this, args);
    } satisfies Method;
  }
  // Makes a file of any descriptor.
  const constructor = { value: refuser('FileHandle'), writable: false, configurable: false };
  defineProperty(handles.prototype, 'constructor', constructor);

  return {
    has: (descriptor) => typeof descriptor === 'number' && open[descriptor] !== undefined,
    forget,
    open: (original, args) => {
      const request = args[3] as OpenRequest | undefined;
      if (typeof request === 'object') {
        const { oncomplete } = request;
        const remembering: Method = function (this: unknown, ...results: unknown[]) {
          remember(results[1], true);
          return apply(oncomplete, this, results);
        };
        defineProperty(request, 'oncomplete', dataProperty(remembering));
        return apply(original, undefined, args);
      }
      const descriptor: unknown = apply(original, undefined, args);
      remember(descriptor, true);
      return descriptor;
    },
    openHandle: (original, args) =>
      thenOf(apply(original, undefined, args) as Promise<unknown>, (handle) => {
        remember(apply(descriptorOf, handle, []), handle);
        return handle;
      }),
  };
}
