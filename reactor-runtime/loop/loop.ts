// What `bootstrap` starts: asks Lambda for events and runs each in a fresh thread. The author's code never runs in this thread, and no two of its threads
// are alive together, so nothing of an invocation is left for the next.
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerSettings } from '../worker-settings.ts';
import { emptyFolder } from './empty-folder.ts';
import { memoryBounds } from './memory-bounds.ts';
import { notLoaded, outcome } from './outcome.ts';
import { readEvent, type ReactorEvent } from './reactor-event.ts';
import { startReactorWorker, type ReactorWorker } from './reactor-worker.ts';
import type { RuntimeApi } from './runtime-api.ts';

const [endpoint = '', taskRoot = '', memoryMb = '', tempFolder = ''] = process.argv.slice(2);

/** The one way out that does not wait for threads: a thread in native code would keep the process for as long as it likes. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable: the process has ended');
}

/** A temp folder of this instance alone; everything in it is removed. */
function ownTempFolder(): string {
  const folder = realpathSync(tempFolder);
  // On Lambda /tmp belongs to the instance. Elsewhere it is everybody's.
  if (folder === '/tmp' && taskRoot !== '/var/task') throw new Error('TMPDIR must name a folder of its own');
  emptyFolder(folder);
  return folder;
}

interface Prepared {
  readonly code: Buffer;
  readonly temp: string;
  readonly leftoverBytes: number;
  start(): ReactorWorker;
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
  const code = readFileSync(join(taskRoot, 'reactor.js'));
  const settings: WorkerSettings = {
    code: code.toString(),
    taskRoot: realpathSync(taskRoot),
    layer: realpathSync(join(__dirname, '..')),
    temp: ownTempFolder(),
  };
  const bounds = memoryBounds(Number(memoryMb));
  const file = join(__dirname, 'worker.cjs');
  return {
    code,
    temp: settings.temp,
    leftoverBytes: bounds.leftoverBytes,
    start: () => startReactorWorker(file, settings, bounds),
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
  let loaded = await worker.loaded;
  if (loaded === 'loaded' && !worker.alive()) {
    // It loaded, and died while nobody asked anything of it: its own doing, but this invocation did not see it.
    worker = reactor.start();
    loaded = await worker.loaded;
  }
  if (loaded !== 'loaded') return { worker, answer: notLoaded(loaded) };
  return { worker, answer: await worker.run(event) };
}

async function serve(api: RuntimeApi, reactor: Reactor, first: ReactorWorker): Promise<never> {
  for (let worker = first; ; worker = reactor.start()) {
    await worker.loaded;
    const { id, payload } = await api.next();
    const event = readEvent(payload);
    if (event === undefined) {
      await api.fail(id, 'Reactor.InvalidEvent', 'the payload is not a reactor event');
    } else {
      const done = await run(reactor, worker, event);
      worker = done.worker;
      await api.respond(id, done.answer);
    }
    if (!(await worker.end()) || process.memoryUsage.rss() > reactor.leftoverBytes) die();
    emptyFolder(reactor.temp);
  }
}

async function main(): Promise<void> {
  const prepared = attempt(prepare);
  const worker = prepared.value?.start();
  // While the thread starts: `http` and `crypto` take a while to load.
  const { connectRuntimeApi } = await import('./runtime-api.ts');
  const api = connectRuntimeApi(endpoint);
  if (prepared.value === undefined || worker === undefined) {
    await api.failInit('Reactor.Broken', String(prepared.error));
    die();
  }
  const { codeHash } = await import('./code-hash.ts');
  await serve(api, { ...prepared.value, codeSha256: codeHash(prepared.value.code) }, worker);
}

// Without Lambda, or with a temp folder that cannot be emptied, there is nothing to go on with; the next process starts afresh.
main().catch(die);
