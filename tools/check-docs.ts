// Checks that the first columns of tables in the documentation name exactly what the code has, and
// that links and references in comments lead to a file and a heading.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { COMMAND_BEHAVIOUR } from '../bin/operator/command-behaviour.ts';
import { REMOVAL_COMMAND } from '../bin/operator/removal/removal-command.ts';
import { RESTORE_STEPS } from '../bin/operator/restore/restore-command.ts';
import { environment as applicationsEnvironment } from '../functions/applications/config.ts';
import { environment as sealerEnvironment } from '../functions/audit-sealer/config.ts';
import { environment as logsEnvironment } from '../functions/logs/config.ts';
import { COMMAND_NAMES, usageOf } from '../src/operator/command-names.ts';
import { environment as operatorEnvironment } from '../functions/operator/config.ts';
import { environment as accessEnvironment } from '../functions/operator-access/config.ts';
import { environment as proxyEnvironment } from '../functions/proxy/config.ts';
import { environment as workerEnvironment } from '../functions/reactor-worker/config.ts';
import { environment as proxiesEnvironment } from '../functions/proxies/config.ts';
import { environment as reactorsEnvironment } from '../functions/reactors/config.ts';
import { environment as republisherEnvironment } from '../functions/republisher/config.ts';
import { environment as sweeperEnvironment } from '../functions/sweeper/config.ts';
import { environment as tokensEnvironment } from '../functions/tokens/config.ts';
import { environment as senderEnvironment } from '../functions/webhook-sender/config.ts';
import { problemCodes } from '../src/wire/problem.ts';
import { AUTHOR_PACKAGES, SDK } from '../src/core/reactors/author-packages.ts';
import { ALARM_NAMES } from '../lib/alarms.ts';
import { SETTING_NAMES } from '../lib/settings.ts';
import { allRoutes } from './openapi/all-routes.ts';
import { withCosts } from './costs.ts';
import { commandCheck, commandsIn } from './docs/commands.ts';
import { DRAWN, diagramsOf, hashOf } from './docs/diagrams.ts';
import { navigationOf, slugOf } from './docs/site-pages.ts';
import { statusesOf } from './docs/site-reference.ts';
import {
  anchorsOf,
  brokenLinks,
  brokenReferences,
  missingFiles,
  missingInComments,
  scriptsIn,
} from './docs/references.ts';

/** First cells of the table rows below a heading, without code marks and links. */
function documented(file: string, heading: string): Set<string> {
  const text = `\n${readFileSync(file, 'utf8')}`;
  const start = text.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${file} has no heading "${heading}"`);
  const end = text.slice(start + heading.length + 2).search(/^#/m);
  const section = end === -1 ? text.slice(start) : text.slice(start, start + heading.length + 2 + end);
  const cells = [...section.matchAll(/^\| \[?`([^`]+)`(?:\]\([^)]*\))? +\|/gm)];
  return new Set(cells.map(([, cell = '']) => cell));
}

function revealSites(): string[] {
  const files = globSync('{src,functions}/**/*.ts');
  return files.filter((file) => readFileSync(file, 'utf8').includes('.reveal()'));
}

const routes = allRoutes().map(({ method, path }) => `${method} ${path}`);
const environments = [
  tokensEnvironment,
  applicationsEnvironment,
  operatorEnvironment,
  accessEnvironment,
  republisherEnvironment,
  proxyEnvironment,
  proxiesEnvironment,
  reactorsEnvironment,
  workerEnvironment,
  senderEnvironment,
  sweeperEnvironment,
  logsEnvironment,
  sealerEnvironment,
].flatMap(({ shape }) => Object.keys(shape));

/** The rows of the operator's commands, and of those that do not invoke its function. */
const operatorRows = [
  ...COMMAND_NAMES.map((name) => ({ usage: usageOf(name), does: COMMAND_BEHAVIOUR[name].does })),
  REMOVAL_COMMAND,
  ...Object.values(RESTORE_STEPS).map(({ usage, does }) => ({ usage: `restore ${usage}`, does })),
];

