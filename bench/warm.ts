// `npm run bench:warm`: processor time and allocation of a warm invocation of the real bundles, beside handlers written by hand that make the
// same calls (bench/warm/reference.ts), in turn, in one run. `npm run bench:warm get` measures one operation.
import { measureWarm } from './warm/measure-warm.ts';
import { startScenarios } from './warm/scenarios.ts';

const [only] = process.argv.slice(2);
const { scenarios, stop } = await startScenarios();
try {
  for (const { name, ...scenario } of scenarios) {
    if (only !== undefined && !name.startsWith(only)) continue;
    const { microseconds, referenceMicroseconds, ratio, allocated, referenceAllocated } =
      await measureWarm(scenario);
    console.log(
      `${name.padEnd(24)} ${microseconds.toFixed(0).padStart(6)} us  by hand ${referenceMicroseconds.toFixed(0).padStart(6)} us  ratio ${ratio.toFixed(2)}   ${(allocated / 1024).toFixed(0)} KB, by hand ${(referenceAllocated / 1024).toFixed(0)} KB`,
    );
  }
} finally {
  await stop();
}
