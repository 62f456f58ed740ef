// `npm run bench -- start [--runs N]`: `npm start` until its ready line, with and without changes
// since the last synthesis, and the memory then. The reference is a start of npm and Node only.
// `--fresh` measures the first start of a fresh clone of HEAD instead, with and without the
// preparation by `npm ci`.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../test/support/run-service.ts';
import { median } from './median.ts';
import { aligned } from './section.ts';
import { endMisused, readArguments } from '../read-arguments.ts';

const USAGE = 'npm run bench -- start [--runs N] [--fresh]';

const { values } = readArguments(USAGE, {
  options: { runs: { type: 'string', default: '5' }, fresh: { type: 'boolean', default: false } },
});
const runs = Number(values.runs);
if (!(runs > 0)) endMisused(USAGE, '--runs must be more than 0');

const ROOT = join(import.meta.dirname, '../..');

/** A service is busy with its start at first. */
const IDLE_MS = 5_000;

interface Start {
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** Resident memory of the process that owns a credentials file (its lock names it), in MB. */
function memoryOf(credentialsFile: string): number {
  const [pid = ''] = readFileSync(`${credentialsFile}.lock`, 'utf8').split('-');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1_024) / 1_000_000;
}

async function measure(settings: readonly string[], { cwd = '.' } = {}): Promise<Start> {
  const folder = temporaryFolder();
  const credentialsFile = `${folder}/credentials.json`;
  const started = performance.now();
  const args = ['start', '--', '--port', '0', '--credentials', credentialsFile, ...settings];
  const child = spawn('npm', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  for await (const chunk of child.stdout as AsyncIterable<Buffer>)
    if (chunk.toString('utf8').includes('Ready.')) break;
  const milliseconds = performance.now() - started;
  await sleep(IDLE_MS);
  const memory = memoryOf(credentialsFile);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // npm and its descendants are one process group.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
  rmSync(folder, { recursive: true });
  return { milliseconds, megabytes: memory };
}

const timeOf = (run: () => void): number => {
  const started = performance.now();
  run();
  return performance.now() - started;
};

const seconds = (...all: readonly number[]) => `${(median(all) / 1_000).toFixed(2)} s`;
const megabytes = (...all: readonly Start[]) => `${median(all.map((each) => each.megabytes)).toFixed(0)} MB`;
const time = (...all: readonly Start[]) => seconds(...all.map((each) => each.milliseconds));

/** Measures the first and the second start of a clone after `npm ci` with these options. */
async function measureFresh(...options: readonly string[]): Promise<readonly string[][]> {
  const clone = join(temporaryFolder(), 'clone');
  execFileSync('git', ['clone', '--quiet', ROOT, clone]);
  const { CI: _, ...env } = process.env;
  const installation = timeOf(() => {
    execFileSync('npm', ['ci', '--silent', ...options], { cwd: clone, env, stdio: 'ignore' });
  });
  const first = await measure([], { cwd: clone });
  const second = await measure([], { cwd: clone });
  rmSync(dirname(clone), { recursive: true });
  return [
    [['npm ci', ...options].join(' '), seconds(installation), ''],
    ['the first npm start', time(first), megabytes(first)],
    ['the second', time(second), megabytes(second)],
  ];
}

/** A rate that no start has used changes the settings, and so the templates. */
const fresh = () => ['--set', `throttleRate=${String(1_000 + Math.floor(Math.random() * 90_000))}`];

async function measureStarts(): Promise<readonly string[][]> {
  const changed: Start[] = [];
  const unchanged: Start[] = [];
  const npm: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const settings = fresh();
    npm.push(timeOf(() => execFileSync('npm', ['exec', '--call', 'node -e 0'])));
    changed.push(await measure(settings));
    unchanged.push(await measure(settings));
  }
  return [
    ['npm start until it is ready', `median of ${String(runs)}`, 'memory, idle'],
    ['something has changed', time(...changed), megabytes(...changed)],
    ['nothing has changed', time(...unchanged), megabytes(...unchanged)],
    ['npm and Node alone', seconds(...npm), ''],
  ];
}

console.log(
  aligned(
    values.fresh
      ? [...(await measureFresh()), ...(await measureFresh('--ignore-scripts'))]
      : await measureStarts(),
  ),
);
