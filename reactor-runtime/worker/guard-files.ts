import fs, { promises } from 'node:fs';
import type { WorkerSettings } from '../worker-settings.ts';
import { binding, methodOf, prototypeOf, type Binding } from './bindings.ts';
import { accessOf, permittedPaths, type Access, type PermittedPath } from './permitted-path.ts';
import {
  apply,
  dataProperty,
  defineProperty,
  entriesOf,
  fileURLToPath,
  nextTick,
  UrlClass,
  type Method,
} from './primordials.ts';
import { EACCES, refusal, refuser } from './refusal.ts';

/** Where the operations of Node's `fs` binding take paths, and what for. */
const PATHS: Readonly<Record<string, readonly Access[]>> = {
  access: ['look'],
  stat: ['look'],
  lstat: ['look'],
  realpath: ['look'],
  readlink: ['look'],
  readdir: ['read'],
  copyFile: ['read', 'write'],
  rename: ['change', 'change'],
  link: ['change', 'change'],
  mkdir: ['change'],
  mkdtemp: ['change'],
  rmdir: ['change'],
  unlink: ['change'],
  chmod: ['change'],
  chown: ['change'],
  lchown: ['change'],
  utimes: ['change'],
  lutimes: ['change'],
};

/** Those that take an open file: this process has none but its own. */
const DESCRIPTORS: readonly string[] = [
  'close',
  'fchmod',
  'fchown',
  'fdatasync',
  'fstat',
  'fsync',
  'ftruncate',
  'futimes',
  'read',
  'readBuffers',
  'writeBuffer',
  'writeBuffers',
  'writeString',
];

/** Classes: the requests carry nothing, and of the others the methods are guarded. */
const CLASSES: readonly string[] = ['FSReqCallback', 'FileHandle', 'StatWatcher'];

interface Request {
  oncomplete: Method;
}

const isRequest = (value: unknown): value is Request =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Request>).oncomplete === 'function';

/** Fails as the operation itself would: through the request's callback, the context of a synchronous call, or (promises) by throwing. */
function refuse(syscall: string, args: readonly unknown[], path: unknown): unknown {
  const last = args[args.length - 1];
  const details = typeof path === 'string' ? { syscall, path } : { syscall };
  if (isRequest(last)) {
    const { oncomplete } = last;
    nextTick(() => {
      apply(oncomplete, last, [refusal(syscall, details)]);
    });
    return undefined;
  }
  if (typeof last !== 'object' || last === null) throw refusal(syscall, details);
  defineProperty(last, 'errno', dataProperty(EACCES));
  defineProperty(last, 'code', dataProperty('EACCES'));
  defineProperty(last, 'syscall', dataProperty(syscall));
  return undefined;
}

function guardPaths(
  files: Binding,
  name: string,
  accesses: readonly Access[],
  permitted: PermittedPath,
): void {
  const original = methodOf(files, name);
  files[name] = (...args) => {
    for (let at = 0; at < accesses.length; at += 1) {
      const path = permitted(args[at], accesses[at] ?? 'change');
      if (path === undefined) return refuse(name, args, args[at]);
      // The path that was checked is the path that is used.
      args[at] = path;
    }
    return apply(original, undefined, args);
  };
}

/** `opendir` is in a binding of its own that Node does not hand out, so these are guarded where they are exported. */
function guardOpendir(permitted: PermittedPath): void {
  const guarded =
    (original: Method): Method =>
    (...args) => {
      const path = args[0] instanceof UrlClass ? fileURLToPath(args[0]) : args[0];
      const allowed = permitted(path, 'read');
      if (allowed === undefined) throw refusal('opendir', typeof path === 'string' ? { path } : {});
      args[0] = allowed;
      return apply(original, undefined, args);
    };
  const files = fs as unknown as Binding;
  for (const name of ['opendir', 'opendirSync']) files[name] = guarded(methodOf(files, name));
  const asynchronous = promises as unknown as Binding;
  const original = guarded(methodOf(asynchronous, 'opendir'));
  // eslint-disable-next-line @typescript-eslint/require-await -- a refusal is a rejection
  asynchronous['opendir'] = async (...args) => apply(original, undefined, args);
}

function guardWatching(permitted: PermittedPath): void {
  for (const [from, name] of [
    ['fs_event_wrap', 'FSEvent'],
    ['fs', 'StatWatcher'],
  ] as const) {
    const prototype = prototypeOf(from, name);
    const start = methodOf(prototype, 'start');
    prototype['start'] = function (this: unknown, ...args: unknown[]) {
      const path = permitted(args[0], 'read');
      if (path === undefined) return EACCES;
      args[0] = path;
      return apply(start, this, args);
    } satisfies Method;
  }
}

/**
 * Everything of `fs` goes through one native binding, which is guarded here whole: an operation that is in none of the tables is refused. Links cannot be made,
 * so a path that was checked cannot lead elsewhere by the time it is used.
 */
export function guardFiles({ temp, taskRoot, layer }: WorkerSettings): void {
  const permitted = permittedPaths(temp, [taskRoot, layer]);
  const files = binding('fs') as Binding;
  for (const [name, value] of entriesOf(files)) {
    if (typeof value !== 'function' || CLASSES.includes(name) || DESCRIPTORS.includes(name)) continue;
    const accesses = PATHS[name];
    if (accesses !== undefined) {
      guardPaths(files, name, accesses, permitted);
    } else if (name === 'open' || name === 'openFileHandle') {
      files[name] = (...args) => {
        const path = permitted(args[0], accessOf(args[1]));
        if (path === undefined) return refuse('open', args, args[0]);
        args[0] = path;
        return apply(value, undefined, args);
      };
    } else {
      files[name] = (...args) => (name === 'symlink' ? refuse(name, args, args[1]) : refuser(name)());
    }
  }
  guardOpendir(permitted);
  guardWatching(permitted);
}
