import type {
  IndexPages,
  IndexReader,
  IndexRequest,
  IndexStore,
} from '../../../src/core/trail/index-store.ts';
import type { SealedIndex } from '../../../src/core/trail/seal.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { placesBetween, type TokenIndex } from '../../../src/core/trail/token-index.ts';

/** The contracts of the stores of the index, in memory. */
export interface AnIndex {
  /** {@link keyOf} returns the keys. */
  readonly indexes: Map<string, TokenIndex>;
  /** Days with their trails, as `day trail`. */
  readonly listed: Set<string>;
  readonly requests: IndexRequest[];
}

/** The key of an index by how a seal names it. */
export const keyOf = (sealed: SealedIndex): string => sealed.join(' ');

export const anIndex = (over: Partial<AnIndex> = {}): AnIndex => ({
  indexes: new Map(),
  listed: new Set(),
  requests: [],
  ...over,
});

export function anIndexStore({ indexes, listed, requests }: AnIndex = anIndex()): IndexStore {
  return {
    insert(index) {
      const key = keyOf([index.trail, index.level, index.from, index.to, index.hash]);
      if (!indexes.has(key)) indexes.set(key, index);
      return Promise.resolve();
    },
    list(day, trail) {
      listed.add(`${String(day)} ${trail}`);
      return Promise.resolve();
    },
    async *listed(day, after = '') {
      const prefix = `${String(day)} `;
      const trails = [...listed].flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : []));
      yield await Promise.resolve(trails.filter((trail) => trail > after).toSorted());
    },
    asked: (after = '', before) =>
      Promise.resolve(requests.filter(({ id }) => id > after && id < sortableTime(before))),
  };
}

export const anIndexReader = ({ indexes }: Pick<AnIndex, 'indexes'>): IndexReader => ({
  readIndex: (sealed) => Promise.resolve(indexes.get(keyOf(sealed))),
});

export function someIndexPages({ indexes }: Pick<AnIndex, 'indexes'>): IndexPages {
  return {
    headers: (trail, level, after) =>
      Promise.resolve(
        [...indexes.values()]
          .filter((index) => index.trail === trail && index.level === level && index.to > after)
          .map((index) => ({ ...index, id: index.hash }))
          .toSorted((a, b) => a.to - b.to),
      ),
    places: (header, bounds, limit) => {
      const places = placesBetween(header, header.entries ?? Buffer.alloc(0), bounds);
      const last = places[limit - 1]?.at ?? 0;
      return Promise.resolve(places.filter(({ at }) => at >= last));
    },
  };
}
