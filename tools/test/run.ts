// `npm test` and `npm run test:thorough` (CONTRIBUTING.md). Prints failures last, above the totals;
// exits non-zero if anything failed.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { BUDGETS, notingIn, usesNoted, type Budget } from '../../test/budgets.ts';
import { simulations, STATIC, staticOf, type Check } from './checks.ts';
import { failuresOf, firstLines, promiseOf, type Failure, type JestReport } from './failures.ts';
import { installationOf, isCi, provide } from './programs.ts';
import { readArguments } from '../read-arguments.ts';
import { filesOf } from './subject.ts';
import { changedSince, existing, needsWholeContract, testsOf, usualBase } from './touched.ts';

/** Ends before anything has run. */
function end(reason: string): never {
  console.error(reason);
  process.exit(2);
}

const USAGE = `npm test -- [FILE...] [--touched [--since COMMIT]] [--seed N] [--thorough]

FILE      a file, a folder or a subject such as tokens: its checks, and the tests about it
--touched checks what the uncommitted changes reach, or the last commit if there are none
--since   what has changed since COMMIT`;

const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    thorough: { type: 'boolean', default: false },
    seed: { type: 'string' },
    touched: { type: 'boolean', default: false },
    since: { type: 'string' },
  },
});
const isThorough = values.thorough;
if (values.touched && positionals.length > 0) end('--touched finds the files itself');
if (values.since !== undefined && !values.touched) end('--since needs --touched');
const changed = values.touched ? changedSince(values.since ?? usualBase()) : undefined;
const seed = values.seed ?? (isThorough ? String(randomInt(1_000_000_000)) : '1');
if (!/^\d{1,9}$/.test(seed)) end(`--seed takes a number of at most nine digits, not ${seed}`);
/** How much of each file runs (packages/test-kit/src/which-runs.ts). Files by name run whole. */
function extent(): 'thorough' | 'usual' | 'touched' | undefined {
  if (isThorough) return 'thorough';
  if (changed !== undefined) return 'touched';
  return positionals.length > 0 ? undefined : 'usual';
}

const budgetFolder = mkdtempSync(join(tmpdir(), 'cloakroom-budgets-'));
process.on('exit', () => rmSync(budgetFolder, { recursive: true, force: true }));
const extentOfRun = extent();
const environment = {
  ...process.env,
  ...notingIn(budgetFolder),
  FORCE_COLOR: '0',
  CLOAKROOM_SEED: seed,
  ...(extentOfRun !== undefined && { CLOAKROOM_TESTS: extentOfRun }),
  ...(needsWholeContract(changed ?? []) && { CLOAKROOM_CONTRACT: 'whole' }),
};

interface Outcome {
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

function run([program, ...args]: Check['command']): Promise<Outcome> {
  const started = Date.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
    const collect = (chunk: Buffer) => {
      chunks.push(chunk);
      // Jest would wait forever for handles that its tests have left open.
      if (chunk.includes('did not exit one second')) setTimeout(() => child.kill('SIGKILL'), 2_000).unref();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const finish = (passed: boolean, note = '') => {
      const output = Buffer.concat(chunks).toString('utf8') + note;
      resolve({ passed, seconds: (Date.now() - started) / 1000, output });
    };
    child.on('error', (error) => finish(false, error.message));
    child.on('close', (code) => finish(code === 0));
  });
}

