import { constants } from 'node:fs';
import type { WorkerSettings } from '../worker-settings.ts';
import { binding, methodOf, prototypeOf, type Binding } from './bindings.ts';
import { accessOf, permittedPaths, type Access, type PermittedPath } from './permitted-path.ts';
import { apply, dataProperty, defineProperty, entriesOf, nextTick, type Method } from './primordials.ts';
import { EACCES, refusal } from './refusal.ts';

const { O_CREAT } = constants;

/** The path arguments of the operations of Node's `fs` binding, and their use. */
const PATHS: Readonly<Record<string, readonly Access[]>> = {
  access: ['look'],
  stat: ['look'],
  lstat: ['look'],
  realpath: ['look'],
  readlink: ['look'],
  readdir: ['read'],
  copyFile: ['read', 'write'],
  rename: ['change', 'change'],
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

/**
 * These work on open files, and this process has only its own. Operations that change metadata are
 * missing, because they also work on a file that is only readable.
 */
const DESCRIPTORS: readonly string[] = [
  'close',
  'fdatasync',
  'fstat',
  'fsync',
  'ftruncate',
  'read',
  'readBuffers',
  'writeBuffer',
  'writeBuffers',
  'writeString',
];

/** These are classes. Requests grant nothing, and the methods of the others are guarded. */
const CLASSES: readonly string[] = ['FSReqCallback', 'FileHandle', 'StatWatcher'];

interface Request {
  oncomplete: Method;
}

const isRequest = (value: unknown): value is Request =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Request>).oncomplete === 'function';

/**
 * Fails like the operation itself: through the request's callback, the context of a synchronous
 * call, or a rejection (promises).
 */
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
  mayCreate: (count: number) => boolean,
): void {
  const original = methodOf(files, name);
  files[name] = (...args) => {
    for (let at = 0; at < accesses.length; at += 1) {
      const path = permitted(args[at], accesses[at] ?? 'change');
      if (path === undefined) return refuse(name, args, args[at]);
      // The operation uses exactly the checked path.
      args[at] = path;
    }
    if (!mayCreate(creations(name, args))) return refuse(name, args, args[0]);
    return apply(original, undefined, args);
  };
}

/** The files that an invocation may create; they are removed before the next one begins. */
const CREATIONS_MAX = 10_000;

/** How many names an operation may create: `mkdir` creates all folders of a path. */
function creations(name: string, args: readonly unknown[]): number {
  if (name === 'open' || name === 'openFileHandle')
    return typeof args[1] === 'number' && (args[1] & O_CREAT) !== 0 ? 1 : 0;
  if (name === 'mkdtemp' || name === 'copyFile') return 1;
  if (name !== 'mkdir') return 0;
  const path = args[0] as string;
  let count = 0;
  for (let at = 0; at < path.length; at += 1) if (path[at] === '/') count += 1;
  return args[2] === true ? count : 1;
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
 * All of `fs` uses one native binding: an operation in none of the tables is refused. Links cannot
 * be created, so a checked path cannot lead elsewhere when it is used.
 */
export function guardFiles({ temp, taskRoot }: WorkerSettings, layer: string): void {
  const permitted = permittedPaths(temp, [taskRoot, layer]);
  const files = binding('fs') as Binding;
  let created = 0;
  const mayCreate = (count: number) => (created += count) <= CREATIONS_MAX;
  for (const [name, value] of entriesOf(files)) {
    if (typeof value !== 'function' || CLASSES.includes(name) || DESCRIPTORS.includes(name)) continue;
    const accesses = PATHS[name];
    if (accesses !== undefined) {
      guardPaths(files, name, accesses, permitted, mayCreate);
    } else if (name === 'open' || name === 'openFileHandle') {
      files[name] = (...args) => {
        const path = permitted(args[0], accessOf(args[1]));
        if (path === undefined || !mayCreate(creations(name, args))) return refuse('open', args, args[0]);
        args[0] = path;
        return apply(value, undefined, args);
      };
    } else {
      files[name] = (...args) => refuse(name, args, args[name === 'symlink' ? 1 : 0]);
    }
  }
  guardPaths(binding('fs_dir') as Binding, 'opendir', ['read'], permitted, mayCreate);
  guardWatching(permitted);
}
