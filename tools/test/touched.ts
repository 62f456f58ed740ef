import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { allFiles } from './all-files.ts';

/** Finds the module that each import, export or `require` of a text names; types have no effect. */
const IMPORT =
  /(?:^|[;{}\s])(?:import|export)\s+(?!type\s)(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)/g;
const CODE = /\.[cm]?[jt]sx?$/;
const IS_TEST = /\.test\.ts$/;
const EXTENSIONS = ['', '.ts', '.tsx', '.js', '/index.ts'];

/**
 * Tests that a change reaches without an import: over a process, a template, a page or a file that
 * a test reads. A pattern of changed files, and patterns of tests.
 */
export const WITHOUT_IMPORT: readonly (readonly [changed: RegExp, tests: RegExp])[] = [
  // The suites of the interface get the service from their environment.
  [/^(src|functions|packages\/testing\/src)\//, /^test\/interface\//],
  // One way through the service that runs, for whatever it is made of.
  [/^(src|functions|lib|packages\/local-aws\/src)\//, /^test\/end-to-end\/(matrices|operations)\.test/],
  [/^(lib|functions)\//, /^test\/lib\//],
  [/^(bin|packages\/(?:cli|local-aws)\/src)\//, /^test\/(bin\/start|end-to-end\/local-cloud)/],
  [/^(bin\/operator\/restore|lib)\//, /^test\/end-to-end\/restore\.test/],
  [/^(bin\/operator\/removal|lib)\//, /^test\/end-to-end\/removal\.test/],
  [/^docs\/openapi\.json$/, /^test\/end-to-end\/generated-clients\.test/],
  [/^reactor-runtime\//, /^test\/reactor-runtime\//],
  [/^src\/core\/(trail|audit)\//, /^test\/end-to-end\/audit-/],
  [/^src\/adapters\/egress\//, /^test\/(end-to-end\/proxy-wire|interface\/proxy)\.test/],
  [/^console\//, /^test\/(console\/|end-to-end\/console\.test)/],
  [/^packages\/fields\//, /^(test\/end-to-end\/fields|packages\/fields\/)/],
  [/^packages\/sdk\//, /^(test\/end-to-end\/sdk-package|packages\/sdk\/)/],
  [/^packages\/testing\//, /^packages\/testing\//],
  [/^examples\//, /^test\/end-to-end\/examples\.test/],
  [/^docs\/guides\//, /^test\/end-to-end\/guides\.test/],
  [/^(docs\/|README|site\/)/, /^test\/(docs|site|tools\/docs)\//],
  [/^site\//, /^test\/end-to-end\/(docs|reference)\.test/],
  [/^(tools\/sam|lib)\//, /^test\/end-to-end\/sam-template\.test/],
  [/^test\/support\/(?!.*\.test\.ts$)(local|start|run-service)/, /^test\/end-to-end\/operations\.test/],
];

const gitLines = (...args: readonly string[]): readonly string[] =>
  execFileSync('git', ['-c', 'core.quotePath=false', ...args], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** The files that differ from a commit, those that git does not know yet included. */
export const changedSince = (commit: string): readonly string[] => [
  ...gitLines('diff', '--name-only', commit, '--'),
  ...gitLines('ls-files', '--others', '--exclude-standard'),
];

/** The commit that uncommitted work began from; without such work, the one before the last. */
export const usualBase = (): string =>
  gitLines('status', '--porcelain').length > 0 ? 'HEAD' : gitLines('rev-parse', 'HEAD~1').join('');

const packageFolder = /^@cloakroom\/([\w-]+)(.*)$/;

/** The file that a module imports under a name; `undefined` for a package from a registry. */
function importedFile(from: string, name: string, all: ReadonlySet<string>): string | undefined {
  const [, own, rest = ''] = packageFolder.exec(name) ?? [];
  if (own === undefined && !name.startsWith('.')) return undefined;
  const base =
    own === undefined
      ? normalize(join(dirname(from), name))
      : join('packages', own, rest === '' ? 'src/index.ts' : rest);
  return EXTENSIONS.map((extension) => base + extension).find((file) => all.has(file));
}

/** Maps each file to those that import it. */
export function importersOf(
  files: readonly string[],
  read: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Set(files);
  const importers = new Map<string, Set<string>>();
  for (const file of files.filter((each) => CODE.test(each)))
    for (const [, imported, called = ''] of read(file).matchAll(IMPORT)) {
      const target = importedFile(file, imported ?? called, all);
      if (target === undefined) continue;
      const known = importers.get(target) ?? new Set();
      importers.set(target, known.add(file));
    }
  return importers;
}

/** Lists what leads to a change by imports, the changed files included. */
function reached(
  changed: readonly string[],
  importers: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const found = new Set(changed);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return found;
}

/** The tests that changed files reach, by imports and by {@link WITHOUT_IMPORT}. */
export function testsOf(
  changed: readonly string[],
  files: readonly string[] = allFiles(),
  importers = importersOf(files),
): readonly string[] {
  const byImport = reached(changed, importers);
  const named = WITHOUT_IMPORT.filter(([pattern]) => changed.some((file) => pattern.test(file)));
  return files.filter(
    (file) => IS_TEST.test(file) && (byImport.has(file) || named.some(([, tests]) => tests.test(file))),
  );
}

/** Whether the whole contract must run on the service too: by what stands below it there. */
export const needsWholeContract = (changed: readonly string[]): boolean =>
  changed.some((file) => /^(src\/adapters|lib|packages\/local-aws)\//.test(file) && extname(file) !== '.md');

export const existing = (files: readonly string[]): readonly string[] =>
  files.filter((file) => existsSync(file));
