// The program that `bootstrap` starts: it asks Lambda for events and runs each in a new process.
// The author's code never runs in this process, and only one process with that code exists at a
// time, so no invocation leaves anything for the next. While a process with the code waits for its
// event, the next process is started without the code, and it is stopped while the event is
// processed.
import '../built-in-code.ts';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from '../../src/core/reactors/layer.ts';
import type { WorkerSettings } from '../worker-settings.ts';
import { emptyFolder } from './empty-folder.ts';
import { memoryBounds } from './memory-bounds.ts';
import { notLoaded, outcome } from './outcome.ts';
import { ownPackagesIn, type OwnPackages } from './own-packages.ts';
import { permissionFlags } from './permission-flags.ts';
import { readEvent, type ReactorEvent } from './reactor-event.ts';
import { workerStdio, startWorkerProcess, type ReactorWorker, type WorkerProcess } from './reactor-worker.ts';
import type { RuntimeApi } from './runtime-api.ts';

/** This program's own Node.js is the image. */
const IMAGE = `node${process.versions.node.split('.')[0] ?? ''}` as Image;
const [ENDPOINT = '', TASK_ROOT = '', MEMORY_MB = '', TEMP_FOLDER = '', LOAD_LIMIT_MS = ''] =
  process.argv.slice(2);

/**
 * How long code may load. Lambda's own limit for the whole init phase is 10 s. Another machine may
 * be busy with anything, so code has longer there.
 */
const LOAD_MS = TASK_ROOT === '/var/task' ? 4_000 : Number(LOAD_LIMIT_MS) || 60_000;

/** Lambda, or the local account, ends the processes that this one starts. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable: the process has ended');
}

/** The temp folder of this instance, emptied here and again after each invocation. */
function ownTempFolder(): string {
  const folder = realpathSync(TEMP_FOLDER);
  // On Lambda /tmp belongs to the instance. On other machines it is shared.
  if (folder === '/tmp' && TASK_ROOT !== '/var/task') throw new Error('TMPDIR must name a folder of its own');
  emptyFolder(folder);
  return folder;
}

/**
 * How long the kernel may take to end a process. Most end immediately; one with pending writes ends
 * after them.
 */
const LATE_MS = 30_000;
/** The response does not wait longer for the end of the process. */
const SOON_MS = TASK_ROOT === '/var/task' ? 1_000 : LATE_MS;

interface Prepared {
  readonly code: Buffer;
  /** Absent if the reactor brings no packages. */
  readonly packages?: OwnPackages;
  readonly temp: string;
  /** Sends the code to the spare process, or to a new one. */
  start(localPorts: readonly number[]): ReactorWorker;
  /** Starts the spare process, unless there is one. */
  startSpare(): void;
  /** Stops it: it never runs while the author's code does. */
  holdSpare(): void;
}

interface Reactor extends Prepared {
  readonly codeSha256: string;
}

function attempt<T>(make: () => T): { readonly value?: T; readonly error?: unknown } {
  try {
    return { value: make() };
  } catch (error) {
    return { error };
  }
}

function prepare(): Prepared {
  const code = readFileSync(join(TASK_ROOT, 'reactor.js'));
  const packages = ownPackagesIn(TASK_ROOT);
  const settings: Omit<WorkerSettings, 'localPorts'> = {
    code: code.toString(),
    packages: packages?.specifiers ?? [],
    taskRoot: realpathSync(TASK_ROOT),
    temp: ownTempFolder(),
  };
  const bounds = memoryBounds(Number(MEMORY_MB));
  const { taskRoot, temp } = settings;
  const flags = IMAGE === 'node16' ? [] : permissionFlags({ taskRoot, temp, layer: join(__dirname, '..') });
  const program = {
    file: join(__dirname, 'worker.cjs'),
    flags,
    packageAt: packages?.packageAt ?? (() => undefined),
  };
  const stdio = workerStdio();
  let spare: WorkerProcess | undefined;
  // A waiting process may have died for lack of memory.
  const living = () => (spare?.alive() === true ? spare : undefined);
  const startProcess = () => startWorkerProcess(program, bounds, stdio, living);
  return {
    code,
    ...(packages !== undefined && { packages }),
    temp: settings.temp,
    start: (localPorts) => {
      const taken = living() ?? startProcess();
      spare = undefined;
      return taken.load({ ...settings, localPorts }, LOAD_MS);
    },
    startSpare: () => (spare = living() ?? startProcess()),
    holdSpare: () => living()?.hold(),
  };
}

/** `worker` may be a newer process than the prepared one. */
interface Run {
  readonly worker: ReactorWorker;
  readonly response: string;
}

async function run(reactor: Reactor, prepared: ReactorWorker, event: ReactorEvent): Promise<Run> {
  if (event.codeSha256 !== reactor.codeSha256) return { worker: prepared, response: outcome('stale') };
  let worker = prepared;
  if (String(worker.localPorts) !== String(event.localPorts)) {
    // Locally only, and once: the next process starts with the ports of this event.
    if (!(await worker.end(SOON_MS))) die();
    emptyFolder(reactor.temp);
    worker = reactor.start(event.localPorts);
  }
  let loaded = await worker.loaded;
  if (loaded === 'loaded' && !worker.alive()) {
    // It loaded, and died while it was idle. This invocation did not cause that, so it gets a new
    // process.
    worker = reactor.start(event.localPorts);
    loaded = await worker.loaded;
  }
  if (loaded !== 'loaded') return { worker, response: notLoaded(loaded) };
  if (!('payload' in event)) return { worker, response: outcome('loaded') };
  reactor.holdSpare();
  return { worker, response: await worker.run(event) };
}

async function serve(api: RuntimeApi, reactor: Reactor, first: ReactorWorker): Promise<never> {
  for (let worker = first; ; worker = reactor.start(worker.localPorts)) {
    await worker.loaded;
    // The first event comes before a spare process, because a cold start should reach it soon.
    if (worker !== first) reactor.startSpare();
    const { id, payload } = await api.next();
    const event = readEvent(payload);
    const done = event === undefined ? undefined : await run(reactor, worker, event);
    // Before the response: until then Lambda has no other event, so nothing of this invocation runs
    // during the next.
    worker = done?.worker ?? worker;
    const hasEnded = await worker.end(SOON_MS);
    if (done === undefined) await api.fail(id, 'Reactor.InvalidEvent', 'the payload is not a reactor event');
    else await api.respond(id, done.response);
    if (!hasEnded && !(await worker.end(LATE_MS))) die();
    emptyFolder(reactor.temp);
  }
}

async function main(): Promise<void> {
  const prepared = attempt(prepare);
  const worker = prepared.value?.start([]);
  // During the start of the worker: `http` takes time to load.
  const { connectRuntimeApi } = await import('./runtime-api.ts');
  const api = connectRuntimeApi(ENDPOINT);
  if (prepared.value === undefined || worker === undefined) {
    await api.failInit('Reactor.Broken', String(prepared.error));
    die();
  }
  const { codeHash } = await import('../../src/core/reactors/code-hash.ts');
  const { code, packages } = prepared.value;
  const codeSha256 = codeHash(code, { image: IMAGE, ...(packages !== undefined && { packages }) });
  await serve(api, { ...prepared.value, codeSha256 }, worker);
}

// Without Lambda, or with a temp folder that cannot be emptied, this process cannot continue;
// Lambda starts a new one.
main().catch(die);
