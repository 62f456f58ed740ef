import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../median.ts';

/** What is loaded, and with which environment. */
export interface Loaded {
  readonly name: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** From the start of the process to the exported handler, Node's own start included. */
export interface ColdStart {
  readonly milliseconds: number;
  /** Processor time of all threads. */
  readonly processorMilliseconds: number;
}

/**
 * Loads a bundle as the Lambda runtime does, and tells when it was there; ends at once, since
 * connections of the clients would keep it. JavaScript, or Node would load its TypeScript parser
 * first.
 */
const LOADER = `
const { writeSync } = require('node:fs');
const { handler } = require(process.argv[2]);
const now = performance.timeOrigin + performance.now();
const { user, system } = process.cpuUsage();
if (handler === undefined) throw new Error('no handler');
writeSync(1, JSON.stringify({ now, processor: (user + system) / 1000 }));
if (process.env.NODE_COMPILE_CACHE !== undefined) require('node:module').flushCompileCache();
// What the handler has begun is not waited for: its start is all that is measured.
process.exit(0);
`;

/** The least that can be loaded. */
const EMPTY = 'exports.handler = () => {};';
/** The name of what it costs to start Node and load that. */
export const NODE_ALONE = 'Node alone';

const TASKSET = '/usr/bin/taskset';

/**
 * One processor for all, as a function below 1,769 MB has no more than one; without it where the
 * machine cannot do so.
 */
function pinned(): readonly string[] {
  if (!existsSync(TASKSET)) return [];
  const allowed = execFileSync(TASKSET, ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
  const last = /(\d+)\s*$/.exec(allowed)?.[1];
  return last === undefined ? [] : [TASKSET, '-c', last];
}

function start(loader: string, command: readonly string[], { file, env }: Loaded): ColdStart {
  const [program, ...args] = [...command, process.execPath, loader, file] as const;
  const begun = performance.timeOrigin + performance.now();
  const { stdout, stderr, status } = spawnSync(program, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} does not load: ${stderr}`);
  const { now, processor } = JSON.parse(stdout) as { now: number; processor: number };
  return { milliseconds: now - begun, processorMilliseconds: processor };
}

/**
 * Medians by name. Each round starts all of them, beginning with another one each time, so that
 * whatever else the machine does meets all.
 */
export function measureColdStarts(
  bundles: readonly Loaded[],
  rounds: number,
): ReadonlyMap<string, ColdStart> {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-cold-start-'));
  const loader = join(folder, 'loader.cjs');
  writeFileSync(loader, LOADER);
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, EMPTY);
  const loaded = [{ name: NODE_ALONE, file: empty, env: bundles[0]?.env ?? {} }, ...bundles];
  const command = pinned();
  const found = new Map<string, ColdStart[]>(loaded.map(({ name }) => [name, []]));
  try {
    for (let round = -1; round < rounds; round += 1) {
      const at = Math.max(0, round) % loaded.length;
      for (const each of [...loaded.slice(at), ...loaded.slice(0, at)]) {
        const started = start(loader, command, each);
        // The first round brings the files into memory, and what was compiled into a cache where
        // one is asked for.
        if (round >= 0) found.get(each.name)?.push(started);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return new Map(
    [...found].map(([name, starts]) => [
      name,
      {
        milliseconds: median(starts.map(({ milliseconds }) => milliseconds)),
        processorMilliseconds: median(starts.map(({ processorMilliseconds }) => processorMilliseconds)),
      },
    ]),
  );
}
