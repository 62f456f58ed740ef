// `npm run bench -- warm`: processor time and allocation, next to the handlers of reference.ts.
// `-- get` measures operations that begin so; `--against COMMIT` runs the bundles of that commit by
// turns with these; `--profile` prints and saves their profile instead.
import { readArguments } from '../read-arguments.ts';
import { BUDGETS } from './budgets.ts';
import { median } from './median.ts';
import { ratioBudget, runsBy } from './near-limit.ts';
import { report } from './section.ts';
import {
  measureWarm,
  profileWarm,
  stopShared,
  type SideResult,
  type WarmResult,
} from './warm/measure-warm.ts';
import { startScenarios, type Scenario } from './warm/scenarios.ts';
import { owners } from './warm/owners.ts';
import { top } from './warm/top.ts';

const TOP = 70;

const USAGE = 'npm run bench -- warm -- [OPERATION] [--against COMMIT | --profile]';
const { values: options, positionals } = readArguments(USAGE, {
  options: { profile: { type: 'boolean' }, against: { type: 'string' } },
  allowPositionals: true,
});
const { profile: profiles = false, against } = options;
const only = positionals[0] ?? '';

async function profile({ name, ...scenario }: Scenario): Promise<void> {
  for (const side of ['ours', 'withRecord'] as const) {
    const file = `.local/${name.replaceAll(' ', '-')}-${side}.cpuprofile`;
    const microseconds = await profileWarm(scenario, scenario[side], file);
    console.log(`\n${name}, ${side}, ${microseconds.toFixed(0)} us: ${file}\n  own %  total %`);
    for (const { name: called, own, total } of top(file, TOP))
      console.log(`${own.toFixed(1).padStart(7)}  ${total.toFixed(1).padStart(7)}  ${called}`);
    console.log('\n     us by whose work they were');
    for (const { name: owner, share } of owners(file, scenario[side].bundle).slice(0, TOP))
      console.log(`${((share * microseconds) / 100).toFixed(0).padStart(7)}  ${owner}`);
  }
}

const REFERENCES = [
  ['withRecord', BUDGETS.warmCpu, 'by hand with a record'],
  ['withoutRecord', BUDGETS.warmCpuWithoutRecord, 'by hand without one'],
] as const;

const microseconds = (value: number) => `${value.toFixed(0)} us`;
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;

type Found = readonly [name: Scenario['name'], result: WarmResult];

/** The limits of an operation, each beside the side that it refers to. */
const budgetsOf = ([name, result]: Found) =>
  REFERENCES.flatMap(([side, limits, what]) => {
    const limit = (limits as Readonly<Record<string, number>>)[name];
    const reference = result[side];
    if (limit === undefined || reference === undefined) return [];
    const runs = runsBy(reference.ratios, (ratio) => ratio);
    return ratioBudget(
      `CPU of a warm ${name}`,
      limit,
      runs,
      () => `${what}, ${microseconds(reference.microseconds)}`,
    );
  });

const ratioOf = (side: SideResult | undefined) => (side === undefined ? '' : median(side.ratios).toFixed(2));
const timeOf = (side: SideResult | undefined) => (side === undefined ? '' : microseconds(side.microseconds));
const allocationOf = (side: SideResult | undefined) => (side === undefined ? '' : kilobytes(side.allocated));

const FIGURES = {
  title: 'A warm invocation',
  columns: [
    ...['operation', 'CPU', 'by hand with a record', 'ratio', 'by hand without', 'ratio'],
    ...['allocated', 'by hand with a record', 'by hand without'],
  ],
  rowOf: ([name, { ours, withRecord, withoutRecord }]: Found) => [
    ...[name, timeOf(ours)],
    ...[withRecord, withoutRecord].flatMap((side) => [timeOf(side), ratioOf(side)]),
    ...[ours, withRecord, withoutRecord].map(allocationOf),
  ],
  note: 'The handler by hand writes an audit record of the same size, or none.',
};

/** Ratios to the same references, and those that the other commit had to its own reference. */
function beforeOf([, { ours, withRecord, before, byHandBefore }]: Found): readonly string[] {
  const over = (of: SideResult | undefined, reference: SideResult | undefined) =>
    of === undefined || reference === undefined
      ? ''
      : median(reference.ratios.map((ratio, at) => ratio / (of.ratios[at] ?? NaN))).toFixed(2);
  return [
    ...[timeOf(before), timeOf(ours), ratioOf(before)],
    ...[over(before, byHandBefore), over(before, withRecord), ratioOf(withRecord)],
    ...[allocationOf(before), allocationOf(ours)],
  ];
}

const COMPARISON = {
  title: `This state and commit ${against ?? ''}, by turns`,
  columns: [
    ...['operation', 'CPU before', 'CPU', 'after over before'],
    ...['before over its own reference', 'before over this reference', 'after over this reference'],
    ...['allocated before', 'allocated'],
  ],
  rowOf: (found: Found) => [found[0], ...beforeOf(found)],
  note: 'A reference is the handler by hand, with a record, as it is at that commit.',
};

async function compare(scenarios: readonly Scenario[]): Promise<void> {
  const found: Found[] = [];
  for (const { name, ...scenario } of scenarios) found.push([name, await measureWarm(scenario)]);
  const { title, columns, rowOf, note } = against === undefined ? FIGURES : COMPARISON;
  report({
    budgets: found.flatMap(budgetsOf),
    figures: [{ title, columns, rows: found.map(rowOf), note }],
  });
}

const started = await startScenarios({ minify: !profiles, against });
try {
  const scenarios = started.scenarios.filter(({ name }) => name.startsWith(only));
  if (profiles) for (const scenario of scenarios) await profile(scenario);
  else await compare(scenarios);
} finally {
  await stopShared();
  await started.stop();
}
