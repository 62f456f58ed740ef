import type { Application } from '../../../src/core/applications/application.ts';
import type {
  ApplicationGrantsStore,
  ApplicationStore,
} from '../../../src/core/applications/application-store.ts';
import { at, foundIn } from './by-tenant.ts';

/**
 * Reads for sessions and reactors that act for applications, over records that the test sets under
 * `at(tenantId, id)`.
 */
export function applicationReads(
  applications: ReadonlyMap<string, Application>,
): Pick<ApplicationStore, 'find' | 'findMany'> & ApplicationGrantsStore {
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
  };
}
