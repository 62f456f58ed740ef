import type { ReactorStore } from '../../../src/core/reactors/reactor-store.ts';
import type { StoredReactor } from '../../../src/core/reactors/reactor.ts';
import { at, foundIn } from './by-tenant.ts';

/** Implements {@link ReactorStore} in memory. */
export function aReactorStore(reactors = new Map<string, StoredReactor>()): ReactorStore {
  const placeOf = ({ tenantId, id }: StoredReactor) => at(tenantId, id);
  return {
    create(reactor) {
      const existing = reactors.get(placeOf(reactor));
      if (existing === undefined) reactors.set(placeOf(reactor), reactor);
      return Promise.resolve(existing ?? 'created');
    },
    find: (tenantId, id) => Promise.resolve(reactors.get(at(tenantId, id))),
    findMany: (tenantId, ids) => Promise.resolve(foundIn(reactors, tenantId, ids)),
    async *list(tenantId, after) {
      yield await Promise.resolve(
        [...reactors.values()]
          .filter((reactor) => reactor.tenantId === tenantId && (after === undefined || reactor.id < after))
          .toSorted((a, b) => (a.id < b.id ? 1 : -1)),
      );
    },
    update(next) {
      const isBefore = reactors.get(placeOf(next))?.version === next.version - 1;
      if (isBefore) reactors.set(placeOf(next), next);
      return Promise.resolve(isBefore);
    },
    delete(reactor) {
      const found = reactors.get(placeOf(reactor));
      const isGoneOrSame = found === undefined || found.version === reactor.version;
      if (isGoneOrSame) reactors.delete(placeOf(reactor));
      return Promise.resolve(isGoneOrSame);
    },
  };
}
