import { placeText, type AuditRecord, type RecordPlace } from '../../../src/core/audit/audit-record.ts';
import type { RecordsAt } from '../../../src/core/trail/find-by-token.ts';
import type { TrailPages } from '../../../src/core/trail/list-records.ts';
import type { Seal, SealHead, SealStore, TrailReader } from '../../../src/core/trail/trail-store.ts';
import type { MarkedShard } from '../../../src/core/audit/audit-log.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';

const PAGE = 3;
const MINUTE_MS = 60_000;

/**
 * Pages of a list, including an empty one: a page of a store may be empty without being the last.
 */
async function* pagesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
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
      const [first, end] = [sortableTime(from), sortableTime(to)];
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

const inOrder = (seals: Iterable<Seal>): readonly Seal[] =>
  [...seals].toSorted((a, b) => a.from - b.from || a.part - b.part);

export const sealKey = ({ from, part }: Pick<Seal, 'from' | 'part'>): string =>
  `${String(from)}#${String(part)}`;

/** Where the first seal of a store begins: all users of the store share it. */
const beginnings = new WeakMap<object, number>();

/** Implements {@link SealStore} in memory. */
export function aSealStore(seals = new Map<string, Seal>()): SealStore {
  return {
    newest: () => Promise.resolve(inOrder(seals.values()).at(-1)),
    async *seals(from, to) {
      yield* pagesOf(inOrder(seals.values()).filter((seal) => seal.from >= from && seal.from < to));
    },
    begin(from) {
      const begun = beginnings.get(seals) ?? from;
      beginnings.set(seals, begun);
      return Promise.resolve(begun);
    },
    insert(seal) {
      const isNew = !seals.has(sealKey(seal));
      if (isNew) seals.set(sealKey(seal), seal);
      return Promise.resolve(isNew);
    },
  };
}

/** Implements {@link SealHead} in memory. */
export function aSealHead(head: { hash: Buffer | undefined }): SealHead {
  return {
    read: () => Promise.resolve(head.hash),
    move(from, to) {
      const isSame = from === undefined ? head.hash === undefined : head.hash?.equals(from) === true;
      if (isSame) head.hash = to;
      return Promise.resolve(isSame);
    },
  };
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
