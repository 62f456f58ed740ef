// `npm run bench -- start [--runs N]`: `npm start` until its ready line, with and without changes
// since the last synthesis, and the memory then. The reference is a start of npm and Node only.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../test/support/run-service.ts';
import { median } from './median.ts';
import { aligned } from './section.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);
if (!(runs > 0)) throw new Error('start: --runs must be more than 0');

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

async function measure(settings: readonly string[], measuresMemory: boolean): Promise<Start> {
  const folder = temporaryFolder();
  const credentialsFile = `${folder}/credentials.json`;
  const started = performance.now();
  const args = ['start', '--', '--port', '0', '--credentials', credentialsFile, ...settings];
  const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  for await (const chunk of child.stdout as AsyncIterable<Buffer>)
    if (chunk.toString('utf8').includes('Ready.')) break;
  const milliseconds = performance.now() - started;
  if (measuresMemory) await sleep(IDLE_MS);
  const megabytes = memoryOf(credentialsFile);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // npm and its descendants are one process group.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
  rmSync(folder, { recursive: true });
  return { milliseconds, megabytes };
}

function reference(): number {
  const started = performance.now();
  execFileSync('npm', ['exec', '--call', 'node -e 0']);
  return performance.now() - started;
}

// A rate that no start has used changes the settings, and so the templates.
const fresh = () => ['--set', `throttleRate=${String(1_000 + Math.floor(Math.random() * 90_000))}`];
const found = {
  changed: [] as number[],
  unchanged: [] as number[],
  npm: [] as number[],
  megabytes: [] as number[],
};
for (let run = 0; run < runs; run += 1) {
  const settings = fresh();
  found.npm.push(reference());
  found.changed.push((await measure(settings, false)).milliseconds);
  const { milliseconds, megabytes } = await measure(settings, true);
  found.unchanged.push(milliseconds);
  found.megabytes.push(megabytes);
}
const seconds = (all: readonly number[]) => `${(median(all) / 1_000).toFixed(2)} s`;
console.log(
  aligned([
    ['npm start until it is ready', `median of ${String(runs)}`],
    ['something has changed', seconds(found.changed)],
    ['nothing has changed', seconds(found.unchanged)],
    ['npm and Node alone', seconds(found.npm)],
    ['memory, idle', `${median(found.megabytes).toFixed(0)} MB`],
  ]),
);
