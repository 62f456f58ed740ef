import { randomBytes } from 'node:crypto';
import type { Seal, SealHead, SealStore } from '../../src/core/trail/trail-store.ts';

const START = Date.UTC(2026, 10, 25, 10);

const aSeal = (minute: number, part = 1): Seal => ({
  from: START + minute * 60_000,
  part,
  body: `{"minute":${String(minute)}}`,
  signature: randomBytes(70),
});

async function sealsOf(store: SealStore, from: number, to: number): Promise<readonly Seal[]> {
  const all: Seal[] = [];
  for await (const page of store.seals(from, to)) all.push(...page);
  return all;
}

/** The contract of every {@link SealStore}; `make` returns an empty one. */
export function sealStoreContract(name: string, make: () => SealStore): void {
  it(`a seal store, ${name}, has one start, and one seal at each place, in their order`, async () => {
    const store = make();
    expect(await store.newest()).toBeUndefined();
    expect([await store.begin(START), await store.begin(START + 1)]).toEqual([START, START]);
    const first = aSeal(1);
    const second = aSeal(2);
    const part = aSeal(2, 2);
    for (const seal of [second, part, first]) expect(await store.insert(seal)).toBe(true);
    expect(await store.insert(aSeal(2))).toBe(false);
    expect(await store.newest()).toEqual(part);
    expect(await sealsOf(store, first.from, second.from)).toEqual([first]);
    expect(await sealsOf(store, first.from, second.from + 1)).toEqual([first, second, part]);
    expect(await sealsOf(store, second.from + 1, second.from + 2)).toEqual([]);
    expect(await sealsOf(store, second.from + 1, first.from)).toEqual([]);
  });
}

/** The contract of every {@link SealHead}; `make` returns an empty one. */
export function sealHeadContract(name: string, make: () => SealHead): void {
  it(`the head of the seals, ${name}, moves only from the hash that the writer read`, async () => {
    const head = make();
    const first = randomBytes(32);
    const second = randomBytes(32);
    expect(await head.read()).toBeUndefined();
    expect(await head.move(second, first)).toBe(false);
    expect(await head.move(undefined, first)).toBe(true);
    expect(await head.move(undefined, second)).toBe(false);
    expect(await head.read()).toEqual(first);
    expect(await head.move(first, second)).toBe(true);
    expect(await head.move(first, randomBytes(32))).toBe(false);
    expect(await head.read()).toEqual(second);
  });
}
