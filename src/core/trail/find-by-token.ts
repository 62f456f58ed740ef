import pLimit from 'p-limit';
import { sortableTime } from '../shared/position.ts';
import { timeOfPosition, type AuditRecord } from '../audit/audit-record.ts';
import { DAY_LATE_MS, DAY_MS, HOUR_MS, type IndexLevel } from './index-levels.ts';
import type { IndexPages, StoredHeader } from './index-store.ts';
import { boundsOf, type IndexedPlace } from './token-index.ts';
import { bytesOfName } from '../audit/token-reference.ts';

/** Reads the records at a place, which is one ms in one shard. */
export type RecordsAt = (trail: string, place: IndexedPlace) => Promise<readonly AuditRecord[]>;

export interface FindByTokenDeps {
  readonly indexPages: IndexPages;
  readonly recordsAt: RecordsAt;
}

/**
 * A token as a record names it, in a range of time. Times are in ms since the epoch, and `before`
 * is exclusive.
 */
export interface TokenRange {
  readonly trail: string;
  readonly name: string;
  readonly from: number;
  readonly before: number;
  /** Most places of one step, in addition to the others of the last ms. A call reads each place. */
  readonly limit: number;
}

/** A step ends after so many indexes, so that its calls are few. */
const MAX_INDEXES = 200;
const AT_ONCE = 16;

const lengthOf = ({ level }: StoredHeader): number => (level === 'day' ? DAY_MS : HOUR_MS);
const startOf = (header: StoredHeader): number => header.from - (header.from % lengthOf(header));

/**
 * Whether the sealer can have made an index by now. Readers do not read seals. They would believe
 * that a false index, of a later time or of several days, has all records up to its end.
 */
function isPossible(header: StoredHeader, now: number): boolean {
  const { level, from, to } = header;
  const end = startOf(header) + lengthOf(header);
  return from >= 0 && from < to && to <= end && (level === 'day' ? end + DAY_LATE_MS : to) <= now;
}

/**
 * The indexes of a trail that end after a time, and that can exist now. An index of a day replaces
 * the parts of its time.
 */
export async function indexesOf(
  { indexPages }: Pick<FindByTokenDeps, 'indexPages'>,
  trail: string,
  { from, now }: { readonly from: number; readonly now: number },
): Promise<readonly StoredHeader[]> {
  const headers = async (level: IndexLevel, after: number) =>
    (await indexPages.headers(trail, level, after)).filter((header) => isPossible(header, now));
  const days = await headers('day', from);
  return [...days, ...(await headers('part', Math.max(from, endOf(days))))];
}

/** The end of the time that the indexes cover; 0 if there are none. */
export const endOf = (headers: readonly StoredHeader[]): number =>
  headers.reduce((end, { to }) => Math.max(end, to), 0);

/** The indexes of one day or hour, whose ranges may overlap, so they are searched together. */
interface Unit {
  readonly start: number;
  readonly headers: StoredHeader[];
}

function unitsOf(headers: readonly StoredHeader[], { from, before }: TokenRange): readonly Unit[] {
  const units = new Map<number, Unit>();
  for (const header of headers) {
    if (header.to <= from || header.from >= before) continue;
    const start = startOf(header);
    const unit = units.get(start) ?? { start, headers: [] };
    unit.headers.push(header);
    units.set(start, unit);
  }
  return [...units.values()].toSorted((a, b) => b.start - a.start);
}

const numberOf = ({ at, shard }: IndexedPlace): string => `${String(at)} ${String(shard)}`;

/** The newest places of a unit. Before the time `floor` there may be more. */
async function placesOf(
  { indexPages }: Pick<FindByTokenDeps, 'indexPages'>,
  { headers }: Unit,
  { name, from, before, limit: most }: TokenRange,
): Promise<{ readonly places: readonly IndexedPlace[]; readonly floor: number }> {
  const limit = pLimit(AT_ONCE);
  let floor = from;
  const found = await Promise.all(
    headers.map((header) =>
      limit(async () => {
        const places = await indexPages.places(header, boundsOf(header, bytesOfName(name), before), most);
        // The index may have more places before the ms of the last one.
        floor = Math.max(floor, places[most - 1]?.at ?? from);
        return places;
      }),
    ),
  );
  const all = new Map(found.flat().map((place) => [numberOf(place), place]));
  return { places: [...all.values()].filter(({ at }) => at >= floor), floor };
}

/**
 * The newest records that may name a token, of a bounded number of places and indexes. `readTo` is
 * the lowest position that was read; absent if no indexed records are left below it.
 */
export async function indexedRecords(
  deps: FindByTokenDeps,
  headers: readonly StoredHeader[],
  range: TokenRange,
): Promise<{ readonly records: readonly AuditRecord[]; readonly readTo?: string }> {
  const units = unitsOf(headers, range);
  const places = new Map<string, IndexedPlace>();
  let searched = 0;
  let floor = range.from;
  for (const [at, unit] of units.entries()) {
    const found = await placesOf(deps, unit, range);
    for (const place of found.places) places.set(numberOf(place), place);
    searched += unit.headers.length;
    floor = Math.max(floor, found.floor);
    const rest = units.slice(at + 1);
    const isEnough = rest.length > 0 && (places.size >= range.limit || searched >= MAX_INDEXES);
    const end = floor > range.from || !isEnough ? floor : unit.start;
    // A day that is indexed in part ends within the hour of a unit, and that unit has its
    // beginning.
    if (end > range.from && rest.every(({ headers: others }) => endOf(others) <= end)) {
      floor = end;
      break;
    }
  }
  const newest = [...places.values()].filter(({ at }) => at >= range.from).toSorted((a, b) => b.at - a.at);
  const last = newest[range.limit - 1];
  if (last !== undefined && newest.length > range.limit) floor = Math.max(floor, last.at);
  const limit = pLimit(AT_ONCE);
  const wanted = newest.filter(({ at }) => at >= floor);
  const read = await Promise.all(wanted.map((place) => limit(() => deps.recordsAt(range.trail, place))));
  const records = read.flat().filter(({ position }) => timeOfPosition(position) >= range.from);
  return { records, ...(floor > range.from && { readTo: sortableTime(floor) }) };
}
