// `npm run bench -- docs` prints the size of the documentation site, the time of its build, and the
// way to the answers of ten questions by its search, beside the way through the repository before
// the site (commit 89e8ae16, as a new reader went it). It needs Chromium.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { z } from 'zod';
import { fileAnswer, startPageServer } from '../../bin/local/page-server.ts';
import { startChromium, type Tab } from '../../test/support/chromium.ts';

/** A reader looks at the first results, and then at the text, at this speed. */
const RESULTS_READ = 5;
const SECONDS_PER_STEP = 5;
const WORDS_PER_SECOND = 4;

const questions = z
  .array(
    z.object({
      question: z.string(),
      before: z.object({ steps: z.int(), words: z.nullable(z.int()) }),
      /** Searches in the order in which a new reader tried them. */
      queries: z.array(z.string()),
      /** The clicks of a reader who needed no search. */
      links: z.optional(z.int()),
      page: z.string(),
      anchor: z.string(),
      answer: z.string(),
    }),
  )
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'docs', 'questions.json'), 'utf8')));
type Question = (typeof questions)[number];

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-docs-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const site = join(folder, 'site');
const begun = performance.now();
execFileSync(process.execPath, [join(import.meta.dirname, '..', 'build-docs.ts'), site]);
const buildSeconds = (performance.now() - begun) / 1_000;

const server = await startPageServer({
  name: 'the site',
  port: 0,
  headers: {},
  answer: (_request, path) => fileAnswer(site, path.endsWith('/') ? `${path}index.html` : path),
  log: console.error,
});
const url = `http://localhost:${String(server.port)}/`;
const chromium = await startChromium();

/** Returns the pages that a search finds, in their order. */
async function search(tab: Tab, query: string): Promise<readonly string[]> {
  await tab.open(url);
  await tab.until(`document.querySelector('site-search input') !== null`);
  await tab.evaluate(`document.querySelector('site-search button[data-open-modal]').click()`);
  await tab.type(query);
  await tab.until(`document.querySelector('.pagefind-ui__message')?.textContent.includes('result')`);
  await tab.until(
    `[...document.querySelectorAll('.pagefind-ui__result')].every((result) => result.querySelector('.pagefind-ui__result-link') !== null)`,
  );
  return (await tab.evaluate(
    `[...document.querySelectorAll('.pagefind-ui__result')].map((result) => result.querySelector('.pagefind-ui__result-link').pathname)`,
  )) as readonly string[];
}

/** Counts the words from a heading to the end of an answer, as a reader sees them. */
async function wordsTo(tab: Tab, { page, anchor, answer }: Question): Promise<number> {
  await tab.open(`${url}${page}/${anchor === '' ? '' : `#${anchor}`}`);
  await tab.until(`document.querySelector('h1') !== null`);
  const found = (await tab.evaluate(`(() => {
    const main = document.querySelector('main');
    for (const code of main.querySelectorAll('pre, .try-it')) code.remove();
    const start = document.getElementById(${JSON.stringify(anchor)}) ?? main.querySelector('h1');
    const range = document.createRange();
    range.setStartBefore(start);
    range.setEndAfter(main);
    return range.toString().replace(/\\s+/g, ' ');
  })()`)) as string;
  const end = found.indexOf(answer);
  if (end === -1) throw new Error(`${page}#${anchor} does not have: ${answer}`);
  return found
    .slice(0, end + answer.length)
    .trim()
    .split(' ').length;
}

const secondsOf = (steps: number, words: number): number =>
  Math.round(steps * SECONDS_PER_STEP + words / WORDS_PER_SECOND);

/** Compressed, as a server of files sends it: the page with its scripts and styles. */
function firstViewOf(page: string): number {
  const html = readFileSync(join(site, page, 'index.html'));
  const linked = [...html.toString().matchAll(/(?:src|href)="(\/_astro\/[^"]+\.(?:js|css))"/g)].map(
    ([, file = '']) => file,
  );
  const sizes = [...new Set(linked)].map((file) => brotliCompressSync(readFileSync(join(site, file))).length);
  return brotliCompressSync(html).length + sizes.reduce((sum, size) => sum + size, 0);
}

const tab = await chromium.newTab();
const rows: string[] = [];
for (const question of questions) {
  const { queries, page, before } = question;
  let steps = (question.links ?? 0) - 1;
  let isFound = question.links !== undefined;
  if (!isFound) steps = 0;
  for (const query of queries) {
    steps += 1;
    const results = await search(tab, query);
    isFound = results.slice(0, RESULTS_READ).includes(`/${page}/`);
    if (isFound) break;
  }
  const words = await wordsTo(tab, question);
  const was =
    before.words === null
      ? `${String(before.steps)} steps, no answer`
      : `${String(before.steps)} steps, ${String(before.words)} words, ${String(secondsOf(before.steps, before.words))} s`;
  const is = isFound
    ? `${String(steps + 1)} steps, ${String(words)} words, ${String(secondsOf(steps + 1, words))} s`
    : `not in the first ${String(RESULTS_READ)} of ${String(steps)} searches`;
  rows.push(`| ${question.question} | ${was} | ${is} |`);
}
await chromium.close();
await server.close();

const files = globSync('**/*', { cwd: site, withFileTypes: true }).filter((entry) => entry.isFile());
const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
const views = ['', 'concepts', 'guides/charge-a-card', 'reference/operations/createtoken', 'security'];
console.log(
  [
    `Build: ${buildSeconds.toFixed(1)} s, ${String(files.length)} files, ${(bytes / 1e6).toFixed(1)} MB`,
    ...views.map(
      (page) => `First view of /${page}: ${(firstViewOf(page) / 1_000).toFixed(0)} KB (Brotli) of 300`,
    ),
    '',
    `A step is a click, a search or a find in the page, and takes ${String(SECONDS_PER_STEP)} s; ${String(WORDS_PER_SECOND)} words take one (assumed).`,
    '',
    '| Question | Before | With the site |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n'),
);
