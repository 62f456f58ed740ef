import { randomUUID } from 'node:crypto';
import { newRecordPosition, type AuditRecord } from '../../src/core/audit/audit-record.ts';
import type { TrailWriter } from '../../src/core/audit/audit-log.ts';
import type { RecordsAt } from '../../src/core/trail/find-by-token.ts';
import type { TrailPages } from '../../src/core/trail/list-records.ts';
import type { TrailReader } from '../../src/core/trail/trail-store.ts';
import { sortableTime } from '../../src/core/shared/position.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 25, 10);

/** Writes records and marks, for the readers that are tested. */
export interface ReadTrail {
  readonly reader: TrailReader;
  readonly pages: TrailPages;
  readonly recordsAt: RecordsAt;
  readonly mark: TrailWriter['mark'];
  readonly write: (record: AuditRecord) => Promise<unknown>;
}

const aRecord = (trail: string, shard: number, at: number): AuditRecord => ({
  trail,
  shard,
  position: newRecordPosition(machinePlatform.random, at),
  expires: Math.floor(at / 1000) + 86_400,
  mac: Buffer.alloc(32, 7),
  body: '{"v":1,"op":"getToken","outcome":"ok"}',
});

async function allOf(pages: AsyncIterable<readonly AuditRecord[]>): Promise<readonly AuditRecord[]> {
  const all: AuditRecord[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

const descending = (a: AuditRecord, b: AuditRecord) => (a.position < b.position ? 1 : -1);

/** Reads down to the end as queries do: down to where every partition was read. */
async function readDown(pages: TrailPages, trail: string, from: string, before: string, limit: number) {
  const found: AuditRecord[] = [];
  for (let end: string | undefined = before; end !== undefined;) {
    const page = await pages.newest(trail, { from, before: end, limit });
    const floors = page.flatMap(({ readTo }) => readTo ?? []).toSorted();
    const floor: string | undefined = floors.at(-1);
    if (floor !== undefined && floor >= end) throw new Error('the page leads nowhere');
    for (const { records } of page) {
      expect(records.length).toBeLessThanOrEqual(limit);
      expect(records).toEqual(records.toSorted(descending));
      found.push(...records.filter(({ position }) => floor === undefined || position >= floor));
    }
    end = floor;
  }
  return found.toSorted(descending);
}

/** Runs the contract that every {@link TrailReader} fulfils. */
export function trailReaderContract(name: string, make: () => ReadTrail): void {
  describe(`a trail reader, ${name},`, () => {
    it('returns the partitions that were marked in a range of minutes', async () => {
      const { reader, mark } = make();
      const trail = randomUUID();
      const from = START + MINUTE_MS;
      for (const minute of [START, from, from + MINUTE_MS]) {
        const shard = (minute - START) / MINUTE_MS;
        await mark({ trail, shard, minute });
        await mark({ trail, shard, minute });
      }
      const marked = async (to: number) => {
        const found = (await reader.marked(from, to)).filter((each) => each.trail === trail);
        return [...new Set(found.map(({ shard }) => shard))].toSorted();
      };
      expect(await marked(from + MINUTE_MS)).toEqual([1]);
      expect(await marked(from + 2 * MINUTE_MS)).toEqual([1, 2]);
      expect(await marked(from)).toEqual([]);
    });

    it('returns the records of a partition from one time to before another, by position', async () => {
      const { reader, write } = make();
      const trail = randomUUID();
      const records = [5, 3, 0, 4, 1, 2].map((at) => aRecord(trail, 3, START + at));
      for (const record of records) await write(record);
      await write(aRecord(trail, 4, START + 1));
      const expected = records.toSorted((a, b) => (a.position < b.position ? -1 : 1)).slice(1, -1);
      expect(await allOf(reader.records({ trail, shard: 3 }, START + 1, START + 5))).toEqual(expected);
      expect(await allOf(reader.records({ trail, shard: 5 }, START, START + 5))).toEqual([]);
    });

    it('finds those of the requested records that exist', async () => {
      const { reader, write } = make();
      const trail = randomUUID();
      const [one, other, missing] = [1, 2, 3].map((at) => aRecord(trail, at, START + at)) as [
        AuditRecord,
        AuditRecord,
        AuditRecord,
      ];
      await write(one);
      await write(other);
      const found = await reader.find(trail, [one, missing, other]);
      expect(found.toSorted((a, b) => a.shard - b.shard)).toEqual([one, other]);
      expect(await reader.find(randomUUID(), [one])).toEqual([]);
    });

    it.each([1, 2, 3, 100])(
      'pages of at most %s records of a partition leave no record out',
      async (limit) => {
        const { pages, write } = make();
        const trail = randomUUID();
        const records = Array.from({ length: 14 }, (_, at) => aRecord(trail, at % 3, START + (at >> 1)));
        for (const record of records) await write(record);
        await write(aRecord(randomUUID(), 0, START + 2));
        const [newest, ...older] = records.toSorted(descending) as [AuditRecord, ...AuditRecord[]];
        const read = (from: string, before: string) => readDown(pages, trail, from, before, limit);
        expect(await read(sortableTime(START), newest.position)).toEqual(older);
        const from = older[8]?.position ?? sortableTime(START);
        expect(await read(from, sortableTime(START + 60))).toEqual([newest, ...older.slice(0, 9)]);
        expect(await read(sortableTime(START + 60), sortableTime(START + 90))).toEqual([]);
      },
    );

    it('returns the records of one ms in one partition', async () => {
      const { recordsAt, write } = make();
      const trail = randomUUID();
      const records = [0, 1, 1, 2].map((at) => aRecord(trail, 3, START + at));
      for (const record of [...records, aRecord(trail, 4, START + 1)]) await write(record);
      const found = await recordsAt(trail, { at: START + 1, shard: 3 });
      expect(found.toSorted(descending)).toEqual(records.slice(1, 3).toSorted(descending));
      expect(await recordsAt(trail, { at: START + 3, shard: 3 })).toEqual([]);
    });
  });
}
