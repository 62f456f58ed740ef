// `npm run bench -- warm`: processor time and allocation, next to the handlers of reference.ts.
// `-- get` measures operations that begin so; `--profile` prints and saves their profile instead.
import { BUDGETS } from './budgets.ts';
import { ratioBudget, repeatedNear } from './near-limit.ts';
import { report } from './section.ts';
import { measureWarm, profileWarm, stopShared } from './warm/measure-warm.ts';
import { startScenarios, type Scenario } from './warm/scenarios.ts';
import { owners } from './warm/owners.ts';
import { top } from './warm/top.ts';

const TOP = 70;

const args = process.argv.slice(2);
const profiles = args.includes('--profile');
const only = args.find((arg) => !arg.startsWith('--')) ?? '';

async function profile({ name, ...scenario }: Scenario): Promise<void> {
  for (const side of ['ours', 'reference'] as const) {
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

async function compare(scenarios: readonly Scenario[]): Promise<void> {
  const found = [];
  for (const { name, ...scenario } of scenarios) {
    const measure = () => measureWarm(scenario);
    found.push({ name, runs: await repeatedNear(BUDGETS.warmCpu[name], await measure(), measure) });
  }
  const microseconds = (value: number) => `${value.toFixed(0)} us`;
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
  report({
    budgets: found.map(({ name, runs }) =>
      ratioBudget(
        `CPU of a warm ${name}`,
        BUDGETS.warmCpu[name],
        runs,
        ({ referenceMicroseconds: other }) => `by hand, ${microseconds(other)}`,
      ),
    ),
    figures: [
      {
        title: 'A warm invocation',
        columns: ['operation', 'CPU', 'by hand', 'ratio', 'allocated', 'by hand'],
        rows: found.map(({ name, runs: { median: run } }) => [
          name,
          microseconds(run.microseconds),
          microseconds(run.referenceMicroseconds),
          run.ratio.toFixed(2),
          kilobytes(run.allocated),
          kilobytes(run.referenceAllocated),
        ]),
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
