const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A century. Timestamps of the service end much later. */
const LONGEST_MS = 36_525 * 86_400_000;

/**
 * Ms of a duration: `2h`, `30m`, `1d 12h`, or a number of ms. Throws `TypeError` for anything else,
 * and `RangeError` beyond a century.
 */
export function durationMs(duration: string | number): number {
  const ms = parsedMs(duration);
  if (ms > LONGEST_MS) throw new RangeError('the clock moves by at most a century at once');
  return ms;
}

function parsedMs(duration: string | number): number {
  if (typeof duration === 'number') {
    if (Number.isFinite(duration) && duration >= 0) return duration;
  } else if (/^\s*(?:\d+(?:\.\d+)?(?:ms|[smhd])\s*)+$/.test(duration)) {
    const parts = duration.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g);
    return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
  }
  throw new TypeError(
    "a duration is a number of ms, or a text of ms, s, m, h and d, such as '30m' or '1d 12h'",
  );
}
