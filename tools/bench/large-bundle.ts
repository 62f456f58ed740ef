import { codeArchive } from '../../src/adapters/lambda/code-archive.ts';
import { PACKAGE_LIMITS, readBundle, type PackageBundle } from '../../src/core/reactors/package-bundle.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { aPackageBundle } from '../../test/support/builders/a-package-bundle.ts';
import { effort } from './effort.ts';
import { median } from './median.ts';

const ROUNDS = effort(15, 1);

/** Functions such as packages have: some are called when the package loads, most are not. */
const aFunction = (at: number): string =>
  `function f${String(at)}(a, b) { var list = [a, b, ${String(at)}]; for (var i = 0; i < list.length; i += 1) { if (list[i] === undefined) throw new TypeError("f${String(at)} takes a number"); list[i] = list[i] * 31 + i; } return list.join("-"); }${at % 20 === 0 ? ` exports.f${String(at)} = f${String(at)}(1, 2);` : ''}`;

/** A bundle whose text has the largest size. */
export async function largestBundle(): Promise<Awaited<ReturnType<typeof aPackageBundle>>> {
  const functions: string[] = [];
  for (let size = 0; size < PACKAGE_LIMITS.textBytes - 2_000; size += (functions.at(-1) ?? '').length + 1)
    functions.push(aFunction(functions.length));
  return aPackageBundle({ large: functions.join('\n') });
}

/** Requires the package of {@link largestBundle}. */
export const USES_LARGE = "const large = require('large'); module.exports = () => ({ raw: large.f0 });";

const processorMs = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** Processor time in ms of what a request with such a bundle adds, and of parsing its text once. */
export async function timesOfReading(
  base64: string,
  bundle: PackageBundle,
): Promise<{ readonly reading: number; readonly packing: number; readonly parsing: number }> {
  const json = JSON.stringify({ code: bundle.code });
  const times = { reading: [] as number[], packing: [] as number[], parsing: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.reading.push(await processorMs(() => readBundle(base64)));
    times.packing.push(
      await processorMs(() => codeArchive({ code: new Secret(''), packages: new Secret(bundle) })),
    );
    times.parsing.push(await processorMs(() => JSON.parse(json) as unknown));
  }
  return {
    reading: median(times.reading),
    packing: median(times.packing),
    parsing: median(times.parsing),
  };
}
