// `npm run build -- diagrams`: draws the diagrams of the documents for the site, in Chromium.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startChromium } from '../test/support/chromium.ts';
import { DRAWN, diagramsOf, hashOf } from './docs/diagrams.ts';
import { cache, fetchPublished } from './published-package.ts';

const ROOT = join(import.meta.dirname, '..');
const MERMAID = {
  name: 'mermaid',
  version: '12.3.0',
  sha512: '4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==',
};
const SCRIPT = 'mermaid.min.js';

/** Colours that nothing else has: each becomes a variable of the site, which has light and dark. */
const COLOURS = {
  '#fe0101': 'var(--diagram-ground)',
  '#fe0202': 'var(--diagram-line)',
  '#fe0303': 'var(--sl-color-white)',
  '#fe0404': 'var(--sl-color-bg)',
} as const;
const [GROUND, LINE, TEXT, PAGE] = Object.keys(COLOURS);

const themeVariables = {
  background: PAGE,
  ...Object.fromEntries(
    [
      'primaryColor',
      'mainBkg',
      'actorBkg',
      'noteBkgColor',
      'labelBoxBkgColor',
      'activationBkgColor',
      'stateBkg',
      'clusterBkg',
      'altBackground',
      'secondaryColor',
      'tertiaryColor',
    ].map((name) => [name, GROUND]),
  ),
  ...Object.fromEntries(
    [
      'primaryBorderColor',
      'nodeBorder',
      'lineColor',
      'actorBorder',
      'actorLineColor',
      'signalColor',
      'noteBorderColor',
      'labelBoxBorderColor',
      'activationBorderColor',
      'transitionColor',
      'specialStateColor',
      'clusterBorder',
      'stateBorder',
      'secondaryBorderColor',
      'tertiaryBorderColor',
      'innerEndBackground',
    ].map((name) => [name, LINE]),
  ),
  ...Object.fromEntries(
    [
      'primaryTextColor',
      'textColor',
      'titleColor',
      'actorTextColor',
      'signalTextColor',
      'labelTextColor',
      'loopTextColor',
      'noteTextColor',
      'labelColor',
      'transitionLabelColor',
      'secondaryTextColor',
      'tertiaryTextColor',
      'nodeTextColor',
      'stateLabelColor',
    ].map((name) => [name, TEXT]),
  ),
  edgeLabelBackground: PAGE,
  labelBackgroundColor: PAGE,
};

const CONFIG = {
  startOnLoad: false,
  securityLevel: 'strict',
  theme: 'base',
  themeVariables,
  htmlLabels: false,
  fontFamily: 'system-ui, sans-serif',
  flowchart: { htmlLabels: false, curve: 'basis', padding: 12, wrappingWidth: 280 },
  sequence: { mirrorActors: false, useMaxWidth: true },
};

/**
 * Puts the variables of the site in the place of colours, and the width of the drawing in the place
 * of a limit: a phone scrolls sideways rather than show letters that no one can read.
 */
function withVariables(svg: string): string {
  let text = svg.replace(/ width="100%"([^>]*) style="max-width: ([\d.]+)px;/, ' width="$2"$1 style="');
  for (const [hex, variable] of Object.entries(COLOURS)) {
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    text = text.replaceAll(
      new RegExp(`${hex}|rgb\\(${String(red)}, ?${String(green)}, ?${String(blue)}\\)`, 'gi'),
      variable,
    );
  }
  return text;
}

function script(): string {
  const folder = join(cache, `mermaid-${MERMAID.version}`);
  if (!existsSync(join(folder, SCRIPT)))
    fetchPublished(MERMAID, folder, [{ from: `dist/${SCRIPT}`, to: SCRIPT }]);
  return readFileSync(join(folder, SCRIPT), 'utf8');
}

const documents = globSync('{docs/**,packages/*,examples/*}/*.md', {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
});
const diagrams = new Map(
  documents
    .flatMap((file) => diagramsOf(readFileSync(join(ROOT, file), 'utf8')))
    .map((text) => [hashOf(text), text] as const),
);

mkdirSync(DRAWN, { recursive: true });
const isAll = process.argv.includes('--all');
const drawn = new Set(globSync('*.svg', { cwd: DRAWN }).map((name) => basename(name, '.svg')));
for (const hash of drawn) if (!diagrams.has(hash)) rmSync(join(DRAWN, `${hash}.svg`));

const missing = [...diagrams].filter(([hash]) => isAll || !drawn.has(hash));
if (missing.length > 0) {
  const chromium = await startChromium();
  // The browser of tests does not keep a process alive that waits for it.
  const alive = setInterval(() => undefined, 60_000);
  try {
    const tab = await chromium.newTab();
    await tab.evaluate(`${script()};mermaid.initialize(${JSON.stringify(CONFIG)});1`);
    for (const [hash, text] of missing) {
      const call = `mermaid.render(${JSON.stringify(hash)}, ${JSON.stringify(text)}).then(({ svg }) => svg)`;
      writeFileSync(join(DRAWN, `${hash}.svg`), `${withVariables((await tab.evaluate(call)) as string)}\n`);
    }
  } finally {
    await chromium.close();
    clearInterval(alive);
  }
}
console.log(`${String(diagrams.size)} diagrams, ${String(missing.length)} drawn`);
