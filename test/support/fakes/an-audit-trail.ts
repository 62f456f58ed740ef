import { placeText, type AuditRecord, type RecordPlace } from '../../../src/core/audit/audit-record.ts';
import type { RecordsAt } from '../../../src/core/trail/find-by-token.ts';
import type { TrailPages } from '../../../src/core/trail/list-records.ts';
import type { TrailReader } from '../../../src/core/trail/trail-store.ts';
import type { MarkedShard } from '../../../src/core/audit/audit-log.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';

const PAGE = 3;
const MINUTE_MS = 60_000;

/**
 * Pages of a list, including an empty one: a page of a store may be empty without being the last.
 */
export async function* pagesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  yield await Promise.resolve(all.slice(0, PAGE));
  yield [];
  for (let at = PAGE; at < all.length; at += PAGE) yield all.slice(at, at + PAGE);
}

const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** The key that a record has among all records. */
export const recordKey = (trail: string, place: RecordPlace): string => `${trail}#${placeText(place)}`;

/** Implements {@link TrailReader} in memory. */
export function anAuditTrail(
  records = new Map<string, AuditRecord>(),
  marks = new Map<string, MarkedShard & { readonly minute: number }>(),
): TrailReader {
  return {
    marked: (from, to) =>
      Promise.resolve([...marks.values()].filter(({ minute }) => minute >= from && minute < to)),
    async *records({ trail, shard }, from, to) {
      const first = sortableTime(from);
      const end = sortableTime(to);
      const own = [...records.values()].filter(
        (record) =>
          record.trail === trail &&
          record.shard === shard &&
          record.position >= first &&
          record.position < end,
      );
      yield* pagesOf(own.toSorted((a, b) => byText(a.position, b.position)));
    },
    find: (trail, places) =>
      Promise.resolve(places.flatMap((place) => records.get(recordKey(trail, place)) ?? [])),
  };
}

/** Marks the partition of a record in its minute, as a writer does first. */
export function mark(
  marks: Map<string, MarkedShard & { readonly minute: number }>,
  { trail, shard }: MarkedShard,
  time: number,
): void {
  const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS;
  marks.set(`${String(minute)}#${String(shard)}#${trail}`, { minute, trail, shard });
}

/** The contract of {@link TrailPages} in memory, as one partition that ends a page at its limit. */
export function someTrailPages(records: Map<string, AuditRecord>): TrailPages {
  return {
    newest(trail, { from, before, limit }) {
      const own = [...records.values()]
        .filter(({ trail: of, position }) => of === trail && position >= from && position < before)
        .toSorted((a, b) => byText(b.position, a.position));
      const readTo = own.length > limit ? own[limit - 1]?.position : undefined;
      return Promise.resolve([{ records: own.slice(0, limit), ...(readTo !== undefined && { readTo }) }]);
    },
  };
}

/** Implements {@link RecordsAt} in memory. */
export const someRecordsAt =
  (records: Map<string, AuditRecord>): RecordsAt =>
  (trail, { at, shard }) => {
    const time = sortableTime(at);
    return Promise.resolve(
      [...records.values()].filter(
        (record) => record.trail === trail && record.shard === shard && record.position.startsWith(time),
      ),
    );
  };
