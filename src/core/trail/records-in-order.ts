import type { AuditRecord } from '../audit/audit-record.ts';
import type { TrailReader } from './trail-store.ts';

interface Range {
  readonly trail: string;
  readonly shards: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The part of a shard that was read but not yet returned. */
interface Cursor {
  readonly pages: AsyncIterator<readonly AuditRecord[]>;
  page: readonly AuditRecord[];
  at: number;
}

/** Reads the next page if the last one is used up; `false` at the end. A page may be empty. */
async function hasNext(cursor: Cursor): Promise<boolean> {
  while (cursor.at >= cursor.page.length) {
    const next = await cursor.pages.next();
    if (next.done === true) return false;
    cursor.page = next.value;
    cursor.at = 0;
  }
  return true;
}

const isBefore = (a: AuditRecord, b: AuditRecord): boolean =>
  a.position === b.position ? a.shard < b.shard : a.position < b.position;

function firstOf(cursors: readonly Cursor[]): { cursor: Cursor; record: AuditRecord } | undefined {
  let first: { cursor: Cursor; record: AuditRecord } | undefined;
  for (const cursor of cursors) {
    const record = cursor.page[cursor.at];
    if (record !== undefined && (first === undefined || isBefore(record, first.record)))
      first = { cursor, record };
  }
  return first;
}

/**
 * The records of some shards of a trail in batches, ordered by position, then by shard. One page of
 * each shard is in memory. Rejects as soon as one shard cannot be read.
 */
export async function* recordsInOrder(
  reader: Pick<TrailReader, 'records'>,
  { trail, shards, from, to }: Range,
): AsyncGenerator<readonly AuditRecord[]> {
  let cursors: readonly Cursor[] = shards.map((shard) => ({
    pages: reader.records({ trail, shard }, from, to)[Symbol.asyncIterator](),
    page: [],
    at: 0,
  }));
  for (;;) {
    const more = await Promise.all(cursors.map(hasNext));
    cursors = cursors.filter((_, index) => more[index]);
    if (cursors.length === 0) return;
    // A batch ends with the first page that is used up, because the next page of that shard may
    // come next.
    const batch: AuditRecord[] = [];
    for (let first = firstOf(cursors); first !== undefined; first = firstOf(cursors)) {
      batch.push(first.record);
      first.cursor.at += 1;
      if (first.cursor.at === first.cursor.page.length) break;
    }
    yield batch;
  }
}
