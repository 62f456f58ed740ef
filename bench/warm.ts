// `npm run bench:warm`: processor time and allocation of a warm invocation of the real bundles, beside handlers written by hand that make the
// same calls (bench/warm/reference.ts), in turn, in one run. `npm run bench:warm -- get` measures the operations that begin so; with
// `--profile` it prints where their time goes instead, and keeps the profile for Chrome's developer tools.
import { measureWarm, profileWarm } from './warm/measure-warm.ts';
import { startScenarios } from './warm/scenarios.ts';
import { top } from './warm/top.ts';

const TOP = 70;

const args = process.argv.slice(2);
const profiles = args.includes('--profile');
const only = args.find((arg) => !arg.startsWith('--')) ?? '';
const { scenarios, stop } = await startScenarios();
const kilobytes = (bytes: number) => (bytes / 1024).toFixed(0);

try {
  for (const { name, ...scenario } of scenarios.filter((each) => each.name.startsWith(only))) {
    if (profiles) {
      const file = `.local/${name.replaceAll(' ', '-')}.cpuprofile`;
      await profileWarm(scenario, file);
      console.log(`\n${name}: ${file}\n  own %  total %`);
      for (const { name: called, own, total } of top(file, TOP))
        console.log(`${own.toFixed(1).padStart(7)}  ${total.toFixed(1).padStart(7)}  ${called}`);
      continue;
    }
    const found = await measureWarm(scenario);
    console.log(
      `${name.padEnd(24)} ${found.microseconds.toFixed(0).padStart(6)} us  by hand ${found.referenceMicroseconds.toFixed(0).padStart(6)} us  ratio ${found.ratio.toFixed(2)}   ${kilobytes(found.allocated)} KB, by hand ${kilobytes(found.referenceAllocated)} KB`,
    );
  }
} finally {
  await stop();
}
