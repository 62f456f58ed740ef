// `npm run bench -- reactor-runtime`: the overhead of a guarded process per invocation over a loop
// that only calls the function, and over an empty process and thread, on the Node of each image,
// interleaved; then node24 beside node16.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { IMAGES, REACTOR_MEMORY_MB, type Image } from '../../src/core/reactors/layer.ts';
import { layerFolder } from '../../test/support/layer-folder.ts';
import { startReactor, type ReactorOptions, type ReactorProcess } from '../../test/support/runtime-api.ts';
import { effort } from './effort.ts';
import { largestBundle, timesOfReading, USES_LARGE } from './large-bundle.ts';
import { median } from './median.ts';
import { report, type Budget, type Figures } from './section.ts';

const WARM_ROUNDS = effort(80, 1);
/** Their times are not counted: the processes are still warming up. */
const WARM_UP_ROUNDS = effort(10, 0);
const COLD_ROUNDS = effort(25, 1);
/** Longer than two processes take to start: a reactor with pauses between invocations. */
const PAUSE_MS = 150;
const START_ROUNDS = effort(25, 1);
/** Invocations in a row after the first two, whose processes were started in the pause. */
const ROW = 3;
/**
 * Limits invocations that follow each other without a pause, compared with the start of an empty
 * process.
 */
const START_BUDGET = 1.3;
/** Limits a cold start on node24, beside one on node16. */
const COLD_BUDGET = 1.1;

/** No client of the Runtime API can do less. */
const BARE_LOOP = `
'use strict';
const http = require('http');
const [endpoint, taskRoot] = process.argv.slice(2);
const [host, port] = endpoint.split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const run = require(taskRoot + '/reactor.js');
const call = (method, path, body) => new Promise((resolve, reject) => {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const request = http.request({ agent, host, port, method, path: '/2018-06-01/runtime' + path, headers }, (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() }));
  });
  request.on('error', reject);
  request.end(body);
});
(async () => {
  for (;;) {
    const { headers, body } = await call('GET', '/invocation/next');
    const { request } = JSON.parse(body);
    const value = await run({ args: request.args, configuration: request.configuration, bt: null });
    await call('POST', '/invocation/' + headers['lambda-runtime-aws-request-id'] + '/response', JSON.stringify({ outcome: 'returned', value }));
  }
// The endpoint has gone: so must the loop, as Lambda's runtimes do.
})().catch(() => process.exit(1));
`;

/** A typical reactor: checks its arguments, builds a request, returns. */
const CODE = `module.exports = async (req) => {
  const { number, expiration_month, expiration_year } = req.args.card;
  if (!/^[0-9]{12,19}$/.test(number)) throw new Error('number');
  return { raw: { last4: number.slice(-4), expires: expiration_month + '/' + expiration_year, for: req.configuration.MERCHANT } };
};
`;

const ARGS = {
  card: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
};

const work = mkdtempSync(join(tmpdir(), 'cloakroom-bench-'));
writeFileSync(join(work, 'loop.js'), BARE_LOOP);

/** Starts the runtime of an image, and the bare loop on the same Node. */
interface Measured {
  readonly node: string;
  readonly startRuntime: (options?: ReactorOptions) => Promise<ReactorProcess>;
  readonly startBare: () => Promise<ReactorProcess>;
}

function measuredOf(image: Image): Measured {
  const folder = layerFolder(image);
  const node = join(folder, 'bin/node');
  const bare = join(work, `bootstrap-${image}`);
  writeFileSync(
    bare,
    `#!/bin/sh\nexec env -i "${node}" "${work}/loop.js" "$AWS_LAMBDA_RUNTIME_API" "$LAMBDA_TASK_ROOT"\n`,
  );
  chmodSync(bare, 0o755);
  return {
    node,
    startRuntime: (options) => startReactor(folder, CODE, { image, ...options }),
    startBare: () => startReactor(folder, CODE, { image, command: [bare] }),
  };
}

async function millisecondsOf(reactor: ReactorProcess): Promise<number> {
  const started = performance.now();
  const result = await reactor.invoke(ARGS);
  const took = performance.now() - started;
  const { outcome } = (result.response ?? {}) as { readonly outcome?: string };
  if (outcome !== 'returned') throw new Error(`the reactor answered ${JSON.stringify(result)}`);
  return took;
}

const row = (name: string, measured: number, reference: number) => [
  name,
  `${measured.toFixed(1)} ms`,
  `${reference.toFixed(1)} ms`,
  (measured / reference).toFixed(2),
];

