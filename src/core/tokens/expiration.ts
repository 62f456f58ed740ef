import { parseIsoTimestamp, timestampOf, type Timestamp } from '../shared/timestamp.ts';
import type { StoredToken } from './token.ts';

const AMERICAN =
  /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?:\s+(\d{1,2}):(\d{2}):(\d{2})\s*(AM|PM)\s*(Z|[+-]\d{2}:\d{2})?)?$/i;

function parseAmerican(text: string): Timestamp | undefined {
  const match = AMERICAN.exec(text);
  if (match === null) return undefined;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? '0'));
  const hours = hoursOf(hour, match[7]?.toUpperCase());
  if (hours === undefined) return undefined;
  return timestampOf({ date: [year, month, day], time: [hours, minute, second, 0], offset: match[8] });
}

/** The hours since midnight; `undefined` for an hour that the half of a day does not have. */
function hoursOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return 0;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === 'PM' ? 12 : 0);
}

/**
 * Parses `expires_at`: `M/D/YYYY h:mm:ss AM|PM ±hh:mm`, `M/D/YYYY` (12 AM UTC of that day), or ISO
 * 8601. A time without an offset is in UTC (docs/contract.md#expiration). `undefined` for any other
 * text.
 */
export function parseExpiration(text: string): Timestamp | undefined {
  return parseIsoTimestamp(text) ?? parseAmerican(text.trim());
}

/**
 * The first time after `now` at which a token or its cvc ends, in ms since the epoch; `undefined`
 * if none of them ends.
 */
export function firstEnd(
  tokens: readonly Pick<StoredToken, 'cvcUntil' | 'expiration'>[],
  now: number,
): number | undefined {
  const ends = tokens
    .flatMap(({ cvcUntil, expiration }) => [cvcUntil ?? 0, expiration?.at ?? 0])
    .filter((at) => at > now);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Whether every operation treats the token as missing, although it may not be deleted yet. */
export function hasExpired(token: Pick<StoredToken, 'expiration'>, now: number): boolean {
  return token.expiration !== undefined && token.expiration.at <= now;
}
