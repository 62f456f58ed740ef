import { randomBytes, randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '../../src/core/trail/index-levels.ts';
import type { IndexReader, IndexStore } from '../../src/core/trail/index-store.ts';
import { createIndexBuilder, type TokenIndex } from '../../src/core/trail/token-index.ts';

const DAY = Date.UTC(2026, 10, 25);

function anIndex(trail: string, from: number, count: number): TokenIndex {
  const builder = createIndexBuilder({ trail, level: 'part', from, salt: randomBytes(16) });
  for (let at = 0; at < count; at += 1) builder.add([randomBytes(16)], { at: from + at, shard: at % 32 });
  return builder.build({ to: from + HOUR_MS, expires: DAY / 1000 + 86_400 });
}

/** Runs the contract that every {@link IndexStore} fulfils together with its {@link IndexReader}. */
export function indexStoreContract(
  name: string,
  make: () => { readonly store: IndexStore; readonly reader: IndexReader },
): void {
  describe(`a store of indexes, ${name},`, () => {
    it.each([0, 3, 1_000])('returns an index of %s entries as a seal names it', async (count) => {
      const [{ store, reader }, trail] = [make(), randomUUID()];
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
  });
}