async function warm({ startRuntime, startBare }: Measured): Promise<string[][]> {
  const reactors = { runtime: await startRuntime(), bare: await startBare() };
  const times = { runtime: [] as number[], bare: [] as number[] };
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    for (const name of ['runtime', 'bare'] as const) {
      await sleep(PAUSE_MS);
      const took = await millisecondsOf(reactors[name]);
      if (round >= WARM_UP_ROUNDS) times[name].push(took);
    }
  }
  for (const reactor of Object.values(reactors)) await reactor.close();
  return [row('warm invocation, beside a bare loop', median(times.runtime), median(times.bare))];
}

/**
 * Milliseconds until an empty thread, an empty process, and one with a heap limit, of the layer's
 * Node reports: lines of `thread process limited`.
 */
const EMPTY_STARTS = `
'use strict';
const { spawn } = require('child_process');
const { Worker } = require('worker_threads');
const since = (started) => Number(process.hrtime.bigint() - started) / 1e6;
const thread = () => new Promise((resolve) => {
  const started = process.hrtime.bigint();
  const worker = new Worker("require('worker_threads').parentPort.postMessage('')", { eval: true, env: {}, stdout: true, stderr: true });
  worker.once('message', () => { const took = since(started); worker.terminate().then(() => resolve(took)); });
});
const empty = (...flags) => new Promise((resolve) => {
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, [...flags, '-e', "require('fs').writeSync(1, 'x')"], { env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => { const took = since(started); child.once('close', () => resolve(took)); });
});
process.stdin.on('data', async () => 
  console.log([await thread(), await empty(), await empty('--max-old-space-size=272')].join(' ')));
`;

/** Starts of Node from a long-lived process like the loop's. */
async function emptyStarts(
  node: string,
): Promise<{ next(): Promise<readonly [number, number, number]>; close(): void }> {
  const child = spawn(node, ['-e', EMPTY_STARTS], {
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child, 'spawn');
  return {
    next: async () => {
      child.stdin.write('.');
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const [thread = 0, empty = 0, limited = 0] = String(line).split(' ').map(Number);
      return [thread, empty, limited];
    },
    close: () => child.kill(),
  };
}

/**
 * Measures from one response to the next. The process for the second of two was started before the
 * first. From the third in a row on, each response waits for a start
 * (docs/decisions/0013#start-the-next-process-of-a-reactor-in-advance).
 */
async function starts(
  image: Image,
  { node, startRuntime }: Measured,
): Promise<{ readonly rows: string[][]; readonly budgets: readonly Budget[] }> {
  const reactor = await startRuntime();
  const empties = await emptyStarts(node);
  const times = {
    second: [] as number[],
    inARow: [] as number[],
    thread: [] as number[],
    empty: [] as number[],
    limited: [] as number[],
  };
  for (let round = 0; round < START_ROUNDS; round += 1) {
    await sleep(PAUSE_MS);
    await millisecondsOf(reactor);
    times.second.push(await millisecondsOf(reactor));
    for (let at = 0; at < ROW; at += 1) times.inARow.push(await millisecondsOf(reactor));
    // The next start of the reactor must not slow down the reference.
    await sleep(PAUSE_MS);
    const [thread, empty, limited] = await empties.next();
    times.thread.push(thread);
    times.empty.push(empty);
    times.limited.push(limited);
  }
  await reactor.close();
  empties.close();
  const second = median(times.second);
  const inARow = median(times.inARow);
  const thread = median(times.thread);
  const empty = median(times.empty);
  const limited = median(times.limited);
  const ratio = second / empty;
  return {
    rows: [
      row('without a pause before it, beside the start of an empty process', second, empty),
      row("the same beside an empty thread's", second, thread),
      row('the third and later in a row, beside the start of an empty process', inARow, empty),
      row('an empty process with a limit of its heap, beside one without', limited, empty),
    ],
    budgets: [
      {
        budget: `an invocation on ${image} without a pause before it, its process included`,
        limit: `${String(START_BUDGET)} empty processes`,
        measured: ratio.toFixed(2),
        reference: `${empty.toFixed(1)} ms`,
        isMet: ratio <= START_BUDGET,
      },
    ],
  };
}

async function coldStartOf(start: () => Promise<ReactorProcess>): Promise<number> {
  const reactor = await start();
  await reactor.invoke(ARGS);
  const took = reactor.coldStartMs();
  await reactor.close();
  return took;
}

function startOf(node: string): number {
  const started = performance.now();
  execFileSync(node, ['-e', '0'], { env: {} });
  return performance.now() - started;
}

async function cold({ node: file, startRuntime, startBare }: Measured): Promise<string[][]> {
  const times = { runtime: [] as number[], bare: [] as number[], node: [] as number[] };
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    times.runtime.push(await coldStartOf(startRuntime));
    times.bare.push(await coldStartOf(startBare));
    times.node.push(startOf(file));
  }
  const runtime = median(times.runtime);
  const loop = median(times.bare);
  const node = median(times.node);
  return [
    row('cold start to the first next, beside a bare loop', runtime, loop),
    row('the same beside `node -e 0`', runtime, node),
  ];
}

