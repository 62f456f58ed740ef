import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUDGETS } from '../../../tools/bench/budgets.ts';
import { measureCounts } from '../../../tools/bench/counts/measure-counts.ts';
import { APART, SECTIONS } from '../../../tools/bench/section.ts';
import { inThoroughRun } from '../../../packages/test-kit/src/which-runs.ts';
import { tableUnder } from '../../support/docs-table.ts';

const FOLDER = 'tools/bench';

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a program with Node until it ends. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}

inThoroughRun.it(
  'every section of the benchmark runs, meets its budgets by count, and can be written down',
  async () => {
    const { code, output } = await run([join(FOLDER, 'bench.ts'), '--smoke']);
    // The output first, since it names what failed.
    expect(output).toMatch(/\n(\d+) of \1 are met/);
    expect(output).not.toMatch(/failed|Error/);
    for (const name of SECTIONS) expect(output).toMatch(new RegExp(`^${name} \\d+ s$`, 'm'));
    expect(code).toBe(0);
  },
);

// A usual run counts the same in one process (test/adapters/dynamodb/call-counts.test.ts).
inThoroughRun.it('the first requests of bundles make the calls that docs/storage.md states', async () => {
  const documented = tableUnder('docs/storage.md', '### Cold').map(
    ([, name = '', ...cells]) => [name, cells.filter((cell) => cell !== '').map(Number)] as const,
  );
  const names = new Set(documented.map(([name]) => name));
  const counted = await measureCounts((name) => names.has(name));
  const units = ({ readUnits, writeUnits }: { readonly readUnits: number; readonly writeUnits: number }) =>
    readUnits + writeUnits;
  expect(
    counted.map(({ name, warm, cold }) => [
      name,
      [warm.calls, warm.sequential, cold.calls, cold.sequential, cold.kmsCalls, units(cold)],
    ]),
  ).toEqual(documented);
  for (const { name, warm, cold } of counted) {
    expect([name, warm.kmsCalls]).toEqual([name, BUDGETS.kmsCalls.warm]);
    expect(cold.kmsCalls).toBeLessThanOrEqual(BUDGETS.kmsCalls.cold);
  }
  for (const [name, limit] of Object.entries(BUDGETS.coldCallsInSequence)) {
    const { auditCalls = NaN, sequential = NaN } = counted.find((each) => each.name === name)?.cold ?? {};
    expect(auditCalls).toBeLessThanOrEqual(BUDGETS.auditCalls.cold);
    expect(sequential).toBeLessThanOrEqual(limit);
  }
});

it('a section without a smoke form fails the smoke run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-smoke-'));
  const file = join(folder, 'a-section.ts');
  const sectionOf = (effort: string) =>
    [
      `import { effort } from '${process.cwd()}/tools/bench/effort.ts';`,
      `import { report } from '${process.cwd()}/tools/bench/section.ts';`,
      `const rounds = ${effort};`,
      `report({ budgets: [], figures: [{ title: 'Rounds', columns: ['rounds'], rows: [[String(rounds)]] }] });`,
    ].join('\n');
  try {
    writeFileSync(file, sectionOf('50'));
    expect(await run([file])).toMatchObject({ code: 0, output: expect.stringMatching(/^50$/m) });
    const smoke = await run([file], { BENCH_SMOKE: '1' });
    expect(smoke).toMatchObject({ code: 1, output: expect.stringContaining('has no smoke form') });
    writeFileSync(file, sectionOf('effort(50, 1)'));
    expect(await run([file], { BENCH_SMOKE: '1' })).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^1$/m),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('every program that reports budgets is a section', () => {
  const reporting = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /\breport\b.*from '.\/section.ts'/.test(readFileSync(join(FOLDER, file), 'utf8')))
    .map((file) => file.replace('.ts', ''));
  expect(reporting.filter((name) => !APART.includes(name)).toSorted()).toEqual(SECTIONS.toSorted());
});
