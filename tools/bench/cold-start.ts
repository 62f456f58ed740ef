// `npm run bench -- cold-start`: process start to the first response, next to the handler by hand,
// and to the handler, next to a bundle of only the SDK clients. Lambda adds the time to fetch code
// and to start an instance.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUDGETS } from './budgets.ts';
import {
  bundleOf,
  emptyBundle,
  FUNCTIONS,
  referenceBundle,
  type BundleFile,
  type FunctionName,
} from './cold-start/bundles.ts';
import { effort } from './effort.ts';
import { FIRST_REQUEST_ROUNDS, measureFirstRequests } from './cold-start/first-requests.ts';
import { compared, measureColdStarts, type ColdStart, type Loaded } from './cold-start/measure-cold-start.ts';
import { environmentOf } from './local-functions.ts';
import { ratioBudget } from './near-limit.ts';
import { report } from './section.ts';

const ROUNDS = effort(25, 1);
const MEASURED = effort<readonly FunctionName[]>(FUNCTIONS, ['tokens']);

// The programs measured after it call nothing, and run on an idle machine.
const { firstRequests, environments } = await measureFirstRequests();

const idOf = (packages: readonly string[]) => packages.map((name) => name.replace('client-', '')).join(', ');
const bundles = new Map(MEASURED.map((name) => [name, bundleOf(name)] as const));
const asOurs = (name: string) => `${name}, cut like ours`;
const references = new Map(
  [...bundles.values()].flatMap(({ clients }) => [
    [idOf(clients), referenceBundle(clients, { asOurs: false })] as const,
    [asOurs(idOf(clients)), referenceBundle(clients, { asOurs: true })] as const,
  ]),
);

const NODE_ALONE = 'Node alone';
const anEnvironment = environmentOf(environments, 'tokens');
const own: readonly Loaded[] = [...bundles].map(([name, { file }]) => ({
  name,
  file,
  env: environmentOf(environments, name),
}));
const others: readonly Loaded[] = [...references].map(([name, { file }]) => ({
  name,
  file,
  env: anEnvironment,
}));
/** Has no budget: it only shows the share that compilation has. */
const compiledBefore = (name: string) => `${name}, compiled before`;
const compileCache = mkdtempSync(join(tmpdir(), 'cloakroom-compiled-'));
process.once('exit', () => rmSync(compileCache, { recursive: true, force: true }));
const startOf = await measureColdStarts(
  [
    { name: NODE_ALONE, file: emptyBundle(), env: anEnvironment },
    ...others,
    ...own,
    ...own.map(({ name, file, env }) => ({
      name: compiledBefore(name),
      file,
      env: { ...env, NODE_COMPILE_CACHE: compileCache },
    })),
  ],
  ROUNDS,
);

const found = MEASURED.map((name) => {
  const clients = idOf(bundles.get(name)?.clients ?? []);
  return { name, clients, run: compared(startOf(name), startOf(clients)) };
});

const bare = startOf(NODE_ALONE);
const kilobytes = (bytes = NaN) => `${(bytes / 1024).toFixed(0)} KB`;
const milliseconds = (value: number) => value.toFixed(0);
const figuresOf = (start: ColdStart) => [
  milliseconds(start.milliseconds),
  milliseconds(start.processorMilliseconds),
];
const sizeOf = (file: BundleFile | undefined) => [kilobytes(file?.bytes), kilobytes(file?.gzipBytes)];
const NO_RATIOS = ['', '', '', '', '', ''];

report({
  budgets: firstRequests.map(({ operation, folder, runs }) =>
    ratioBudget(
      `start and first response of ${folder}: ${operation}`,
      BUDGETS.coldStart,
      runs,
      ({ reference }) => `by hand, ${milliseconds(reference.milliseconds)} ms`,
    ),
  ),
  figures: [
    {
      title: 'Cold start',
      columns: [
        'bundle',
        'bytes',
        'gzip',
        'ms',
        'CPU ms',
        'ratio',
        'ratio of CPU',
        "ratio without Node's start",
        'ratio to clients cut like ours',
        'ratio with the first request',
        'ms, compiled before',
      ],
      rows: [
        [NODE_ALONE, '', '', ...figuresOf(bare), ...NO_RATIOS],
        ...[...references].map(([name, file]) => [
          `clients of ${name}`,
          ...sizeOf(file),
          ...figuresOf(startOf(name)),
          ...NO_RATIOS,
        ]),
        ...found.map(({ name, clients, run }) => {
          const { start, reference, ratio } = run;
          const ratios = [
            ratio,
            start.processorMilliseconds / reference.processorMilliseconds,
            (start.milliseconds - bare.milliseconds) / (reference.milliseconds - bare.milliseconds),
            startOf(name).milliseconds / startOf(asOurs(clients)).milliseconds,
          ];
          return [
            ...[name, ...sizeOf(bundles.get(name)), ...figuresOf(start)],
            ...ratios.map((value) => value.toFixed(2)),
            firstRequests.find(({ folder }) => folder === name)?.runs.median.ratio.toFixed(2) ?? '',
            milliseconds(startOf(compiledBefore(name)).milliseconds),
          ];
        }),
      ],
      note: `Medians of ${String(ROUNDS)} fresh processes each, in turn. A ratio is that to the bundle of just the clients; with the first request, that of the table below.`,
    },
    {
      title: 'Start and first request',
      columns: ['operation', 'ms', 'CPU ms', 'by hand, ms', 'by hand, CPU ms', 'ratio'],
      rows: firstRequests.map(
        ({
          operation,
          runs: {
            median: { start, reference, ratio },
          },
        }) => [...[operation, ...figuresOf(start), ...figuresOf(reference), ratio.toFixed(2)]],
      ),
      note: `Medians of ${String(FIRST_REQUEST_ROUNDS)} fresh processes each, in turn, until the handler has answered its first request.`,
    },
  ],
});
