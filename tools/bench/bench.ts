// `npm run bench`: every benchmark of a budget, each in its own process, and one page of budgets:
// docs/performance/README.md#read-and-repeat-it. Times are meaningful on an idle machine only.
import { execFileSync, fork, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { formatted } from '../formatted.ts';
import { endMisused } from '../read-arguments.ts';
import { shareService, startBenchService } from './bench-service.ts';
import { shareBundles } from './bundle-program.ts';
import { SMOKE_VARIABLE } from './effort.ts';
import { APART, printBudgets, printFigures, SECTIONS, type Section } from './section.ts';
import { withSections, writtenInto } from './written-into.ts';

/**
 * Sections with counts only, the same on every machine: they need not be of one run with the
 * others, and `-- counts --write` writes them without budgets.
 */
const EXACT = ['counts'];
const DOCUMENT = 'docs/performance/figures.md';

const args = process.argv.slice(2);
const [program = '', separator] = args;
const USAGE = `npm run bench -- [SECTION...] [--smoke] [--write]
npm run bench -- PROGRAM [options of the program]

  SECTION   one of ${SECTIONS.join(', ')}
  PROGRAM   one of ${APART.join(', ')}, or a section and --`;
if (['--help', '-h'].includes(program)) {
  console.log(USAGE);
  process.exit(0);
}
if (APART.includes(program) || (SECTIONS.includes(program) && separator === '--')) {
  const options = args.slice(1).filter((arg) => arg !== '--');
  // A program that is forked sends its result to its parent. This one must print, so it is spawned.
  const child = spawn(process.execPath, [join(import.meta.dirname, `${program}.ts`), ...options], {
    stdio: 'inherit',
  });
  process.exit(await new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1))));
}
const writes = args.includes('--write');
const isSmoke = args.includes('--smoke');
const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = [
  ...wanted.filter((name) => !SECTIONS.includes(name)),
  ...args.filter((arg) => arg.startsWith('--') && !['--write', '--smoke'].includes(arg)),
];
if (unknown.length > 0) endMisused(USAGE, `there is no ${unknown.join(', ')}`);
if (writes && (isSmoke || wanted.some((name) => !EXACT.includes(name))))
  endMisused(USAGE, '--write writes what one full run of all of them has found, or what is counted');

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

const chosen = SECTIONS.filter((each) => wanted.length === 0 || wanted.includes(each));

async function runAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const begun = Date.now();
    if (!isSmoke) process.stdout.write(`${name} ...`);
    const section = await run(name);
    if (section === undefined) failed.push(name);
    else sections.set(name, section);
    console.log(`${isSmoke ? name : ''} ${seconds(begun)}${section === undefined ? ', failed' : ''}`);
  }
}

/**
 * The sections that a smoke run starts beside the others: those that need no service, and the one
 * that needs its own, since it slows calls down and counts them.
 */
const BESIDE = [['encryption', 'growth', 'reactor-runtime', 'sweep', 'trail'], ['counts']];

/** The fewest repetitions of each section; those that need a service share one. */
async function smoke(): Promise<void> {
  process.env[SMOKE_VARIABLE] = '1';
  shareBundles();
  // A section that has started before there is a service to share has its own.
  const beside = BESIDE.map((names) => runAll(chosen.filter((name) => names.includes(name))));
  const service = await startBenchService();
  shareService(service);
  try {
    await Promise.all([...beside, runAll(chosen.filter((name) => !BESIDE.flat().includes(name)))]);
  } finally {
    await service.stop();
  }
}

await (isSmoke ? smoke() : runAll(chosen));

const found = [...sections.values()];
const budgets = found
  .flatMap((section) => section.budgets)
  .filter(({ isExact = false }) => isExact || !isSmoke);
if (wanted.length > 0) printFigures(found.flatMap(({ figures }) => figures));
printBudgets(budgets);
const met = budgets.filter(({ isMet }) => isMet).length;
console.log(`\n${String(met)} of ${String(budgets.length)} are met (${seconds(started)})`);
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);

/** The page with this run in it. */
async function page(): Promise<string> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${String(cpus().length)} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}`;
  const about = `Measured on ${new Date().toISOString().slice(0, 10)} at commit ${commit} on ${machine}.`;
  const before = readFileSync(DOCUMENT, 'utf8');
  const text =
    wanted.length > 0 ? withSections(before, sections) : writtenInto(before, { about, budgets, sections });
  return formatted(DOCUMENT, text);
}

if (failed.length === 0 && (writes || isSmoke)) {
  const text = await page();
  if (writes) {
    writeFileSync(DOCUMENT, text);
    console.log(`written into ${DOCUMENT}`);
  }
}
process.exitCode = failed.length > 0 || (isSmoke && met < budgets.length) ? 1 : 0;