async function onImage(image: Image) {
  const measured = measuredOf(image);
  const { rows: startRows, budgets } = await starts(image, measured);
  const rows = [...(await warm(measured)), ...startRows, ...(await cold(measured))];
  const figure = {
    title: `A reactor's runtime on ${image}`,
    columns: ['', 'runtime', 'reference', 'ratio'],
    rows,
  };
  return { figure, budgets };
}

/** Returns the private memory of the loop and its processes, in MB. */
function privateMegabytes(reactor: ReactorProcess): number {
  const loop = String(reactor.pid());
  const children = readFileSync(`/proc/${loop}/task/${loop}/children`, 'latin1').trim().split(' ');
  return [loop, ...children]
    .map((pid) => readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number))
    .reduce((sum, [, resident = 0, shared = 0]) => sum + ((resident - shared) * 4096) / 1e6, 0);
}

async function beside(): Promise<{ readonly figure: Figures; readonly budgets: readonly Budget[] }> {
  const node16 = measuredOf('node16');
  const node24 = measuredOf('node24');
  const times = { node16: [] as number[], node24: [] as number[] };
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    times.node16.push(await coldStartOf(node16.startRuntime));
    times.node24.push(await coldStartOf(node24.startRuntime));
  }
  const memory = [];
  for (const { startRuntime } of [node24, node16]) {
    const reactor = await startRuntime();
    await millisecondsOf(reactor);
    // The next process and the spare one have started by then.
    await sleep(PAUSE_MS * 4);
    memory.push(privateMegabytes(reactor));
    await reactor.close();
  }
  const [of24 = 0, of16 = 0] = memory;
  const cold24 = median(times.node24);
  const cold16 = median(times.node16);
  const rows = [
    row('cold start to the first next', cold24, cold16),
    [
      'private memory of loop and processes',
      `${of24.toFixed(1)} MB`,
      `${of16.toFixed(1)} MB`,
      (of24 / of16).toFixed(2),
    ],
  ];
  return {
    figure: { title: 'The images side by side', columns: ['', 'node24', 'node16', 'ratio'], rows },
    budgets: [
      {
        budget: 'a cold start on node24',
        limit: `${String(COLD_BUDGET)} of one on node16`,
        measured: (cold24 / cold16).toFixed(2),
        reference: `${cold16.toFixed(1)} ms`,
        isMet: cold24 / cold16 <= COLD_BUDGET,
      },
    ],
  };
}

/** The share of a processor that Lambda gives a function of reactors: 1,769 MB have a whole one. */
const LAMBDA_SHARE = REACTOR_MEMORY_MB / 1_769;
/** Code may load for so long there, in ms (reactor-runtime/loop/loop.ts). */
const LOAD_MS = 4_000;

/** Measures cold starts of code that requires the largest bundle, beside code without packages. */
async function withPackages(): Promise<{
  readonly figure: Figures;
  readonly budgets: readonly Budget[];
}> {
  const { base64, bundle } = await largestBundle();
  const rows: string[][] = [];
  const budgets: Budget[] = [];
  for (const image of IMAGES) {
    const folder = layerFolder(image);
    const times = { with: [] as number[], without: [] as number[] };
    for (let round = 0; round < COLD_ROUNDS; round += 1) {
      times.with.push(await coldStartOf(() => startReactor(folder, USES_LARGE, { image, packages: bundle })));
      times.without.push(await coldStartOf(() => startReactor(folder, CODE, { image })));
    }
    const large = median(times.with);
    const none = median(times.without);
    rows.push(row(`cold start on ${image} with a bundle of 4 MB, beside none`, large, none));
    const onLambda = (large - none) / LAMBDA_SHARE;
    budgets.push({
      budget: `a bundle of 4 MB loads on ${image}, at Lambda's share of a processor`,
      limit: `${String(LOAD_MS)} ms`,
      measured: `${onLambda.toFixed(0)} ms`,
      reference: `${none.toFixed(1)} ms without`,
      isMet: onLambda <= LOAD_MS,
    });
  }
  const { reading, packing, parsing } = await timesOfReading(base64, bundle);
  rows.push(
    row('reading and checking a bundle of 4 MB, beside JSON.parse of its text', reading, parsing),
    row('packing it for Lambda, beside the same', packing, parsing),
  );
  const figure = { title: 'Packages of a reactor', columns: ['', 'bundle', 'reference', 'ratio'], rows };
  return { figure, budgets };
}

try {
  const parts = [];
  for (const image of IMAGES) parts.push(await onImage(image));
  parts.push(await beside(), await withPackages());
  report({
    budgets: parts.flatMap(({ budgets }) => budgets),
    figures: parts.map(({ figure }) => figure),
  });
} finally {
  rmSync(work, { recursive: true, force: true });
}