const commands = await commandCheck();

const lists: readonly (readonly [what: string, file: string, heading: string, actual: readonly string[]])[] =
  [
    ['route', 'docs/api.md', '## Operations', routes],
    ['error code', 'docs/errors/README.md', '# Errors', problemCodes()],
    ['setting', 'docs/deploy.md', '## Settings', SETTING_NAMES],
    ['setting', 'docs/before-production.md', '## Settings', SETTING_NAMES],
    ['command', 'docs/cli.md', '# The command line', commands.names],
    ['operator command', 'docs/deploy.md', '## Operator', operatorRows.map(({ usage }) => usage)],
    ['environment variable', 'docs/architecture.md', '## Environment of the functions', environments],
    [
      'package for code',
      'docs/reactors.md',
      '## Packages',
      [SDK, ...AUTHOR_PACKAGES.map(({ name }) => name)],
    ],
    ['reveal() call site', 'docs/security.md', '## Where plaintext is opened', revealSites()],
  ];

const problems: string[] = [];

/** The folder of the package of a file: its comments also name files relative to that. */
const packageOf = (file: string) => /^packages\/[^/]+/.exec(file)?.[0] ?? '.';

/** Each alarm is a heading of the runbook, and the runbook has no other. */
const headings = [...readFileSync('docs/runbook.md', 'utf8').matchAll(/^## (\S+)$/gm)].map(
  ([, name = '']) => name,
);
for (const name of ALARM_NAMES)
  if (!headings.includes(name)) problems.push(`docs/runbook.md has no entry for the alarm ${name}`);
for (const name of headings)
  if (!ALARM_NAMES.some((alarm) => alarm === name))
    problems.push(`docs/runbook.md has an entry for an alarm that there is not: ${name}`);

const decisions = readFileSync('docs/decisions/README.md', 'utf8');
for (const file of globSync('docs/decisions/[0-9]*.md')) {
  const name = basename(file);
  if (!decisions.includes(`(${name})`)) problems.push(`docs/decisions/README.md does not list ${file}`);
  const [title = '', , status = ''] = readFileSync(file, 'utf8').split('\n');
  if (!title.startsWith(`# ${name.slice(0, 4)} `) || !status.startsWith('Status: '))
    problems.push(`${file} does not begin with its number, its title and its status`);
}

/** Each error code has a page, whose title begins with the code. There is no other page. */
const codes = problemCodes();
for (const code of codes)
  if (!existsSync(`docs/errors/${code}.md`)) problems.push(`docs/errors has no page for the code ${code}`);
for (const file of globSync('docs/errors/*.md', { exclude: ['docs/errors/README.md'] })) {
  const code = basename(file, '.md');
  const known = codes.find((each) => each === code);
  if (known === undefined) problems.push(`${file} is of a code that there is not`);
  // People search for the status.
  else if (!readFileSync(file, 'utf8').startsWith(`# ${code} (${statusesOf(known).join(', ')}): `))
    problems.push(`${file} has a title that does not begin with its code and status`);
}

for (const [what, file, heading, actual] of lists) {
  const said = documented(file, heading);
  for (const name of new Set(actual))
    if (!said.has(name)) problems.push(`${file}, "${heading}" lacks the ${what} ${name}`);
  for (const name of said)
    if (!actual.includes(name))
      problems.push(`${file}, "${heading}" has a ${what} that the code does not: ${name}`);
}

/** The index lists each page of a reader once: its sections are the navigation of the site. */
const listed = navigationOf(readFileSync('docs/README.md', 'utf8')).flatMap(({ pages }) =>
  pages.map(({ slug }) => slug),
);
const single = 'docs/{decisions/[0-9]*,errors/[a-z]*,README}.md';
for (const slug of globSync('docs/**/*.md', { exclude: [single] }).map(slugOf)) {
  const times = listed.filter((other) => other === slug).length;
  if (times !== 1) problems.push(`docs/README.md lists the page ${slug} ${String(times)} times`);
}

/** Each diagram is drawn for the site, and nothing else is. */
const wanted = new Set(
  globSync('{docs/**,packages/*,examples/*}/*.md', { exclude: ['**/node_modules/**'] })
    .flatMap((file) => diagramsOf(readFileSync(file, 'utf8')))
    .map((text) => `${hashOf(text)}.svg`),
);
const drawn = new Set(globSync('*.svg', { cwd: DRAWN }));
if ([...wanted].toSorted().join(' ') !== [...drawn].toSorted().join(' '))
  problems.push('site/diagrams has other diagrams than the documents: npm run build -- diagrams');

/** The table of operator commands contains their help texts. */
const deploy = readFileSync('docs/deploy.md', 'utf8').replaceAll(/ +/g, ' ');
for (const { usage, does } of operatorRows) {
  const row = `| \`${usage}\` | ${does} |`;
  if (!deploy.includes(row)) problems.push(`docs/deploy.md, "## Operator" lacks the row ${row}`);
}

/** Links between the documents, and references in comments, lead to a file and a heading. */
const outside = { exclude: ['**/{node_modules,cdk.out,dist,coverage}/**', 'test/tools/docs/**'] };
const markdownFiles = globSync('{*.md,.github/*.md,{docs,examples,packages}/**/*.md}', outside);
const codeFiles = globSync(
  '{*.{js,cjs},{bin,console,examples,functions,lib,packages,reactor-runtime,src,test,tools}/**/*.{ts,js,cjs,sh},.*.cjs}',
  outside,
);
const read = (file: string) => readFileSync(file, 'utf8');
const documents = new Map(markdownFiles.map((file) => [file, anchorsOf(read(file))] as const));
for (const file of markdownFiles) {
  for (const problem of brokenLinks(file, read(file), documents, existsSync))
    problems.push(`${file} links to ${problem}`);
  // The README of a package names its own files from its folder.
  const exists = (path: string) => existsSync(path) || existsSync(join(dirname(file), path));
  for (const path of missingFiles(read(file), exists))
    problems.push(`${file} names ${path}, which does not exist`);
}
for (const file of codeFiles) {
  for (const problem of brokenReferences(read(file), documents))
    problems.push(`${file} refers to ${problem}`);
  const exists = (path: string) => existsSync(path) || existsSync(join(packageOf(file), path));
  for (const path of missingInComments(read(file), exists))
    problems.push(`${file} names ${path}, which does not exist`);
}

/** Every `npm run` in a document or a comment exists, with its arguments. */
const { scripts } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const isProgram = (script: string, word: string) =>
  script === 'bench'
    ? existsSync(`tools/bench/${word}.ts`)
    : new RegExp(`^  '?${word}'?: \\[`, 'm').test(read('tools/build.ts'));
for (const file of [...markdownFiles, ...codeFiles])
  for (const [script, word] of scriptsIn(read(file)))
    if (scripts[script] === undefined) problems.push(`${file} names npm run ${script}, which does not exist`);
    else if (['bench', 'build'].includes(script) && word !== undefined && !isProgram(script, word))
      problems.push(`${file} names npm run ${script} -- ${word}, which does not exist`);

/** Every command line of `cloakroom` in a document or a comment is one that the program accepts. */
for (const file of [...markdownFiles, ...codeFiles])
  for (const words of commandsIn(read(file), commands.names)) {
    const problem = await commands.problemOf(words);
    if (problem !== undefined) problems.push(`${file} has cloakroom ${words.join(' ')}: ${problem}`);
  }

if (readFileSync('docs/deploy.md', 'utf8') !== (await withCosts()))
  problems.push('docs/deploy.md has other costs than the templates: npm run build -- costs --write');

for (const problem of problems) console.error(problem);
console.log(`${String(lists.length)} lists checked, ${String(problems.length)} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
