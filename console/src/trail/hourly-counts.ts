import type { LogRecord } from '../sdk.ts';
import { HOUR_MS } from './trail-filter.ts';

/** The number of something in each step of time, for one application or for all. */
export interface Series {
  /** Names an application, or is `''` for all others together. */
  readonly id: string;
  readonly counts: readonly number[];
  readonly total: number;
}

export interface Counted {
  /** Each step begins at this time, in ms. */
  readonly steps: readonly number[];
  /** An hour, or a day in UTC where hours would be too many. */
  readonly stepMs: number;
  /** Tokens shown in plaintext, by application; those with most come first. */
  readonly reveals: readonly Series[];
  readonly refusals: Series;
  /** Records outside of the steps, which no number contains. */
  readonly leftOut: number;
}

/** More applications than this are one series. */
const MOST_SERIES = 6;
/** A plot has room for so many bars. */
const MOST_STEPS = 100;
const DAY_MS = 24 * HOUR_MS;

const beginOf = (time: number, stepMs: number): number => Math.floor(time / stepMs) * stepMs;

function stepsBetween(first: number, last: number, stepMs: number): readonly number[] {
  const count = Math.min(MOST_STEPS, Math.max(1, Math.round((last - first) / stepMs) + 1));
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * stepMs);
}

function seriesOf(id: string, counts: readonly number[]): Series {
  return { id, counts, total: counts.reduce((sum, count) => sum + count, 0) };
}

const sumOf = (series: readonly Series[], length: number): readonly number[] =>
  Array.from({ length }, (_, index) => series.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));

/** The tokens that a record shows in plaintext; of one token, if its trail is asked for. */
const revealsOf = ({ tokens = [] }: LogRecord, tokenId: string): number =>
  tokens.filter(({ id, form }) => form === 'reveal' && (tokenId === '' || id === tokenId)).length;

/** Returns the series with most, and all others together. */
function largest(all: readonly Series[], length: number): readonly Series[] {
  const sorted = all.toSorted((one, other) => other.total - one.total);
  const rest = sorted.slice(MOST_SERIES);
  return [...sorted.slice(0, MOST_SERIES), ...(rest.length === 0 ? [] : [seriesOf('', sumOf(rest, length))])];
}

/**
 * Counts records by the hour, or by the day from the fifth day on. `from` and `to` are in ms. With
 * a token id, only its own reveals count.
 */
export function countBySteps(records: readonly LogRecord[], from: number, to: number, tokenId = ''): Counted {
  const stepMs = to - from > 4 * DAY_MS ? DAY_MS : HOUR_MS;
  const steps = stepsBetween(beginOf(from, stepMs), beginOf(to, stepMs), stepMs);
  const place = new Map(steps.map((step, index) => [step, index]));
  const empty = () => steps.map(() => 0);
  const byApplication = new Map<string, number[]>();
  const refused = empty();
  let leftOut = 0;
  for (const record of records) {
    const index = place.get(beginOf(new Date(record.created_at).getTime(), stepMs));
    if (index === undefined) {
      leftOut += 1;
      continue;
    }
    if (record.outcome === 'refused') refused[index] = (refused[index] ?? 0) + 1;
    const reveals = revealsOf(record, tokenId);
    if (reveals === 0) continue;
    const id = record.application_id ?? '';
    const counts = byApplication.get(id) ?? empty();
    counts[index] = (counts[index] ?? 0) + reveals;
    byApplication.set(id, counts);
  }
  const all = [...byApplication].map(([id, counts]) => seriesOf(id, counts));
  return { steps, stepMs, reveals: largest(all, steps.length), refusals: seriesOf('', refused), leftOut };
}
