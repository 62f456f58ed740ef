import type { Application } from '../../../src/core/applications/application.ts';
import type {
  ApplicationGrantsStore,
  ApplicationStore,
  DeletedKey,
} from '../../../src/core/applications/application-store.ts';
import { at, foundIn } from './by-tenant.ts';

type Reads = Pick<ApplicationStore, 'find' | 'findMany'> & ApplicationGrantsStore;

/**
 * Reads for sessions and reactors that act for applications, over records that the test sets under
 * `at(tenantId, id)`.
 */
export function applicationReads(
  applications: ReadonlyMap<string, Application>,
  deleted: ReadonlyMap<string, DeletedKey> = new Map(),
): Reads {
  return {
    find: (tenantId, id) => Promise.resolve(applications.get(at(tenantId, id))),
    findMany: (tenantId, ids) => Promise.resolve(foundIn(applications, tenantId, ids)),
    grants: (tenantId, ids) =>
      Promise.resolve(
        foundIn(applications, tenantId, ids).map(({ id, type, permissions, rules, expiresAtMs, keys }) => ({
          id,
          tenantId,
          type,
          permissions,
          rules,
          keys: keys.map((key) => ({
            id: key.id,
            ...(key.expiresAtMs !== undefined && { expiresAtMs: key.expiresAtMs }),
          })),
          ...(expiresAtMs !== undefined && { expiresAtMs }),
        })),
      ),
    deletedKeys: (tenantId, keyIds) => Promise.resolve(foundIn(deleted, tenantId, keyIds)),
  };
}

/** An application store in memory, which remembers the keys that it deletes. */
export function anApplicationStore(
  clock: () => number,
  applications = new Map<string, Application>(),
): Reads & ApplicationStore {
  const deleted = new Map<string, DeletedKey>();
  const placeOf = ({ tenantId, id }: Application) => at(tenantId, id);
  const isCurrent = (previous: Application) =>
    applications.get(placeOf(previous))?.version === previous.version;
  function forget(previous: Application, next?: Application): void {
    const left = new Set(next?.keys.map(({ id }) => id));
    for (const { id: keyId, expiresAtMs = Infinity } of previous.keys.filter(({ id }) => !left.has(id))) {
      const hadEnded = Math.min(expiresAtMs, previous.expiresAtMs ?? Infinity) <= clock();
      deleted.set(at(previous.tenantId, keyId), { keyId, hadEnded });
    }
  }
  return {
    ...applicationReads(applications, deleted),
    async *list(tenantId) {
      yield await Promise.resolve([...applications.values()].filter((each) => each.tenantId === tenantId));
    },
    forgetRetiredKeys: () => Promise.resolve(0),
    lastUses: () => Promise.resolve(new Map()),
    create(application) {
      applications.set(placeOf(application), application);
      return Promise.resolve(true);
    },
    update(previous, next) {
      if (!isCurrent(previous)) return Promise.resolve(false);
      forget(previous, next);
      applications.set(placeOf(next), next);
      return Promise.resolve(true);
    },
    delete(application) {
      if (!isCurrent(application)) return Promise.resolve(false);
      forget(application);
      applications.delete(placeOf(application));
      return Promise.resolve(true);
    },
  };
}
