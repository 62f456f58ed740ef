// `npm run bench`: every benchmark of a budget, each in its own process, and one page of budgets:
// docs/performance/README.md#read-and-repeat-it. Times are meaningful on an idle machine only.
import { execFileSync, fork, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { printBudgets, printFigures, SECTIONS, type Section } from './section.ts';
import { withSections, writtenInto } from './written-into.ts';

/** Programs without a budget, each run by its name with its own options. */
const APART = ['cold-start-profile', 'expressions', 'load', 'packages', 'start', 'storage'];
/**
 * Sections with counts only, the same on every machine: they need not be of one run with the
 * others, and `-- counts --write` writes them without budgets.
 */
const EXACT = ['counts'];
const DOCUMENT = 'docs/performance/figures.md';

const args = process.argv.slice(2);
const [program = '', separator] = args;
if (APART.includes(program) || separator === '--') {
  const options = args.slice(1).filter((arg) => arg !== '--');
  // Not a fork: without a parent process it prints.
  const child = spawn(process.execPath, [join(import.meta.dirname, `${program}.ts`), ...options], {
    stdio: 'inherit',
  });
  process.exit(await new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1))));
}
const writes = args.includes('--write');
const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = wanted.filter((name) => !SECTIONS.includes(name));
if (unknown.length > 0) throw new Error(`there is no section ${unknown.join(', ')}`);
if (writes && wanted.some((name) => !EXACT.includes(name)))
  throw new Error('--write writes what one run of all of them has found, or what is counted');

/** One benchmark as a separate program. A failed section does not stop the others. */
function run(name: string): Promise<Section | undefined> {
  return new Promise((resolve) => {
    const child = fork(join(import.meta.dirname, `${name}.ts`), []);
    let section: Section | undefined;
    child.on('message', (message) => (section = message as Section));
    child.on('exit', (code) => resolve(code === 0 ? section : undefined));
  });
}

const seconds = (since: number) => `${String(Math.round((Date.now() - since) / 1000))} s`;
const started = Date.now();
const sections = new Map<string, Section>();
const failed: string[] = [];
for (const name of SECTIONS.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  const begun = Date.now();
  process.stdout.write(`${name} ...`);
  const section = await run(name);
  if (section === undefined) failed.push(name);
  else sections.set(name, section);
  console.log(` ${seconds(begun)}${section === undefined ? ', failed' : ''}`);
}

const found = [...sections.values()];
const budgets = found.flatMap((section) => section.budgets);
if (wanted.length > 0) printFigures(found.flatMap(({ figures }) => figures));
printBudgets(budgets);
const met = budgets.filter(({ isMet }) => isMet).length;
console.log(`\n${String(met)} of ${String(budgets.length)} are met (${seconds(started)})`);
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);

if (writes && failed.length === 0) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${String(cpus().length)} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}`;
  const about = `Measured on ${new Date().toISOString().slice(0, 10)} at commit ${commit} on ${machine}.`;
  const before = readFileSync(DOCUMENT, 'utf8');
  const text =
    wanted.length > 0 ? withSections(before, sections) : writtenInto(before, { about, budgets, sections });
  writeFileSync(DOCUMENT, await format(text, { ...(await resolveConfig(DOCUMENT)), filepath: DOCUMENT }));
  console.log(`written into ${DOCUMENT}`);
}
process.exitCode = failed.length > 0 ? 1 : 0;
