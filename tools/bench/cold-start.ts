// `npm run bench -- cold-start`: from the start of a process to the handler, of each function's
// real bundle and of a bundle that holds just the SDK clients which the function has, in fresh
// processes, in turn. Lambda adds to both what it takes to get the code and to start an instance.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runService } from '../../test/support/run-service.ts';
import { bundleOf, FUNCTIONS, referenceBundle, type BundleFile } from './cold-start/bundles.ts';
import {
  measureColdStarts,
  NODE_ALONE,
  type ColdStart,
  type Loaded,
} from './cold-start/measure-cold-start.ts';
import { environmentOf, functionEnvironments, type FunctionEnvironments } from './local-functions.ts';
import { report, type Budget } from './section.ts';

const ROUNDS = 25;
const LIMIT = 1.2;

const service = await runService();
let environments: FunctionEnvironments;
try {
  environments = await functionEnvironments(service.credentials.aws_endpoint_url);
} finally {
  // What is measured calls nothing, and runs on an idle machine.
  await service.stop();
}

const idOf = (packages: readonly string[]) => packages.map((name) => name.replace('client-', '')).join(', ');
const bundles = new Map(FUNCTIONS.map((name) => [name, bundleOf(name)] as const));
const asOurs = (name: string) => `${name}, cut like ours`;
const references = new Map(
  [...bundles.values()].flatMap(({ clients }) => [
    [idOf(clients), referenceBundle(clients, { asOurs: false })] as const,
    [asOurs(idOf(clients)), referenceBundle(clients, { asOurs: true })] as const,
  ]),
);

const anEnvironment = environmentOf(environments, 'tokens');
const own: readonly Loaded[] = [...bundles].map(([name, { file }]) => ({
  name,
  file,
  env: environmentOf(environments, name),
}));
/** For information: how much of it is the compilation of the code. */
const compiledBefore = (name: string) => `${name}, compiled before`;
const folder = mkdtempSync(join(tmpdir(), 'cloakroom-compiled-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const starts = measureColdStarts(
  [
    ...[...references].map(([name, { file }]) => ({ name, file, env: anEnvironment })),
    ...own,
    ...own.map(({ name, file, env }) => ({
      name: compiledBefore(name),
      file,
      env: { ...env, NODE_COMPILE_CACHE: folder },
    })),
  ],
  ROUNDS,
);

const startOf = (name: string): ColdStart =>
  starts.get(name) ?? { milliseconds: NaN, processorMilliseconds: NaN };
const bare = startOf(NODE_ALONE);
const kilobytes = (bytes = NaN) => `${(bytes / 1024).toFixed(0)} KB`;
const milliseconds = (value: number) => value.toFixed(0);

const compared = FUNCTIONS.map((name) => {
  const clients = idOf(bundles.get(name)?.clients ?? []);
  const [start, reference, cut] = [startOf(name), startOf(clients), startOf(asOurs(clients))];
  return {
    name,
    clients,
    start,
    reference,
    cut,
    ratio: start.milliseconds / reference.milliseconds,
    processorRatio: start.processorMilliseconds / reference.processorMilliseconds,
    loadRatio: (start.milliseconds - bare.milliseconds) / (reference.milliseconds - bare.milliseconds),
    cutRatio: start.milliseconds / cut.milliseconds,
  };
});

const figuresOf = ({ milliseconds: all, processorMilliseconds: processor }: ColdStart) => [
  milliseconds(all),
  milliseconds(processor),
];
const sizeOf = (file: BundleFile | undefined) => [kilobytes(file?.bytes), kilobytes(file?.gzipBytes)];
const NO_RATIOS = ['', '', '', '', ''];

report({
  budgets: compared.flatMap(
    ({ name, clients, start, reference, cut, ratio, cutRatio }): readonly Budget[] => [
      {
        budget: `cold start of ${name}`,
        limit: `${String(LIMIT)} times`,
        measured: `${ratio.toFixed(2)} times (${milliseconds(start.milliseconds)} ms)`,
        reference: `clients of ${clients}, ${milliseconds(reference.milliseconds)} ms`,
        isMet: ratio <= LIMIT,
      },
      {
        budget: `cold start of ${name}, beside clients cut like ours`,
        limit: `${String(LIMIT)} times`,
        measured: `${cutRatio.toFixed(2)} times (${milliseconds(start.milliseconds)} ms)`,
        reference: `clients of ${clients}, cut like ours, ${milliseconds(cut.milliseconds)} ms`,
        isMet: cutRatio <= LIMIT,
      },
    ],
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
        ...compared.map(({ name, start, ratio, loadRatio, processorRatio, cutRatio }) => [
          name,
          ...sizeOf(bundles.get(name)),
          ...figuresOf(start),
          ...[ratio, processorRatio, loadRatio, cutRatio].map((value) => value.toFixed(2)),
          milliseconds(startOf(compiledBefore(name)).milliseconds),
        ]),
      ],
      note: `Medians of ${String(ROUNDS)} fresh processes each, in turn. A ratio is that to the bundle of just the clients.`,
    },
  ],
});
