// `npm run bench:warm`: processor time and allocation of a warm invocation of the real bundles, beside handlers written by hand that make the
// same calls (bench/warm/reference.ts), in turn, in one run. `npm run bench:warm -- get` measures the operations that begin so; with
// `--profile` it prints where their time goes instead, and keeps the profile for Chrome's developer tools.
import { measureWarm, profileWarm } from './warm/measure-warm.ts';
import { startScenarios } from './warm/scenarios.ts';
import { owners } from './warm/owners.ts';
import { top } from './warm/top.ts';

const TOP = 70;

const args = process.argv.slice(2);
const profiles = args.includes('--profile');
const only = args.find((arg) => !arg.startsWith('--')) ?? '';
const started = await startScenarios({ minify: !profiles });
const kilobytes = (bytes: number) => (bytes / 1024).toFixed(0);

try {
  for (const { name, ...scenario } of started.scenarios.filter((each) => each.name.startsWith(only))) {
    if (profiles) {
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
      continue;
    }
    const found = await measureWarm(scenario);
    console.log(
      `${name.padEnd(24)} ${found.microseconds.toFixed(0).padStart(6)} us  by hand ${found.referenceMicroseconds.toFixed(0).padStart(6)} us  ratio ${found.ratio.toFixed(2)}   ${kilobytes(found.allocated)} KB, by hand ${kilobytes(found.referenceAllocated)} KB`,
    );
  }
} finally {
  await started.stop();
}
