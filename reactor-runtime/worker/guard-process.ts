import { Readable, Writable } from 'node:stream';
import { refuser } from './refusal.ts';

/** What reactor code keeps of `process`: facts, and what acts on its own thread alone. Anything else, also of a later Node 16, is refused. */
const KEPT: ReadonlySet<PropertyKey> = new Set<PropertyKey>([
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
]);

/** Swallows what is written: nobody reads it, and it must neither fill memory nor slow the code. */
const sink = () =>
  new Writable({
    decodeStrings: false,
    write: (_chunk, _encoding, done) => done(),
    writev: (_chunks, done) => done(),
  });

/** Takes from `process` every way to other threads, to the process as a whole and to Node's native half. After the other guards, which need those. */
export function guardProcess(): void {
  // What is sent through them is gone from here while its number still counts as opened here.
  for (const name of ['MessageChannel', 'MessagePort', 'BroadcastChannel'])
    Reflect.deleteProperty(globalThis, name);
  for (const key of Reflect.ownKeys(process)) {
    if (typeof key === 'symbol' || KEPT.has(key)) continue;
    const value: unknown = Reflect.getOwnPropertyDescriptor(process, key)?.value;
    Reflect.deleteProperty(process, key);
    if (typeof value === 'function') Reflect.set(process, key, refuser(`process.${key}`));
  }
  const streams: Record<string, () => Writable | Readable> = {
    stdout: sink,
    stderr: sink,
    stdin: () => Readable.from([]),
  };
  for (const [name, make] of Object.entries(streams)) {
    let stream: Writable | Readable | undefined;
    Object.defineProperty(process, name, { get: () => (stream ??= make()), enumerable: true });
  }
  process.argv.length = 1;
  // The console writes nowhere: formatting for nobody would cost the author time.
  const methods = console as unknown as Record<string, unknown>;
  for (const [name, method] of Object.entries(methods)) {
    if (typeof method === 'function' && name !== 'Console') methods[name] = () => undefined;
  }
}
