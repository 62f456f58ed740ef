import { constants } from 'node:fs';
import type { WorkerSettings } from '../worker-settings.ts';
import { binding, methodOf, prototypeOf, type Binding } from './bindings.ts';
import { ACCESS_OF_REALPATH, isOpenDescriptor, TEMP_NAME_END } from './natives.ts';
import { accessOf, permittedPaths, textOf, type Access, type PermittedPath } from './permitted-path.ts';
import {
  apply,
  construct,
  dataProperty,
  defineProperty,
  entriesOf,
  nextTick,
  slice,
  Uint8ArrayClass,
  type Method,
} from './primordials.ts';
import { EACCES, refusal } from './refusal.ts';

const { O_CREAT } = constants;

/**
 * The path arguments of the operations of Node's `fs` binding, and their use. No image has all of
 * them.
 */
const PATHS: Readonly<Record<string, readonly Access[]>> = {
  access: ['look'],
  cpSyncCheckPaths: ['look', 'change'],
  cpSyncOverrideFile: ['read', 'change'],
  internalModuleStat: ['look'],
  stat: ['look'],
  statfs: ['look'],
  lstat: ['look'],
  realpath: [ACCESS_OF_REALPATH],
  readlink: ['look'],
  opendir: ['read'],
  opendirSync: ['read'],
  readdir: ['read'],
  // A copy that fails removes its target.
  copyFile: ['read', 'change'],
  rename: ['change', 'change'],
  mkdir: ['change'],
  rmdir: ['change'],
  rmSync: ['change'],
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
const CLASSES: readonly string[] = ['DirHandle', 'FSReqCallback', 'FileHandle', 'StatWatcher'];

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

/** The files that an invocation may create; they are removed before the next one begins. */
const CREATIONS_MAX = 10_000;

const slashesIn = (path: unknown): number => {
  let count = 0;
  if (typeof path !== 'string') return count;
  for (let at = 0; at < path.length; at += 1) if (path[at] === '/') count += 1;
  return count;
};

const creates = (flags: unknown): number => (typeof flags === 'number' && (flags & O_CREAT) !== 0 ? 1 : 0);

/** How many names an operation may create: `mkdir` creates all folders of a path. */
function creations(name: string, args: readonly unknown[]): number {
  if (name === 'copyFile' || name === 'cpSyncOverrideFile') return 1;
  // It creates the folders above the copy.
  if (name === 'cpSyncCheckPaths') return slashesIn(args[1]);
  if (name !== 'mkdir') return 0;
  return args[2] === true ? slashesIn(args[0]) : 1;
}

interface FileGuards {
  readonly files: Binding;
  /** Whether a value is the number of a descriptor that Node itself uses. */
  readonly isOfNode: (value: unknown) => boolean;
  readonly permitted: PermittedPath;
  readonly mayCreate: (count: number) => boolean;
}

function guardPaths(
  { files, permitted, mayCreate }: FileGuards,
  name: string,
  accesses: readonly Access[],
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

/** Guards an operation that opens a file by flags. A number is a descriptor of this process. */
function guardOpening(
  { files, isOfNode, permitted, mayCreate }: FileGuards,
  name: string,
  flagsAt: number,
): void {
  const original = methodOf(files, name);
  const isWrite = name === 'writeFileUtf8';
  const takesDescriptors = isWrite || name === 'readFileUtf8';
  files[name] = (...args) => {
    if (takesDescriptors && typeof args[0] === 'number')
      return isOfNode(args[0]) ? refuse('open', args, undefined) : apply(original, undefined, args);
    const flags = args[flagsAt];
    const path = permitted(args[0], isWrite ? 'write' : accessOf(flags));
    if (path === undefined || !mayCreate(creates(flags))) return refuse('open', args, args[0]);
    args[0] = path;
    return apply(original, undefined, args);
  };
}

/** The place of the flags among the arguments of operations that open files. */
const FLAGS_AT: Readonly<Record<string, number>> = {
  open: 1,
  openFileHandle: 1,
  readFileUtf8: 1,
  writeFileUtf8: 2,
};

/** Guards the operation that completes the name of a new folder. */
function guardTempFolders({ files, permitted, mayCreate }: FileGuards): void {
  const original = methodOf(files, 'mkdtemp');
  files['mkdtemp'] = (...args) => {
    const prefix = textOf(args[0]);
    const path = prefix === undefined ? undefined : permitted(prefix + TEMP_NAME_END, 'change');
    if (path === undefined || !mayCreate(1)) return refuse('mkdtemp', args, args[0]);
    args[0] = slice(path, 0, path.length - TEMP_NAME_END.length);
    return apply(original, undefined, args);
  };
}

/** Guards the operation that says `false` of what it may not see. */
function guardExistence({ files, permitted }: FileGuards): void {
  const original = methodOf(files, 'existsSync');
  files['existsSync'] = (path) => {
    const known = permitted(path, 'look');
    return known !== undefined && apply(original, undefined, [known]);
  };
}

/** Node opens its descriptor for watching with the first watcher, and never closes it. */
function prepareWatching(): void {
  const Watcher = binding('fs_event_wrap')['FSEvent'] as new () => {
    start: (path: string, isPersistent: boolean, isRecursive: boolean, encoding: string) => unknown;
    close: () => void;
  };
  const watcher = new Watcher();
  watcher.start('/dev/null', false, false, 'utf8');
  watcher.close();
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

/** So many descriptors, which begin at 0, are the code's messages and output. */
const DESCRIPTORS_OF_CODE = 3;
const DESCRIPTORS_MAX = 1_024;

/**
 * Notes the descriptors that Node itself has opened, the pipes of libuv among them: it reads
 * addresses of memory from one. Whatever is opened later belongs to the code.
 */
function descriptorsOfNode(): (value: unknown) => boolean {
  const open = new Uint8ArrayClass(DESCRIPTORS_MAX);
  for (let at = DESCRIPTORS_OF_CODE; at < DESCRIPTORS_MAX; at += 1) if (isOpenDescriptor(at)) open[at] = 1;
  return (value) => typeof value === 'number' && open[value] === 1;
}

function guardDescriptor({ files, isOfNode }: FileGuards, name: string): void {
  const original = methodOf(files, name);
  files[name] = (...args) =>
    isOfNode(args[0]) ? refuse(name, args, undefined) : apply(original, undefined, args);
}

/** An object of this class closes its descriptor when it is collected. */
function guardFileHandles({ files, isOfNode }: FileGuards): void {
  const original = methodOf(files, 'FileHandle') as Method & { readonly prototype: object };
  const guarded = function (...args: unknown[]): unknown {
    if (isOfNode(args[0])) throw refusal('FileHandle');
    return construct(original, args);
  };
  guarded.prototype = original.prototype;
  files['FileHandle'] = guarded;
}

/** Guards one operation: one in none of the tables is refused. */
function guardFile(guards: FileGuards, name: string): void {
  const { files } = guards;
  const accesses = PATHS[name];
  const flagsAt = FLAGS_AT[name];
  if (accesses !== undefined) guardPaths(guards, name, accesses);
  else if (flagsAt !== undefined) guardOpening(guards, name, flagsAt);
  else if (name === 'mkdtemp') guardTempFolders(guards);
  else if (name === 'existsSync') guardExistence(guards);
  else files[name] = (...args) => refuse(name, args, args[name === 'symlink' ? 1 : 0]);
}

/**
 * All of `fs` uses two native bindings. Links cannot be created, so a checked path cannot lead
 * elsewhere when it is used.
 */
export function guardFiles({ temp, taskRoot }: WorkerSettings, layer: string): void {
  const permitted = permittedPaths(temp, [taskRoot, layer]);
  let created = 0;
  const mayCreate = (count: number) => (created += count) <= CREATIONS_MAX;
  prepareWatching();
  const isOfNode = descriptorsOfNode();
  for (const half of ['fs', 'fs_dir']) {
    const files = binding(half) as Binding;
    for (const [name, value] of entriesOf(files)) {
      if (typeof value !== 'function') continue;
      const guards = { files, isOfNode, permitted, mayCreate };
      if (name === 'FileHandle') guardFileHandles(guards);
      else if (DESCRIPTORS.includes(name)) guardDescriptor(guards, name);
      else if (!CLASSES.includes(name)) guardFile(guards, name);
    }
  }
  guardWatching(permitted);
}