/** Failures come before the output, of which some readers see only the beginning. */
function report(
  name: string,
  { passed, seconds, output }: Outcome,
  counts = '',
  failures: readonly Failure[] = [],
): void {
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name}  (${seconds.toFixed(1)} s${counts})`);
  for (const { promise, at } of failures) console.log(`        ${at}  ${promise}`);
  if (!passed) console.log(output);
}

/** Runs checks, some at once; returns the output of the failed ones, by their names. */
async function runChecks(checks: readonly Check[], atOnce: number): Promise<ReadonlyMap<string, string>> {
  const failed = new Map<string, string>();
  // All lanes take from one iterator.
  const waiting = checks.values();
  async function work(): Promise<void> {
    for (const { name, command } of waiting) {
      const outcome = await run(command);
      report(name, outcome);
      if (!outcome.passed) failed.set(name, outcome.output);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return failed;
}

/** The result of one jest run. */
interface Tested {
  readonly passed: number;
  readonly failures: readonly Failure[];
  /** The titles of tests that did not run, by their files. */
  readonly skipped: ReadonlyMap<string, readonly string[]>;
}

/**
 * Checks and tests wait in one queue. Tests wait at times, those of services most, so there are
 * more workers than cores.
 */
const CORES = availableParallelism();
const WORKERS = String(Math.max(3, 2 * CORES));
/** Checks that run beside the workers. */
const LANES = Math.max(1, Math.floor(CORES / 4));
/** Jest's messages about handles that were open after the tests. */
const LEFT_OPEN = /failed to exit gracefully|did not exit one second after/;

const NOTHING: Tested = { passed: 0, failures: [], skipped: new Map() };

function tested(name: string, outcome: Outcome, jest: JestReport): Tested {
  const all = jest.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = failuresOf(jest, process.cwd());
  const skipped = new Map<string, string[]>();
  for (const { name: file, assertionResults } of jest.testResults)
    for (const test of assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed')) {
      const path = file.replace(`${process.cwd()}/`, '');
      skipped.set(path, [...(skipped.get(path) ?? []), promiseOf(test)]);
    }
  const passed = all.filter(({ status }) => status === 'passed').length;
  // Jest may fail without a failed test: a service that does not start or end, or no test at all.
  const isUnexplained = failures.length === 0 && (!outcome.passed || passed + skipped.size === 0);
  const found = isUnexplained
    ? outcome.output.split('\n').slice(-24)
    : outcome.output.split('\n').filter((line) => LEFT_OPEN.test(line));
  const cause = found.length === 0 ? [] : [{ promise: `${name} run, and end`, found, at: '', file: '' }];
  return { passed, failures: [...failures, ...cause], skipped };
}

/** The slowest files of a run. */
function slowest({ testResults }: JestReport): string {
  const files = testResults.map(({ name, startTime, endTime }) => ({
    name: basename(name, '.test.ts'),
    seconds: (endTime - startTime) / 1000,
  }));
  const first = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 8);
  return first.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', ');
}

/** Runs the tests of these files; all tests without them. */
async function runTests(paths?: readonly string[]): Promise<Tested> {
  if (paths?.length === 0) return NOTHING;
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-test-'));
  const file = join(folder, 'report.json');
  const wanted = paths === undefined ? [] : ['--passWithNoTests', '--runTestsByPath', ...paths];
  const outcome = await run(['jest', '--maxWorkers', WORKERS, '--json', '--outputFile', file, ...wanted]);
  let jest: JestReport = { testResults: [] };
  try {
    jest = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
  } catch {
    // Jest did not write its report: its output has the reason.
  }
  rmSync(folder, { recursive: true });
  const result = tested('tests', outcome, jest);
  const { passed, failures } = result;
  report('tests', { ...outcome, passed: failures.length === 0 }, `, ${String(passed)} tests`, failures);
  if (paths === undefined) console.log(`        slowest: ${slowest(jest)}`);
  return result;
}

/** Compares a run of all tests with its budgets, and returns those that it exceeds. */
function exceededBudgets(): readonly Budget[] {
  const uses = usesNoted(budgetFolder);
  const names = Object.keys(BUDGETS) as Budget[];
  console.log(
    `        used: ${names.map((name) => `${String(uses[name])} of ${String(BUDGETS[name])} ${name}`).join(', ')}`,
  );
  return names.filter((name) => uses[name] > BUDGETS[name]);
}

/** The command that repeats this run for a file, or for all. */
function again(file: string): string {
  const args = [...(isThorough || values.seed ? ['--seed', seed] : []), ...(file ? [file] : [])];
  return [
    isThorough ? 'npm run test:thorough' : 'npm test',
    ...(args.length > 0 ? ['--', ...args] : []),
  ].join(' ');
}

function wantedFiles(): readonly string[] | undefined {
  if (changed !== undefined) return [...new Set([...existing(changed), ...testsOf(changed)])];
  try {
    return positionals.length === 0 ? undefined : filesOf(positionals);
  } catch (error) {
    return end(error instanceof Error ? error.message : String(error));
  }
}

const files = wantedFiles();
const tests = files?.filter((file) => file.endsWith('.test.ts'));
if (tests?.length === 0) console.log(`no test is about ${positionals.join(', ') || 'what has changed'}`);
const missing = tests?.length === 0 ? [] : provide(extentOfRun === 'usual');
for (const program of missing)
  console.log(`${program} is missing, and what needs it is skipped: ${String(installationOf(program))}`);
if (isThorough) console.log(`seed ${seed}`);

const checks =
  files === undefined
    ? [...STATIC, ...simulations(isThorough ? seed : undefined)]
    : staticOf(changed === undefined ? files : existing(changed));
const [failedChecks, ran] = await Promise.all([runChecks(checks, LANES), runTests(tests)]);
const exceeded = files === undefined && !isThorough ? exceededBudgets() : [];

const { failures } = ran;
for (const { promise, found, at, file } of failures)
  console.log(
    `\nBROKEN  ${promise}\n        ${at}\n        again: ${again(file)}\n\n  ${found.join('\n  ')}`,
  );
for (const [name, output] of failedChecks)
  console.log(`\nFAILED  ${name}\n\n  ${firstLines(output).join('\n  ')}`);
for (const name of exceeded)
  console.log(`\nEXCEEDED  ${name}: test/budgets.ts allows ${String(BUDGETS[name])}`);
const skipped = [...ran.skipped];
for (const [file, promises] of skipped) console.log(`\nskipped in ${file}:\n  ${promises.join('\n  ')}`);

const skips = skipped.reduce((sum, [, promises]) => sum + promises.length, 0);
const passed = ran.passed + checks.length - failedChecks.size;
const failed = failures.length + failedChecks.size + exceeded.length;
console.log(
  `\n${String(passed)} passed, ${String(failed)} failed${skips > 0 ? `, ${String(skips)} skipped` : ''}`,
);
if (isThorough) console.log(`the same again: ${again('')}`);
const mustRunAll = isCi() && skips > 0;
if (mustRunAll) console.log('Nothing is skipped where CI is set.');
process.exitCode = failed > 0 || mustRunAll ? 1 : 0;
