import { randomBytes, randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '../../src/core/trail/index-levels.ts';
import type { IndexPages, IndexReader, IndexStore } from '../../src/core/trail/index-store.ts';
import {
  boundsOf,
  createIndexBuilder,
  type IndexedPlace,
  type TokenIndex,
} from '../../src/core/trail/token-index.ts';

const DAY = Date.UTC(2026, 10, 25);
/** The bytes by which an index names a token. */
const NAME = randomBytes(16);

function anIndex(
  trail: string,
  from: number,
  count: number,
  places: readonly IndexedPlace[] = [],
): TokenIndex {
  const builder = createIndexBuilder({ trail, level: 'part', from, salt: randomBytes(16) });
  for (const place of places) builder.add([NAME], place);
  for (let at = 0; at < count; at += 1) builder.add([randomBytes(16)], { at: from + at, shard: at % 32 });
  return builder.build({ to: from + HOUR_MS, expires: DAY / 1000 + 86_400 });
}

/** Runs the contract that every {@link IndexStore} fulfils with its readers. */
export function indexStoreContract(
  name: string,
  make: () => { readonly store: IndexStore; readonly reader: IndexReader; readonly pages: IndexPages },
): void {
  describe(`a store of indexes, ${name},`, () => {
    it.each([0, 3, 1_000])('returns an index of %s entries as a seal names it', async (count) => {
      const { store, reader } = make();
      const trail = randomUUID();
      const index = anIndex(trail, DAY, count);
      await store.insert(index);
      await store.insert(index);
      const { level, from, to, hash } = index;
      expect(await reader.readIndex([trail, level, from, to, hash])).toMatchObject(index);
      const other = anIndex(trail, DAY, count);
      expect(await reader.readIndex([trail, level, from, to, other.hash])).toBeUndefined();
    });

    it('lists the trails of a day once each, in order, after one of them', async () => {
      const { store } = make();
      const day = DAY + DAY_MS;
      for (const trail of ['c', 'a', 'b', 'a']) await store.list(day, trail);
      await store.list(day + DAY_MS, 'd');
      const listed = async (after: string | undefined) => {
        const all: string[] = [];
        for await (const trails of store.listed(day, after)) all.push(...trails);
        return all;
      };
      expect(await listed(undefined)).toEqual(['a', 'b', 'c']);
      expect(await listed('a')).toEqual(['b', 'c']);
      expect(await listed('c')).toEqual([]);
    });

    it('describes the indexes of a trail that end after a time, by their ends', async () => {
      const { store, pages } = make();
      const trail = randomUUID();
      const indexes = [2, 0, 1].map((hour) => anIndex(trail, DAY + hour * HOUR_MS, 1));
      for (const index of [...indexes, anIndex(randomUUID(), DAY, 1)]) await store.insert(index);
      const endsAfter = async (after: number) =>
        (await pages.headers(trail, 'part', after)).map(({ to }) => (to - DAY) / HOUR_MS);
      expect(await endsAfter(0)).toEqual([1, 2, 3]);
      expect(await endsAfter(DAY + HOUR_MS)).toEqual([2, 3]);
      expect(await endsAfter(DAY + 3 * HOUR_MS)).toEqual([]);
      expect(await pages.headers(trail, 'day', 0)).toEqual([]);
    });

    it.each([0, 2_000])('finds the newest places of a token beside %s entries of others', async (others) => {
      const { store, pages } = make();
      const trail = randomUUID();
      const places = Array.from({ length: 600 }, (_, at) => ({
        at: DAY + 3_000 - 7 * (at >> 2),
        shard: 31 - (at % 4),
      }));
      await store.insert(anIndex(trail, DAY, others, places));
      const [header] = await pages.headers(trail, 'part', 0);
      if (header === undefined) throw new Error('no header');
      const found = (limit: number, before = Infinity) =>
        pages.places(header, boundsOf(header, NAME, before), limit);
      const isOwn = (place: IndexedPlace) =>
        places.some(({ at, shard }) => place.at === at && place.shard === shard);
      expect((await found(1_000)).filter(isOwn)).toEqual(places);
      // The ms of the last place is complete, and more may follow.
      const some = (await found(5)).filter(isOwn);
      expect(some.slice(0, 8)).toEqual(places.slice(0, 8));
      expect(some).toEqual(places.slice(0, some.length));
      const older = places.filter(({ at }) => at < DAY + 2_000);
      expect((await found(1_000, DAY + 2_000)).filter(isOwn)).toEqual(older);
    });
  });
}
