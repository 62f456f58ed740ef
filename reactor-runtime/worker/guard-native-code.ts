import { binding, methodOf, prototypeOf, type Binding } from './bindings.ts';
import { defineProperty, ErrorClass, ownKeysOf, PromiseClass } from './primordials.ts';
import { refusal, refuser } from './refusal.ts';

/**
 * Native functions that reach beside the process, or beneath the guards, and that nothing of a
 * reactor needs. Nobody gives them to its code; but Node's own modules hold them, which code has
 * made show what they have (docs/reactor-isolation.md).
 */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  contextify: ['ContextifyScript', 'makeContext', 'measureMemory'],
  credentials: ['initgroups', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid'],
  // Engines of OpenSSL are native code in a file. The FIPS mode is of the process.
  crypto: ['setEngine', 'setFipsCrypto'],
  heap_utils: ['createHeapSnapshotStream', 'triggerHeapSnapshot'],
  inspector: ['callAndPauseOnStart', 'Connection', 'MainThreadConnection', 'open', 'waitForDebugger'],
  messaging: ['broadcastChannel', 'moveMessagePortToContext', 'receiveMessageOnPort'],
  os: ['setPriority'],
  process_methods: ['_debugEnd', '_debugProcess', '_kill', 'abort', 'causeSegfault', 'chdir', 'dlopen'],
  profiler: ['setCoverageDirectory', 'takeCoverage'],
  report: [
    'getReport',
    'setCompact',
    'setDirectory',
    'setFilename',
    'setReportOnFatalError',
    'setReportOnSignal',
    'setReportOnUncaughtException',
    'setSignal',
    'writeReport',
  ],
  spawn_sync: ['spawn'],
  trace_events: ['CategorySet'],
  tty_wrap: ['TTY'],
  v8: ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit'],
  wasi: ['WASI'],
  worker: ['Worker'],
};

/** The same of classes whose objects Node's own modules may have made. */
const REFUSED_METHODS: Readonly<Record<string, readonly string[]>> = {
  'crypto.SecureContext': ['setClientCertEngine', 'setEngineKey'],
  'inspector.Connection': ['dispatch'],
  // Streams of `stream/web` have ports too.
  'messaging.MessagePort': ['postMessage'],
  'process_wrap.Process': ['kill', 'spawn'],
  'wasi.WASI': ['path_open'],
  'worker.Worker': ['startThread', 'takeHeapSnapshot'],
};

/**
 * In place of what shows a built-in to `import`, which there is none of: its objects are caught by
 * setters on Object.prototype, and lead to caches of code.
 */
class NoModule {
  setExport(): void {
    // Nobody imports it.
  }
  instantiate(): void {
    // Likewise.
  }
  evaluate(): void {
    // Likewise.
  }
}

function refuse(owner: Binding, name: string): void {
  if (typeof owner[name] !== 'function') throw new ErrorClass(`this Node has no ${name}`);
  const prototype = owner[name].prototype as object | undefined;
  // What was made before must not lead back to the class.
  if (prototype !== undefined) defineProperty(prototype, 'constructor', { value: refuser(name) });
  owner[name] = refuser(name);
}

/** Before Node's modules are loaded, which copy some of these. */
export function guardNativeCode(): void {
  for (const at of ownKeysOf(REFUSED_METHODS) as string[]) {
    const [half = '', name = ''] = at.split('.');
    for (const method of REFUSED_METHODS[at] ?? []) refuse(prototypeOf(half, name), method);
  }
  for (const half of ownKeysOf(REFUSED) as string[]) {
    for (const name of REFUSED[half] ?? []) refuse(binding(half) as Binding, name);
  }
  // A message names the class that reads it, and Node loads whichever module that is in.
  methodOf(binding('messaging') as Binding, 'setDeserializerCreateObjectFunction')(refuser('messages'));
  // The host's answer to `import()`: Node's own loads what the first frame of JavaScript may load,
  // which is this file where it calls the code's `Function`.
  methodOf(
    binding('module_wrap') as Binding,
    'setImportModuleDynamicallyCallback',
  )(() => new PromiseClass((_resolve, reject) => reject(refusal('import()'))));
  binding('module_wrap')['ModuleWrap'] = NoModule;
}
