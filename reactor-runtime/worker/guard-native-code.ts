import { binding, methodOf, prototypeOf, type Binding } from './bindings.ts';
import { guardCopiedNatives, REFUSED_HERE } from './natives.ts';
import { defineProperty, ErrorClass, ownKeysOf, PromiseClass } from './primordials.ts';
import { refusal, refuser } from './refusal.ts';

/**
 * Native functions that reach outside the process, or below the guards, and that no reactor needs.
 * Code has extracted them from Node's own modules (docs/reactor-isolation.md#native-halves).
 */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  contextify: ['ContextifyScript', 'makeContext', 'measureMemory'],
  credentials: ['initgroups', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid'],
  // OpenSSL engines are native code in a file. The FIPS mode belongs to the process.
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

/** The same for classes whose objects Node's own modules may have created. */
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
 * Replaces the function that wraps a built-in for `import`, which does not exist here: setters on
 * Object.prototype can capture its objects, which lead to code caches.
 */
class NoModule {
  setExport(): void {
    // Does nothing, because there is no `import`.
  }
  instantiate(): void {
    // Does nothing, for the same reason.
  }
  evaluate(): void {
    // Does nothing, for the same reason.
  }
}

function refuse(owner: Binding, name: string): void {
  if (typeof owner[name] !== 'function') throw new ErrorClass(`this Node has no ${name}`);
  const prototype = owner[name].prototype as object | undefined;
  // Existing objects must not lead back to the class.
  if (prototype !== undefined) defineProperty(prototype, 'constructor', { value: refuser(name) });
  owner[name] = refuser(name);
}

/** Before Node's modules are loaded, which copy some of these. */
export function guardNativeCode(): void {
  for (const at of ownKeysOf(REFUSED_METHODS) as string[]) {
    const [half = '', name = ''] = at.split('.');
    for (const method of REFUSED_METHODS[at] ?? []) refuse(prototypeOf(half, name), method);
  }
  for (const refused of [REFUSED, REFUSED_HERE]) {
    for (const half of ownKeysOf(refused) as string[]) {
      for (const name of refused[half] ?? []) refuse(binding(half) as Binding, name);
    }
  }
  guardCopiedNatives();
  // A message names the class that reads it, and Node loads any module for it.
  methodOf(binding('messaging') as Binding, 'setDeserializerCreateObjectFunction')(refuser('messages'));
  // The host function for `import()`: Node's own loads whatever the first JavaScript frame may
  // load, which is this file if it calls the code's `Function`.
  methodOf(
    binding('module_wrap') as Binding,
    'setImportModuleDynamicallyCallback',
  )(() => new PromiseClass((_resolve, reject) => reject(refusal('import()'))));
  binding('module_wrap')['ModuleWrap'] = NoModule;
}
