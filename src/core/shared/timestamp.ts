/** A time in ms since the epoch, and the offset from UTC, in minutes, with which it was written. */
export interface Timestamp {
  readonly at: number;
  readonly offsetMinutes: number;
}

/**
 * A date and a time as written, before they are checked against the calendar. `offset` is `Z`,
 * `+02:00` or `+0200`.
 */
export interface WrittenTime {
  readonly date: readonly [year: number, month: number, day: number];
  readonly time: readonly [hour: number, minute: number, second: number, millisecond: number];
  readonly offset: string | undefined;
}

/** The largest offset from UTC that any time zone uses, in minutes. */
const OFFSET_MAX_MINUTES = 14 * 60;

function offsetMinutes(offset: string | undefined): number | undefined {
  if (offset === undefined || offset.toUpperCase() === 'Z') return 0;
  const digits = offset.slice(1).replace(':', '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  const total = hours * 60 + minutes;
  if (minutes > 59 || total > OFFSET_MAX_MINUTES) return undefined;
  return offset.startsWith('-') ? -total : total;
}

/**
 * The instant of a written time. A time without an offset is in UTC. `undefined` if the calendar
 * does not have it (31 April, 25:00).
 */
export function timestampOf(written: WrittenTime): Timestamp | undefined {
  const [year, month, day] = written.date;
  const [hour, minute, second] = written.time;
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return undefined;
  const local = Date.UTC(year, month - 1, day, ...written.time);
  const back = new Date(local);
  const offset = offsetMinutes(written.offset);
  if (offset === undefined || back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day) return undefined;
  return { at: local - offset * 60_000, offsetMinutes: offset };
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Parses an ISO 8601 date or date-time. A time without an offset is in UTC. `undefined` for any
 * other text.
 */
export function parseIsoTimestamp(text: string): Timestamp | undefined {
  const match = ISO.exec(text.trim());
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? '0'));
  const millisecond = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000);
  return timestampOf({
    date: [year, month, day],
    time: [hour, minute, second, millisecond],
    offset: match[8],
  });
}

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * A time in ISO 8601 with an offset: `2030-01-31T23:59:59+02:00`, UTC as `+00:00`
 * (docs/contract.md#times). Milliseconds appear only if they are not zero.
 */
export function formatTimestamp(at: number, offsetInMinutes = 0): string {
  const local = new Date(at + offsetInMinutes * 60_000).toISOString().replace(/(?:\.000)?Z$/, '');
  const minutes = Math.abs(offsetInMinutes);
  return `${local}${offsetInMinutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
