// `npm run bench -- transfer [--rows N] [--kills N] [--parallel N] [--full-disk]`: imports a file
// with the real program into its own service, as `npm start` runs it, kills it without warning in
// the middle, fills its disk once, goes on until the file is done, exports everything, and accounts
// for every row. It prints rows a second, the largest memory of the program, and what was lost or
// double. It measures this machine; docs/performance has the units of AWS.
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { strictClient } from '../../test/support/http-client.ts';
import { runService, temporaryFolder } from '../../test/support/run-service.ts';
import { tokenIdOf } from '../../packages/sdk/src/index.ts';
import { sampleCard } from '../import-samples/cards.ts';
import { csvLines, STRIPE_COLUMNS, stripeRow } from '../import-samples/files.ts';
import { endMisused, readArguments } from '../read-arguments.ts';

const USAGE = 'npm run bench -- transfer [--rows N] [--kills N] [--parallel N] [--full-disk]';

const { values } = readArguments(USAGE, {
  options: {
    rows: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '5' },
    parallel: { type: 'string', default: '4' },
    'full-disk': { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const kills = Number(values.kills);
if (!(rows > 0) || !(kills >= 0)) endMisused(USAGE, '--rows must be more than 0, and --kills 0 or more');

const PROGRAM = resolve('packages/cli/bin/cloakroom.cjs');
const SAMPLE_MS = 100;
/** A run is killed after so many ms, which grow, so that each one does more. */
const KILL_AFTER_MS = [1500, 2500, 4000, 6000, 9000];
/** A file may have so many blocks of 512 bytes where the disk is full. */
const FULL_BLOCKS = 400;

const folder = temporaryFolder();
const file = join(folder, 'stripe.csv');

function* lines(): Generator<string> {
  const cards = function* () {
    for (let index = 0; index < rows; index += 1) yield stripeRow(sampleCard(index));
  };
  yield* csvLines(STRIPE_COLUMNS, cards());
}

/** Reads the largest resident memory that a process had, in MB. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? '0') / 1_000;
  } catch {
    return 0;
  }
}

interface Ended {
  readonly code: number | null;
  readonly seconds: number;
  readonly peakMegabytes: number;
  readonly errors: string;
}

interface RunOptions {
  readonly killAfterMs?: number;
  readonly isDiskFull?: boolean;
  readonly onOutput?: (line: string) => void;
}

/** Runs the program to its end, or kills it. */
async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const startedAt = performance.now();
  const limit = options.isDiskFull === true ? `ulimit -f ${String(FULL_BLOCKS)} && ` : '';
  const child = spawn('bash', ['-c', `${limit}exec "$@"`, 'bash', process.execPath, PROGRAM, ...args], {
    env: { ...process.env, CLOAKROOM_URL: baseUrl, CLOAKROOM_API_KEY: key, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => options.onOutput?.(line));
  const closed = new Promise<number | null>((done) => child.on('close', done));
  let peakMegabytes = 0;
  const kill = options.killAfterMs;
  while (child.exitCode === null && child.signalCode === null) {
    await Promise.race([closed, sleep(SAMPLE_MS)]);
    peakMegabytes = Math.max(peakMegabytes, peakOf(child.pid));
    if (kill !== undefined && performance.now() - startedAt > kill) child.kill('SIGKILL');
  }
  return { code: await closed, seconds: (performance.now() - startedAt) / 1000, peakMegabytes, errors };
}

console.log(`writing ${rows.toLocaleString('en-US')} rows, and starting a service ...`);
await pipeline(Readable.from(lines()), createWriteStream(file));
const service = await runService(
  [
    ...['throttleRate=100000', 'throttleBurst=100000'].flatMap((setting) => ['--set', setting]),
    ...['--data', join(folder, 'data')],
  ],
  {},
  { contract: '' },
);
const { base_url: baseUrl, management_key: managementKey } = service.credentials;
const { key } = await strictClient(baseUrl, managementKey)<{ readonly key: string }>(
  'POST',
  '/applications',
  {
    name: 'transfer',
    type: 'private',
    rules: [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] },
    ],
  },
);

const report = join(folder, 'report.json');
const importing = ['import', file, '--from', 'stripe', '--parallel', values.parallel, '--report', report];
for (let at = 0; at < kills; at += 1) {
  const { code } = await run(importing, { killAfterMs: KILL_AFTER_MS[at % KILL_AFTER_MS.length] ?? 0 });
  console.log(`run ${String(at + 1)}: ${code === null ? 'killed' : `ended with ${String(code)}`}`);
}
if (values['full-disk']) {
  const { code, errors } = await run(importing, { isDiskFull: true });
  console.log(`full disk: ended with ${String(code)}: ${errors.trim().split('\n').at(-1) ?? ''}`);
}
const last = await run(importing);
if (last.code !== 0) throw new Error(`the import failed:\n${last.errors}`);
const counts = JSON.parse(readFileSync(report, 'utf8')) as Readonly<Record<string, number>>;

const found = new Set<string>();
let double = 0;
const exported = await run(
  ['export', '--to', 'cloakroom', '--manifest', join(folder, 'manifest.json'), '--yes'],
  {
    onOutput: (line) => {
      const { id } = JSON.parse(line) as { readonly id: string };
      if (found.has(id)) double += 1;
      found.add(id);
    },
  },
);
if (exported.code !== 0) throw new Error(`the export failed:\n${exported.errors}`);
let lost = 0;
for (let index = 0; index < rows; index += 1)
  if (!found.delete(await tokenIdOf('stripe', sampleCard(index).id))) lost += 1;

const rate = (count: number, seconds: number) => `${String(Math.round(count / seconds))} rows/s`;
console.log(`
the last import   ${rate(rows, last.seconds)} of the file, ${last.peakMegabytes.toFixed(0)} MB
                  ${JSON.stringify(counts, (_name, value: unknown) => (Array.isArray(value) ? undefined : value))}
the export        ${rate(rows, exported.seconds)}, ${exported.peakMegabytes.toFixed(0)} MB
lost, double, of no row: ${String(lost)}, ${String(double)}, ${String(found.size)}`);
await service.stop();
rmSync(folder, { recursive: true });
process.exitCode = lost + double + found.size > 0 ? 1 : 0;
