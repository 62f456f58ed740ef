import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JestReport } from '../test/failures.ts';

export interface SuiteTotals {
  readonly passed: number;
  /** Failed tests, and suites that failed as a whole. */
  readonly failed: number;
  /** How many tests were skipped, by what they need. */
  readonly skipped: ReadonlyMap<string, number>;
  /** A suite, or jest itself, ended early: requests may still be in flight. */
  readonly hasCrashed: boolean;
}

const JEST = 'node_modules/jest/bin/jest.js';

/** Ends jest with its workers, which are one group of processes. */
function kill({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended by itself.
  }
}

/** The title of a skipped test ends with what it needs (test/support/service.ts). */
function needOf({ ancestorTitles, title }: { ancestorTitles: readonly string[]; title: string }): string {
  return /\[needs (.*)\]/.exec([...ancestorTitles, title].join(' '))?.[1] ?? 'another run';
}

function totalsOf(report: JestReport | undefined, hasFailed: boolean): SuiteTotals {
  const { testResults = [] } = report ?? {};
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const skipped = new Map<string, number>();
  for (const test of tests.filter(({ status }) => status !== 'passed' && status !== 'failed'))
    skipped.set(needOf(test), (skipped.get(needOf(test)) ?? 0) + 1);
  const failed = tests.filter(({ status }) => status === 'failed').length;
  const whole = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const passed = tests.filter(({ status }) => status === 'passed').length;
  return {
    passed,
    failed: Math.max(failed + whole, hasFailed ? 1 : 0),
    skipped,
    hasCrashed: whole > 0 || report === undefined,
  };
}

/**
 * Runs suites of test/interface against a deployment, one after the other. The key that they get is
 * that of an application of the run.
 */
export async function runSuites(
  { url, key, suites }: { readonly url: string; readonly key: string; readonly suites: readonly string[] },
  { print, signal }: { readonly print: (text: string) => void; readonly signal: AbortSignal },
): Promise<SuiteTotals> {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-contract-'));
  const file = join(folder, 'report.json');
  const { CLOAKROOM_MANAGEMENT_KEY: _, ...env } = process.env;
  const options = ['--selectProjects', 'deployed', '--maxWorkers', '1', '--json', '--outputFile', file];
  const child = spawn(process.execPath, [JEST, ...options, '--runTestsByPath', ...suites], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...env, CLOAKROOM_CONTRACT_URL: url, CLOAKROOM_CONTRACT_KEY: key },
    // A Ctrl-C of the terminal reaches the tool alone, which ends the group.
    detached: true,
  });
  child.stderr.setEncoding('utf8').on('data', print);
  // A worker can outlive its parent, and would have its output open.
  child.once('exit', () => kill(child, 'SIGKILL'));
  const onAbort = () => kill(child, 'SIGKILL');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    let report: JestReport | undefined;
    try {
      report = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
    } catch {
      // Jest ended before it wrote its report; the exit code says so.
    }
    return totalsOf(report, code !== 0);
  } finally {
    signal.removeEventListener('abort', onAbort);
    rmSync(folder, { recursive: true });
  }
}
