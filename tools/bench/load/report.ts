import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { percentile, type MemorySample, type Sample, type Summary } from './measurements.ts';

const require = createRequire(import.meta.url);
const uplot = (file: string) => readFileSync(require.resolve(`uplot/dist/${file}`), 'utf8');

export interface Report {
  readonly title: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly summaries: readonly Summary[];
  readonly samples: readonly Sample[];
  readonly memory: readonly MemorySample[];
}

interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly isLogarithmic?: boolean;
  readonly labels: readonly string[];
  /** The first column has the x values. Each other one has the values of a label. */
  readonly columns: readonly (readonly (number | null)[])[];
}

const escape = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);

/** Shares at which a distribution is drawn: closer together where the slow ones are. */
const SHARES = [
  ...Array.from({ length: 19 }, (_, index) => (index + 1) * 5),
  ...[96, 97, 98, 99, 99.5, 99.9, 100],
];

function distribution({ samples, summaries }: Report): Plot {
  const operations = summaries.map(({ operation }) => operation);
  const sorted = operations.map((operation) =>
    samples
      .filter((sample) => operation === 'all' || sample.operation === operation)
      .map(({ milliseconds }) => milliseconds)
      .toSorted((a, b) => a - b),
  );
  return {
    title: 'Latency by percentile',
    x: 'percentile',
    y: 'ms',
    isLogarithmic: true,
    labels: operations,
    columns: [SHARES, ...sorted.map((values) => SHARES.map((share) => percentile(values, share / 100)))],
  };
}

function perSecond({ samples }: Report): readonly Plot[] {
  const seconds = Math.ceil(Math.max(1, ...samples.map(({ atMs }) => atMs)) / 1000);
  const buckets = Array.from({ length: seconds }, (_, second) => second);
  const of = (second: number) => samples.filter(({ atMs }) => Math.floor(atMs / 1000) === second);
  const each = buckets.map(of);
  return [
    {
      title: 'Throughput',
      x: 'seconds',
      y: 'requests a second',
      labels: ['requests'],
      columns: [buckets, each.map(({ length }) => length)],
    },
    {
      title: 'Errors',
      x: 'seconds',
      y: 'errors a second',
      labels: ['errors'],
      columns: [buckets, each.map((own) => own.filter(({ isError }) => isError).length)],
    },
  ];
}

function memory({ memory: samples }: Report): Plot {
  return {
    title: 'Memory',
    x: 'seconds',
    y: 'MB',
    labels: ['service', 'reactors'],
    columns: [
      samples.map(({ atMs }) => atMs / 1000),
      samples.map(({ serviceMegabytes }) => serviceMegabytes),
      samples.map(({ reactorsMegabytes }) => reactorsMegabytes),
    ],
  };
}

/** Runs in the page: draws every plot with uPlot. */
const DRAW = `
  const colors = ['#1f77b4','#ff7f0e','#2ca02c','#d62728','#9467bd','#8c564b','#e377c2','#7f7f7f','#bcbd22','#17becf','#aec7e8','#000'];
  const draw = () => {
    for (const [index, plot] of plots.entries()) {
      const place = document.getElementById('plot' + index);
      place.replaceChildren();
      new uPlot({
        title: plot.title, width: place.clientWidth, height: 320,
        scales: { x: { time: false }, y: plot.isLogarithmic ? { distr: 3 } : { range: (u, low, high) => [0, Math.max(1, high * 1.05)] } },
        axes: [{ label: plot.x }, { label: plot.y, size: 70 }],
        series: [{ label: plot.x }, ...plot.labels.map((label, at) => ({ label, stroke: colors[at % colors.length], width: 1.5, points: { show: false } }))],
      }, plot.columns, place);
    }
  };
  draw();
  addEventListener('resize', draw);`;

const NUMBERS = ['count', 'errors', 'perSecond', 'p50', 'p90', 'p99', 'max'] as const;
const HEADINGS = ['requests', 'errors', 'a second', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms'];

function table(summaries: readonly Summary[]): string {
  const head = ['operation', ...HEADINGS].map((name) => `<th>${name}</th>`).join('');
  const rows = summaries.map((summary) => {
    const cells = NUMBERS.map((name) => {
      const value = summary[name];
      return `<td>${name === 'count' || name === 'errors' ? String(value) : value.toFixed(1)}</td>`;
    });
    return `<tr><th>${escape(summary.operation)}</th>${cells.join('')}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** A page that stands by itself: numbers, plots, and the library that draws them. */
export function reportPage(report: Report): string {
  const plots = [distribution(report), ...perSecond(report), memory(report)];
  const facts = Object.entries(report.facts).map(
    ([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`,
  );
  const data = JSON.stringify(plots).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(report.title)}</title>
<style>${uplot('uPlot.min.css')}
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1100px; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child { text-align: left; font-weight: normal; } thead th { font-weight: 600; } tbody tr:last-child { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; } dt { color: #666; } dd { margin: 0; }
.plots { display: grid; grid-template-columns: 1fr; gap: 2rem; margin-top: 2rem; }
</style></head><body>
<h1>${escape(report.title)}</h1>
<dl>${facts.join('')}</dl>
${table(report.summaries)}
<div class="plots">${plots.map((_, index) => `<div id="plot${String(index)}"></div>`).join('')}</div>
<script>${uplot('uPlot.iife.min.js')}</script>
<script>const plots = ${data};${DRAW}</script>
</body></html>
`;
}
