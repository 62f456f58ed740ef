import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { IS_SMOKE } from '../effort.ts';
import { median } from '../median.ts';

/** The first event of an instance. What answers no HTTP request returns no status. */
export interface FirstEvent {
  readonly event: () => object | undefined;
  readonly status: number | undefined;
}

/** The bundle to load, and its environment. */
export interface Loaded {
  readonly name: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** Measures until the response to this, instead of until the handler is loaded. */
  readonly request?: FirstEvent;
}

/**
 * Measured from the start of the process to the exported handler. This includes Node's own start.
 */
export interface ColdStart {
  readonly milliseconds: number;
  /** Processor time of all threads. */
  readonly processorMilliseconds: number;
}

/** A cold start and the reference that it is compared with. */
export interface Compared {
  readonly start: ColdStart;
  readonly reference: ColdStart;
  readonly ratio: number;
}

export const compared = (start: ColdStart, reference: ColdStart): Compared => ({
  start,
  reference,
  ratio: start.milliseconds / reference.milliseconds,
});

/**
 * Loads a bundle like Lambda, and exits immediately, since open connections would keep the process
 * alive. JavaScript, or Node would load its TypeScript parser first.
 */
const LOADER = `
const { readFileSync, writeSync } = require('node:fs');
const [, , bundle, event] = process.argv;
const { handler } = require(bundle);
function done(answer) {
  const { statusCode } = answer ?? {};
  const now = performance.timeOrigin + performance.now();
  const { user, system } = process.cpuUsage();
  if (handler === undefined) throw new Error('no handler');
  // Not the standard output, which has the log of the handler.
  writeSync(3, JSON.stringify({ now, processor: (user + system) / 1000, statusCode }));
  if (process.env.NODE_COMPILE_CACHE !== undefined) require('node:module').flushCompileCache();
  // Nothing waits for the work that the handler has begun.
  process.exit(0);
}
if (event === undefined) done();
else handler(JSON.parse(readFileSync(event, 'utf8')), { getRemainingTimeInMillis: () => 60_000 }).then(done);
`;

const LOADER_FILE = 'loader.cjs';

/** The loader prints this. */
interface Found {
  readonly now: number;
  readonly processor: number;
  readonly statusCode: number;
}

const TASKSET = '/usr/bin/taskset';

/**
 * All threads share one processor, because a function below 1,769 MB has no more. A machine that
 * cannot restrict this uses all processors.
 */
function pinned(): readonly string[] {
  if (!existsSync(TASKSET)) return [];
  const allowed = execFileSync(TASKSET, ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
  const last = /(\d+)\s*$/.exec(allowed)?.[1];
  return last === undefined ? [] : [TASKSET, '-c', last];
}

async function start(
  folder: string,
  prefix: readonly string[],
  { file, env, request }: Loaded,
): Promise<ColdStart> {
  const event = join(folder, 'event.json');
  if (request !== undefined) writeFileSync(event, JSON.stringify(request.event()));
  const node = [process.execPath, join(folder, LOADER_FILE), file, ...(request === undefined ? [] : [event])];
  const [program = '', ...args] = [...prefix, ...node];
  const begun = performance.timeOrigin + performance.now();
  // Asynchronous: the destination of a proxied request may be in this process.
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const [found] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'close')]);
  const { now, processor, statusCode } = JSON.parse(found === '' ? '{}' : found) as Partial<Found>;
  if (now === undefined || processor === undefined) throw new Error(`${file} does not load`);
  if (statusCode !== request?.status) throw new Error(`${file} answered ${String(statusCode)}`);
  return { milliseconds: now - begun, processorMilliseconds: processor };
}

/** Starts it once, and waits for its response. */
export async function startOnce(loaded: Loaded): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-cold-start-'));
  writeFileSync(join(folder, LOADER_FILE), LOADER);
  await start(folder, [], loaded);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Medians by name. Each round starts all of them, in rotating order, so that other load on the
 * machine affects all.
 */
export async function measureColdStarts(
  loaded: readonly Loaded[],
  rounds: number,
): Promise<(name: string) => ColdStart> {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-cold-start-'));
  writeFileSync(join(folder, LOADER_FILE), LOADER);
  const command = pinned();
  const found = new Map<string, ColdStart[]>(loaded.map(({ name }) => [name, []]));
  try {
    for (let round = IS_SMOKE ? 0 : -1; round < rounds; round += 1) {
      const at = Math.max(0, round) % loaded.length;
      for (const each of [...loaded.slice(at), ...loaded.slice(0, at)]) {
        const started = await start(folder, command, each);
        // The first round reads the files into memory, and fills the compile cache if there is one.
        if (round >= 0) found.get(each.name)?.push(started);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return (name) => {
    const starts = found.get(name) ?? [];
    return {
      milliseconds: median(starts.map(({ milliseconds }) => milliseconds)),
      processorMilliseconds: median(starts.map(({ processorMilliseconds }) => processorMilliseconds)),
    };
  };
}
