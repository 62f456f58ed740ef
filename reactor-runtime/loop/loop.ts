// What `bootstrap` starts: asks Lambda for events and runs each in a fresh process. The author's
// code never runs in this one, and no two others that have it are alive together, so nothing of an
// invocation is left for the next. While a process with the code waits for its event, the one after
// it is started, without the code, and it is stopped while the event is answered.
import '../built-in-code.ts';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerSettings } from '../worker-settings.ts';
import { emptyFolder } from './empty-folder.ts';
import { memoryBounds } from './memory-bounds.ts';
import { notLoaded, outcome } from './outcome.ts';
import { readEvent, type ReactorEvent } from './reactor-event.ts';
import { workerStdio, startWorkerProcess, type ReactorWorker, type WorkerProcess } from './reactor-worker.ts';
import type { RuntimeApi } from './runtime-api.ts';

const [ENDPOINT = '', TASK_ROOT = '', MEMORY_MB = '', TEMP_FOLDER = ''] = process.argv.slice(2);

/** Lambda, or whoever plays it, ends what was started from here. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable: the process has ended');
}

/** A temp folder of this instance alone; everything in it is removed. */
function ownTempFolder(): string {
  const folder = realpathSync(TEMP_FOLDER);
  // On Lambda /tmp belongs to the instance. Elsewhere it is everybody's.
  if (folder === '/tmp' && TASK_ROOT !== '/var/task') throw new Error('TMPDIR must name a folder of its own');
  emptyFolder(folder);
  return folder;
}

/**
 * How long the kernel gets to end a process: most at once; one that has writes in the kernel not
 * before they are done.
 */
const [SOON_MS, LATE_MS] = [1_000, 30_000] as const;

interface Prepared {
  readonly code: Buffer;
  readonly temp: string;
  /** Gives the code to the spare process, or to one that is started for it. */
  start(localPorts: readonly number[]): ReactorWorker;
  /** Starts the spare process, if there is none. */
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
  const settings: Omit<WorkerSettings, 'localPorts'> = {
    code: code.toString(),
    taskRoot: realpathSync(TASK_ROOT),
    temp: ownTempFolder(),
  };
  const bounds = memoryBounds(Number(MEMORY_MB));
  const file = join(__dirname, 'worker.cjs');
  const stdio = workerStdio();
  let spare: WorkerProcess | undefined;
  // One that waited may have died: memory was short.
  const living = () => (spare?.alive() === true ? spare : undefined);
  const startProcess = () => startWorkerProcess(file, bounds, stdio, living);
  return {
    code,
    temp: settings.temp,
    start: (localPorts) => {
      const taken = living() ?? startProcess();
      spare = undefined;
      return taken.load({ ...settings, localPorts });
    },
    startSpare: () => (spare = living() ?? startProcess()),
    holdSpare: () => living()?.hold(),
  };
}

/** The worker that ran, or should run next, and the answer. */
interface Run {
  readonly worker: ReactorWorker;
  readonly answer: string;
}

async function run(reactor: Reactor, prepared: ReactorWorker, event: ReactorEvent): Promise<Run> {
  if (event.codeSha256 !== reactor.codeSha256) return { worker: prepared, answer: outcome('stale') };
  let worker = prepared;
  if (String(worker.localPorts) !== String(event.localPorts)) {
    // On this machine alone, and once: the next one is started with what this event admits.
    if (!(await worker.end(SOON_MS))) die();
    emptyFolder(reactor.temp);
    worker = reactor.start(event.localPorts);
  }
  let loaded = await worker.loaded;
  if (loaded === 'loaded' && !worker.alive()) {
    // It loaded, and died while nobody asked anything of it: its own doing, but this invocation did
    // not see it.
    worker = reactor.start(event.localPorts);
    loaded = await worker.loaded;
  }
  if (loaded !== 'loaded') return { worker, answer: notLoaded(loaded) };
  reactor.holdSpare();
  return { worker, answer: await worker.run(event) };
}

async function serve(api: RuntimeApi, reactor: Reactor, first: ReactorWorker): Promise<never> {
  for (let worker = first; ; worker = reactor.start(worker.localPorts)) {
    await worker.loaded;
    // Not before the first event, which a cold start is to reach soon.
    if (worker !== first) reactor.startSpare();
    const { id, payload } = await api.next();
    const event = readEvent(payload);
    const done = event === undefined ? undefined : await run(reactor, worker, event);
    // Before the answer, since until then Lambda has no other event: when it has, nothing of this
    // one is running.
    worker = done?.worker ?? worker;
    const hasEnded = await worker.end(SOON_MS);
    if (done === undefined) await api.fail(id, 'Reactor.InvalidEvent', 'the payload is not a reactor event');
    else await api.respond(id, done.answer);
    if (!hasEnded && !(await worker.end(LATE_MS))) die();
    emptyFolder(reactor.temp);
  }
}

async function main(): Promise<void> {
  const prepared = attempt(prepare);
  const worker = prepared.value?.start([]);
  // While the worker starts: `http` takes a while to load.
  const { connectRuntimeApi } = await import('./runtime-api.ts');
  const api = connectRuntimeApi(ENDPOINT);
  if (prepared.value === undefined || worker === undefined) {
    await api.failInit('Reactor.Broken', String(prepared.error));
    die();
  }
  const { codeHash } = await import('./code-hash.ts');
  await serve(api, { ...prepared.value, codeSha256: codeHash(prepared.value.code) }, worker);
}

// Without Lambda, or with a temp folder that cannot be emptied, there is nothing to go on with; the
// next process starts afresh.
main().catch(die);
