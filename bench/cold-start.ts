// `npm run bench:cold-start`: from the start of a process to the handler, of each function's real bundle and of a bundle that holds just the
// SDK clients which the function has, in fresh processes, in turn. Lambda adds to both what it takes to get the code and to start an instance.
import { runService } from '../test/support/run-service.ts';
import { bundleOf, FUNCTIONS, referenceBundle } from './cold-start/bundles.ts';
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
const references = new Map(
  [...bundles.values()].map(({ clients }) => [idOf(clients), referenceBundle(clients)]),
);
/** For information: what the alias of lib/bundle.ts leaves out. */
const asItComes = (name: string) => `${name}, and all sources of credentials`;
for (const { clients } of bundles.values())
  references.set(asItComes(idOf(clients)), referenceBundle(clients, { keepsAlias: false }));

const anEnvironment = environmentOf(environments, 'tokens');
const loaded: readonly Loaded[] = [
  ...[...references].map(([name, { file }]) => ({ name, file, env: anEnvironment })),
  ...[...bundles].map(([name, { file }]) => ({ name, file, env: environmentOf(environments, name) })),
];
const starts = measureColdStarts(loaded, ROUNDS);

const startOf = (name: string): ColdStart =>
  starts.get(name) ?? { milliseconds: NaN, processorMilliseconds: NaN };
const bare = startOf(NODE_ALONE);
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
const size = (file: { readonly bytes: number; readonly gzipBytes: number } | undefined) => [
  kilobytes(file?.bytes ?? NaN),
  kilobytes(file?.gzipBytes ?? NaN),
];

const compared = FUNCTIONS.map((name) => {
  const reference = idOf(bundles.get(name)?.clients ?? []);
  const [own, other] = [startOf(name), startOf(reference)];
  return {
    name,
    reference,
    own,
    other,
    ratio: own.milliseconds / other.milliseconds,
    loadRatio: (own.milliseconds - bare.milliseconds) / (other.milliseconds - bare.milliseconds),
    processorRatio: own.processorMilliseconds / other.processorMilliseconds,
  };
});

const milliseconds = (value: number) => value.toFixed(0);
report({
  budgets: compared.map(({ name, reference, own, other, ratio, loadRatio }): Budget => ({
    budget: `cold start of ${name}`,
    limit: `${String(LIMIT)} times`,
    measured: `${ratio.toFixed(2)} times (${milliseconds(own.milliseconds)} ms); without Node's own start ${loadRatio.toFixed(2)}`,
    reference: `clients of ${reference}, ${milliseconds(other.milliseconds)} ms`,
    isMet: ratio <= LIMIT,
  })),
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
      ],
      rows: [
        [
          NODE_ALONE,
          '',
          '',
          milliseconds(bare.milliseconds),
          milliseconds(bare.processorMilliseconds),
          '',
          '',
          '',
        ],
        ...[...references].map(([name, file]) => [
          `clients of ${name}`,
          ...size(file),
          milliseconds(startOf(name).milliseconds),
          milliseconds(startOf(name).processorMilliseconds),
          ...['', '', ''],
        ]),
        ...compared.map(({ name, own, ratio, loadRatio, processorRatio }) => [
          name,
          ...size(bundles.get(name)),
          milliseconds(own.milliseconds),
          milliseconds(own.processorMilliseconds),
          ...[ratio, processorRatio, loadRatio].map((value) => value.toFixed(2)),
        ]),
      ],
      note: `Medians of ${String(ROUNDS)} fresh processes each, in turn. A ratio is that to the bundle of just the clients.`,
    },
  ],
});
