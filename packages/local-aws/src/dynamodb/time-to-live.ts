import { levelKeys } from './database.ts';
import type { LevelOperation } from './dynalite-types.ts';
import type { Item } from './item.ts';

const FIVE_YEARS_SECONDS = 5 * 365 * 86_400;
const DIGITS = 12;

/** `seconds` so that text order is number order. */
export function expirySortKey(seconds: number): string {
  return String(Math.floor(seconds)).padStart(DIGITS, '0');
}

/**
 * The second of a TTL attribute; undefined for values that DynamoDB ignores: another type than
 * number, or an implausible time.
 */
export function expirySeconds(attribute: string, item: Item | undefined): number | undefined {
  const seconds = Number(item?.[attribute]?.N ?? Number.NaN);
  return seconds > 0 && seconds < 10 ** DIGITS ? seconds : undefined;
}

/** DynamoDB treats a time more than five years past as a mistake and retains the item. */
export function oldestExpiry(nowSeconds: number): number {
  return Math.max(0, nowSeconds - FIVE_YEARS_SECONDS);
}

/**
 * The changes to the expiry order when an item changes: `<second>~<item key>` for every item that
 * expires.
 */
export function expiryOperations(
  tableName: string,
  attribute: string,
  itemKey: string,
  before: Item | undefined,
  after: Item | undefined,
): readonly LevelOperation[] {
  const old = expirySeconds(attribute, before);
  const now = expirySeconds(attribute, after);
  if (old === now) return [];
  const key = (seconds: number): string =>
    `${levelKeys.expiries(tableName)}${expirySortKey(seconds)}~${itemKey}`;
  return [
    ...(old === undefined ? [] : [{ type: 'del' as const, key: key(old) }]),
    ...(now === undefined ? [] : [{ type: 'put' as const, key: key(now), value: 1 }]),
  ];
}
