// `npm test`: every check, slowest apart. Prints what failed in full, then the totals; exits
// non-zero if anything failed.
import { spawn } from 'node:child_process';

interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Each group runs two at a time (the machines have two cores); tests run alone. */
const STATIC: readonly Check[] = [
  { name: 'types', command: ['tsc', '-b', 'test', 'packages/sdk/test'] },
  { name: 'types on Node.js 16', command: ['tsc', '-p', 'reactor-runtime'] },
  { name: 'types of the SDK on Node.js 16', command: ['tsc', '-p', 'packages/sdk'] },
  { name: 'types of the SDK in browsers', command: ['tsc', '-p', 'packages/sdk/tsconfig.browser.json'] },
  { name: 'lint', command: ['eslint', '.'] },
  { name: 'formatting', command: ['prettier', '--check', '.'] },
  {
    name: 'import rules',
    command: [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      'bin',
      'lib',
      'functions',
      'src',
      'reactor-runtime',
      'packages/sdk/src',
      'packages/local-aws',
      'tools',
      'examples',
    ],
  },
  { name: 'unused code', command: ['knip'] },
  { name: 'policy', command: ['node', 'tools/check-policy.ts'] },
  { name: 'documentation', command: ['node', 'tools/check-docs.ts'] },
  { name: 'OpenAPI document', command: ['node', 'tools/build-openapi.ts', '--check'] },
  { name: 'third-party notices', command: ['node', 'tools/build-notices.ts', '--check'] },
  { name: 'browser for the tests', command: ['node', 'tools/ensure-chromium.ts'] },
];

const TESTS: readonly Check[] = [
  { name: 'unit tests', command: ['jest', '--selectProjects', 'unit', '--maxWorkers', '2'] },
  { name: 'end-to-end tests', command: ['jest', '--ignoreProjects', 'unit', '--maxWorkers', '2'] },
];

function run({ name, command: [program, ...args] }: Check): Promise<Result> {
  const started = Date.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, FORCE_COLOR: '0' },
    });
    const collect = (chunk: Buffer) => chunks.push(chunk);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const finish = (passed: boolean, note = '') => {
      const output = Buffer.concat(chunks).toString('utf8') + note;
      resolve({ name, passed, seconds: Math.round((Date.now() - started) / 100) / 10, output });
    };
    child.on('error', (error) => finish(false, error.message));
    child.on('close', (code) => finish(code === 0));
  });
}

function report(result: Result): Result {
  console.log(`${result.passed ? 'ok    ' : 'FAILED'}  ${result.name}  (${result.seconds.toFixed(1)} s)`);
  if (!result.passed) console.log(result.output);
  return result;
}

async function runAll(checks: readonly Check[], atOnce: number): Promise<Result[]> {
  const waiting = [...checks];
  const worker = async (): Promise<Result[]> => {
    const done: Result[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      done.push(report(await run(next)));
    return done;
  };
  return (await Promise.all(Array.from({ length: atOnce }, worker))).flat();
}

/**
 * What jest counted: `Tests: 1 failed, 20 passed, 21 total`. A run that counted none has failed.
 */
function counted(result: Result): { readonly passed: number; readonly failed: number } {
  const line = /^Tests:\s+(.*)$/m.exec(result.output)?.[1] ?? '';
  const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(line)?.[1] ?? '0');
  return { passed: count('passed'), failed: count('failed') };
}

const results = [...(await runAll(STATIC, 2)), ...(await runAll(TESTS, 1))];
const tests = results.filter(({ name }) => TESTS.some((check) => check.name === name)).map(counted);
const checks = results.filter(({ name }) => STATIC.some((check) => check.name === name));
const none = tests.some(({ passed, failed }) => passed + failed === 0);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const passed = sum(tests.map((test) => test.passed)) + checks.filter((check) => check.passed).length;
const failed = sum(tests.map((test) => test.failed)) + checks.filter((check) => !check.passed).length;

if (none) console.log('A test run counted no test.');
console.log(`\n${String(passed)} passed, ${String(failed)} failed`);
process.exitCode = none || results.some((result) => !result.passed) ? 1 : 0;
