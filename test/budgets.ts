import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The most that a usual run of all tests may use of what is dear, by count. tools/test/run.ts
 * compares them at the end of the run. A change that needs more raises a number here, where a
 * reviewer sees it, and says in its commit what the run has for it.
 */
export const BUDGETS = {
  'services started': 10,
  'requests to the shared service': 3_450,
  'tests on the shared service': 490,
  'tabs of browsers': 60,
  'reactors started by their runtime': 130,
  'runs of the TypeScript compiler': 4,
} as const;

export type Budget = keyof typeof BUDGETS;

/** The run of tools/test/run.ts sets it: the folder in which uses are noted. */
const FOLDER = 'CLOAKROOM_BUDGET_FOLDER';

const fileOf = (folder: string, name: Budget): string => join(folder, name.replaceAll(' ', '-'));

/** Notes that a test has used some of a budget. */
export function noteUse(name: Budget, count = 1): void {
  const folder = process.env[FOLDER];
  if (folder !== undefined) appendFileSync(fileOf(folder, name), `${String(count)}\n`);
}

/** The environment in which tests note their uses. */
export const notingIn = (folder: string): Readonly<Record<string, string>> => ({ [FOLDER]: folder });

/** Adds up what the tests of a run have noted. */
export function usesNoted(folder: string): Readonly<Record<Budget, number>> {
  const sumOf = (name: Budget): number => {
    const file = fileOf(folder, name);
    if (!existsSync(file)) return 0;
    const counts = readFileSync(file, 'utf8').trim().split('\n').map(Number);
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const names = Object.keys(BUDGETS) as Budget[];
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as Record<Budget, number>;
}
