import uPlot from 'uplot';
import type { Series } from './hourly-counts.ts';

export interface Drawn {
  destroy(): void;
}

const HEIGHT = 170;

/** The colours are those of the style sheet, for light and dark. */
const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const HOUR_S = 3_600;

/** Names the day at midnight, otherwise the hour, where the person is. */
function hourWords(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return time.getHours() === 0
    ? time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    : `${String(time.getHours()).padStart(2, '0')}:00`;
}

/** The sums up to each series: the highest is drawn first, and the others over it. */
function stacked(series: readonly Series[], length: number): readonly (readonly number[])[] {
  const sums: number[][] = [];
  for (const { counts } of series) {
    const below = sums.at(-1);
    sums.push(Array.from({ length }, (_, index) => (below?.[index] ?? 0) + (counts[index] ?? 0)));
  }
  return sums;
}

export interface Plotted {
  /** Each step begins at this time, in ms. */
  readonly steps: readonly number[];
  readonly stepMs: number;
  readonly series: readonly Series[];
  readonly tone: 'reveals' | 'refusals';
}

const X_STEPS = [1, 2, 3, 6, 12, 24, 48, 96, 192].map((hours) => hours * HOUR_S);
const Y_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/** Reads the colours at each drawing, for light and dark. */
function optionsOf({ tone, steps, stepMs }: Plotted, order: readonly number[], width: number): uPlot.Options {
  const bars = uPlot.paths.bars?.({ size: [0.8, 48] });
  const stepS = stepMs / 1_000;
  // A line around thin bars would hide them.
  const isThin = width / steps.length < 8;
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: (_, first, last) => [first - stepS, last + stepS] },
      y: { range: (_, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      { ...axis, values: (_, splits) => splits.map(hourWords), incrs: X_STEPS },
      { ...axis, incrs: Y_STEPS },
    ],
    series: [
      {},
      ...order.map((index) => ({
        fill: colour(tone === 'refusals' ? '--bad' : `--series-${String(index)}`),
        stroke: colour('--surface'),
        width: isThin ? 0 : 1,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      })),
    ],
  };
}

/** Draws bars by the hour, and again when the colours change. */
export function drawPlot(place: HTMLElement, plotted: Plotted, onStep: (step: number) => void): Drawn {
  const { steps, series } = plotted;
  const draw = () => {
    const sums = stacked(series, steps.length);
    const order = sums.map((_, index) => index).toReversed();
    const data = [steps.map((step) => step / 1_000), ...order.map((index) => [...(sums[index] ?? [])])];
    const plot = new uPlot(optionsOf(plotted, order, place.clientWidth), data as uPlot.AlignedData, place);
    plot.over.addEventListener('click', () => {
      const step = steps[plot.cursor.idx ?? -1];
      if (step !== undefined) onStep(step);
    });
    return plot;
  };
  let plot = draw();
  const again = () => {
    plot.destroy();
    plot = draw();
  };
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', again);
  const resized = new ResizeObserver(() => {
    if (place.clientWidth > 0) plot.setSize({ width: place.clientWidth, height: HEIGHT });
  });
  resized.observe(place);
  return {
    destroy: () => {
      scheme.removeEventListener('change', again);
      resized.disconnect();
      plot.destroy();
    },
  };
}
