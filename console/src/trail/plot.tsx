import { useEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../route.ts';
import { Text } from '../parts/text.tsx';
import { readableTime } from '../instant.ts';
import type { Series } from './hourly-counts.ts';
import type { Drawn } from './draw-plot.ts';

interface PlotProps {
  readonly title: string;
  readonly tone: 'reveals' | 'refusals';
  /** Each step begins at this time, in ms. */
  readonly steps: readonly number[];
  readonly stepMs: number;
  readonly series: readonly Series[];
  /** Explains what the numbers lack; empty if they are whole. */
  readonly caveat: string;
  readonly nameOf: (id: string) => string;
  /** Leads to the records of a step. */
  readonly linkOf: (step: number) => Readonly<Record<string, string>>;
}

/** The same numbers in words, with a link for each hour that has any. */
const AsTable = ({ title, steps, series, nameOf, linkOf }: PlotProps) => (
  <details>
    <summary>{title} as a table</summary>
    <div class="scroll" tabIndex={0} role="region" aria-label={`${title} as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ id }) => (
              <th scope="col" key={id}>
                <Text>{nameOf(id)}</Text>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps
            .map((step, index) => ({ step, index }))
            .filter(({ index }) => series.some(({ counts }) => (counts[index] ?? 0) > 0))
            .map(({ step, index }) => (
              <tr key={step}>
                <th scope="row">
                  <a href={linkTo(['trail'], linkOf(step))}>{readableTime(new Date(step).toISOString())}</a>
                </th>
                {series.map(({ id, counts }) => (
                  <td key={id}>{counts[index]}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  </details>
);

/** Bars by the hour, stacked by application. A click on a bar opens its records. */
export function Plot(props: PlotProps) {
  const { title, tone, caveat, steps, stepMs, series, nameOf, linkOf } = props;
  const place = useRef<HTMLDivElement>(null);
  const [hasFailed, setFailed] = useState(false);
  const total = series.reduce((sum, each) => sum + each.total, 0);
  useEffect(() => {
    let drawn: Drawn | undefined;
    let isGone = false;
    if (total === 0) return undefined;
    import('./draw-plot.ts')
      .then(({ drawPlot }) => {
        if (isGone || place.current === null) return;
        drawn = drawPlot(place.current, { steps, stepMs, series, tone }, (step) => {
          location.hash = linkTo(['trail'], linkOf(step));
        });
      })
      // The file did not arrive, or the browser lacks what a drawing needs, such as a locale.
      .catch(() => setFailed(true));
    return () => {
      isGone = true;
      drawn?.destroy();
    };
  }, [JSON.stringify([steps, series])]);
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong>{' '}
        <span class="muted">
          {caveat === ''
            ? `${total.toLocaleString('en')} in all`
            : `at least ${total.toLocaleString('en')}: ${caveat}`}
        </span>
      </figcaption>
      {total === 0 ? (
        <p class="plot-none">{caveat === '' ? 'None in this time.' : 'None in what was counted.'}</p>
      ) : (
        <>
          {hasFailed ? (
            <p class="plot-none">This browser cannot draw the chart: the table has the same numbers.</p>
          ) : (
            <div ref={place} class="plot-place" aria-hidden="true" />
          )}
          <ul class="legend">
            {series.length > 1 &&
              series.map(({ id, total: count }, index) => (
                <li key={id}>
                  <span class={`swatch series-${String(index)}`} aria-hidden="true" />
                  <Text>{nameOf(id)}</Text> <span class="muted">{count.toLocaleString('en')}</span>
                </li>
              ))}
          </ul>
          <AsTable {...props} />
        </>
      )}
    </figure>
  );
}
