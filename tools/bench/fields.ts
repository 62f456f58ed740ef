// `npm run bench -- fields`: sizes of the card fields, and the time until a person can type into
// the first one, beside a frame of the same other site with nothing in it. Needs Chromium.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { LOOPBACK_ORIGINS, startFields } from '../../bin/start/fields-server.ts';
import { startChromium } from '../../test/support/chromium.ts';
import { servePages } from '../../test/support/fields-page.ts';
import { createBuiltAssets } from '../../bin/start/built-assets.ts';
import { writeFieldsSite } from '../../lib/fields-site.ts';
import { median } from './median.ts';
import { printFigures } from './section.ts';

const ROUNDS = 15;
const config = {
  apiUrl: 'http://localhost:1',
  headerPrefix: 'SVC',
  origins: LOOPBACK_ORIGINS,
  digits: false,
};

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-fields-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { script } = writeFieldsSite(await createBuiltAssets('fields')(), folder, config);
const page = readFileSync(join(folder, 'v1/frame.html'), 'utf8');
const linked = [...page.matchAll(/\.\.\/(assets\/[\w.-]+)/g)].map(([, file = '']) => file);
const kilobytes = (files: readonly string[], compress: (text: Buffer) => Buffer): string =>
  `${(files.reduce((sum, file) => sum + compress(readFileSync(join(folder, file))).length, 0) / 1_000).toFixed(1)} KB`;

const [fields, pages, chromium] = await Promise.all([
  startFields({ port: 0, config, fonts: '', log: console.error }),
  servePages(),
  startChromium(),
]);
// The first request builds the files.
await fetch(`${fields.url}/fields.js`);
const other = pages.origin.replace('127.0.0.1', 'localhost');
const empty = pages
  .add('<!doctype html><script>parent.postMessage(1, "*")</script>')
  .replace(pages.origin, other);
const PAGES = {
  fields: `const { createFields } = await import('${fields.url}/fields.js');
    const start = performance.now();
    const fields = createFields({ apiKey: 'key' });
    for (const kind of ['card_number', 'card_expiration', 'card_cvc']) {
      const field = fields.field(kind);
      field.on('ready', () => times.push(performance.now() - start));
      field.mount(document.body.appendChild(document.createElement('div')));
    }`,
  empty: `const start = performance.now();
    addEventListener('message', () => times.push(performance.now() - start));
    for (let at = 0; at < 3; at += 1) document.body.appendChild(Object.assign(document.createElement('iframe'), { src: '${empty}' }));`,
};

/** Returns the times of the first and the last of three frames, of two visits. */
async function measure(what: keyof typeof PAGES): Promise<readonly number[]> {
  const tab = await chromium.newTab();
  const url = pages.add(
    `<!doctype html><body><script type="module">window.times = []; ${PAGES[what]}</script></body>`,
  );
  const times: number[] = [];
  for (let visit = 0; visit < 2; visit += 1) {
    await tab.open(url);
    await tab.until('window.times?.length === 3');
    const found = (await tab.evaluate('times')) as readonly number[];
    times.push(found[0] ?? 0, found[2] ?? 0);
    await tab.evaluate('times.length = 0');
  }
  await tab.close();
  return times;
}

const found = { fields: [] as (readonly number[])[], empty: [] as (readonly number[])[] };
for (let round = 0; round < ROUNDS; round += 1)
  for (const what of ['fields', 'empty'] as const) found[what].push(await measure(what));

const at = (what: keyof typeof PAGES, index: number) =>
  `${median(found[what].map((times) => times[index] ?? 0)).toFixed(0)} ms`;
printFigures([
  {
    title: 'Sizes of the card fields',
    columns: ['what', 'gzip', 'Brotli', 'limit'],
    rows: [
      ['script of the page', kilobytes([script], gzipSync), kilobytes([script], brotliCompressSync), '12 KB'],
      [
        'frame: page, style, program',
        kilobytes(['v1/frame.html', ...linked], gzipSync),
        kilobytes(['v1/frame.html', ...linked], brotliCompressSync),
        '15 KB',
      ],
    ],
  },
  {
    title: `Ready, of three fields (${String(ROUNDS)} visits, medians)`,
    columns: ['visit', 'first field', 'first empty frame', 'last field', 'last empty frame', 'limit'],
    rows: ['first', 'second'].map((visit, index) => [
      visit,
      at('fields', 2 * index),
      at('empty', 2 * index),
      at('fields', 2 * index + 1),
      at('empty', 2 * index + 1),
      '300 ms for the first field',
    ]),
  },
]);
await Promise.all([fields.close(), pages.close(), chromium.close()]);
