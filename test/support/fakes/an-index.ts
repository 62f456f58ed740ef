import type { IndexPages, IndexRequest, IndexStore } from '../../../src/core/audit/index-store.ts';
import { placesBetween, type TokenIndex } from '../../../src/core/audit/token-index.ts';

/** The contracts of the stores of the index, in memory; indexes by {@link keyOf}. */
export interface AnIndex {
  readonly indexes: Map<string, TokenIndex>;
  readonly listed: Map<number, Set<string>>;
  readonly requests: IndexRequest[];
}

/** How a seal names an index, without the hash. */
export const keyOf = ({
  trail,
  level,
  from,
  to,
}: Pick<TokenIndex, 'trail' | 'level' | 'from' | 'to'>): string => [trail, level, from, to].join(' ');

export const anIndex = (over: Partial<AnIndex> = {}): AnIndex => ({
  ...{ indexes: new Map(), listed: new Map(), requests: [] },
  ...over,
});

export function anIndexStore({ indexes, listed, requests }: AnIndex = anIndex()): IndexStore {
  return {
    insert(index) {
      const key = keyOf(index);
      if (!indexes.has(key)) indexes.set(key, index);
      return Promise.resolve();
    },
    list(day, trail) {
      listed.set(day, (listed.get(day) ?? new Set()).add(trail));
      return Promise.resolve();
    },
    async *listed(day, after = '') {
      yield await Promise.resolve([...(listed.get(day) ?? [])].filter((trail) => trail > after).toSorted());
    },
    asked: (after = '') => Promise.resolve(requests.filter(({ id }) => id > after)),
  };
}

export function someIndexPages({ indexes }: AnIndex): IndexPages {
  return {
    headers: (trail, level, after) =>
      Promise.resolve(
        [...indexes.values()]
          .filter((index) => index.trail === trail && index.level === level && index.to > after)
          .map((index) => ({ ...index, id: index.hash }))
          .toSorted((a, b) => a.to - b.to),
      ),
    places: (header, bounds, limit) =>
      Promise.resolve(placesBetween(header, header.entries ?? Buffer.alloc(0), bounds).slice(0, limit)),
  };
}
