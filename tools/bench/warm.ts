// `npm run bench -- warm`: processor time and allocation, next to the handlers of reference.ts.
// `-- get` measures operations that begin so; `--profile` prints and saves their profile instead.
import { BUDGETS } from './budgets.ts';
import { isNear, ratioBudget, repeatedIf, runsBy } from './near-limit.ts';
import { report } from './section.ts';
import { measureWarm, profileWarm, SIDES, stopShared, type WarmResult } from './warm/measure-warm.ts';
import { startScenarios, type Scenario } from './warm/scenarios.ts';
import { owners } from './warm/owners.ts';
import { top } from './warm/top.ts';

const TOP = 70;

const args = process.argv.slice(2);
const profiles = args.includes('--profile');
const only = args.find((arg) => !arg.startsWith('--')) ?? '';

async function profile({ name, ...scenario }: Scenario): Promise<void> {
  for (const side of SIDES) {
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

/** The limits of an operation, each with the side that it refers to. */
const limitsOf = (name: Scenario['name']) =>
  REFERENCES.flatMap(([side, limits, what]) => {
    const limit = (limits as Readonly<Record<string, number>>)[name];
    return limit === undefined ? [] : [{ side, limit, what }];
  });

async function compare(scenarios: readonly Scenario[]): Promise<void> {
  const found = [];
  for (const { name, ...scenario } of scenarios) {
    const isClose = (result: WarmResult) =>
      limitsOf(name).some(({ side, limit }) => isNear(result[side].ratio, limit));
    const measure = () => measureWarm(scenario);
    found.push({ name, results: await repeatedIf(isClose, await measure(), measure) });
  }
  const microseconds = (value: number) => `${value.toFixed(0)} us`;
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
  report({
    budgets: found.flatMap(({ name, results }) =>
      limitsOf(name).map(({ side, limit, what }) =>
        ratioBudget(
          `CPU of a warm ${name}`,
          limit,
          runsBy(results, (result) => result[side].ratio),
          (result) => `${what}, ${microseconds(result[side].microseconds)}`,
        ),
      ),
    ),
    figures: [
      {
        title: 'A warm invocation',
        columns: [
          ...['operation', 'CPU', 'by hand with a record', 'ratio', 'by hand without', 'ratio'],
          ...['allocated', 'by hand with a record', 'by hand without'],
        ],
        rows: found.map(({ name, results }) => {
          const { ours, withRecord, withoutRecord } = runsBy(results, (run) => run.withRecord.ratio).median;
          return [
            ...[name, microseconds(ours.microseconds)],
            ...[withRecord, withoutRecord].flatMap((side) => [
              microseconds(side.microseconds),
              side.ratio.toFixed(2),
            ]),
            ...[ours, withRecord, withoutRecord].map(({ allocated }) => kilobytes(allocated)),
          ];
        }),
        note: 'The handler by hand writes an audit record of the same size, or none.',
      },
    ],
  });
}

const started = await startScenarios({ minify: !profiles });
try {
  const scenarios = started.scenarios.filter(({ name }) => name.startsWith(only));
  if (profiles) for (const scenario of scenarios) await profile(scenario);
  else await compare(scenarios);
} finally {
  await stopShared();
  await started.stop();
}
