import { Readable, Writable } from 'node:stream';
import { print } from './channel.ts';
import { guardMessages } from './natives.ts';
import {
  dataProperty,
  defineProperty,
  deleteProperty,
  entriesOf,
  getOwnPropertyDescriptor,
  isUint8Array,
  ownKeysOf,
} from './primordials.ts';
import { refuser } from './refusal.ts';

/**
 * The members of `process` that reactor code keeps: facts, and actions on its own process. All
 * others, also of a later Node.js, are refused.
 */
const PRESERVED: readonly PropertyKey[] = [
  'version',
  'versions',
  'arch',
  'platform',
  'release',
  'features',
  'config',
  'title',
  'pid',
  'ppid',
  'argv',
  'argv0',
  'execArgv',
  'execPath',
  'exitCode',
  'env',
  'cwd',
  'umask',
  'uptime',
  'hrtime',
  'cpuUsage',
  'resourceUsage',
  'memoryUsage',
  'getuid',
  'geteuid',
  'getgid',
  'getegid',
  'getgroups',
  'exit',
  'reallyExit',
  'nextTick',
  'emitWarning',
  'assert',
  'stdin',
  'stdout',
  'stderr',
  'allowedNodeEnvironmentFlags',
  'hasUncaughtExceptionCaptureCallback',
  // Node's own code reads these from the object.
  '_events',
  '_eventsCount',
  '_maxListeners',
  'domain',
  '_exiting',
  '_fatalException',
  '_tickCallback',
  '_preload_modules',
  'noDeprecation',
];

/**
 * Members of the console that print. Node's own write to the streams below; the others talk to a
 * debugger and do nothing.
 */
const PRINTING: readonly string[] = [
  ...['assert', 'count', 'countReset', 'debug', 'dir', 'dirxml', 'error', 'group', 'groupCollapsed'],
  ...['groupEnd', 'info', 'log', 'table', 'time', 'timeEnd', 'timeLog', 'trace', 'warn'],
];

/**
 * Standard output is an alias of standard error, because the worker sends its messages on standard
 * output.
 */
const printer = () =>
  new Writable({
    write: (chunk, _encoding, done) => {
      if (isUint8Array(chunk)) print(chunk);
      done();
    },
  });

/**
 * Removes every way from `process` to other processes and to Node's native half. After the other
 * guards, which need them.
 */
export function guardProcess(): void {
  for (const key of ownKeysOf(process)) {
    if (typeof key === 'symbol' || PRESERVED.includes(key)) continue;
    const value: unknown = getOwnPropertyDescriptor(process, key)?.value;
    deleteProperty(process, key);
    if (typeof value === 'function') defineProperty(process, key, dataProperty(refuser(`process.${key}`)));
  }
  guardMessages((name) => deleteProperty(globalThis, name));
  const streams: Record<string, () => Writable | Readable> = {
    stdout: printer,
    stderr: printer,
    stdin: () => Readable.from([]),
  };
  for (const [name, make] of entriesOf(streams)) {
    let stream: Writable | Readable | undefined;
    defineProperty(process, name, { get: () => (stream ??= make()), enumerable: true });
  }
  // A copy of the environment: the C library opens files named in the real one (HOSTALIASES,
  // RESOLV_HOST_CONF, TZ), below the guards.
  defineProperty(process, 'env', dataProperty({}));
  process.argv.length = 1;
  // They name the folders of the instance.
  process.execArgv.length = 0;
  const methods = console as unknown as Record<string, unknown>;
  for (const [name, method] of entriesOf(methods)) {
    if (typeof method !== 'function' || name === 'Console' || PRINTING.includes(name)) continue;
    methods[name] = () => undefined;
  }
}
