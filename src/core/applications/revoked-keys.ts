import type { Grantor } from '../access/caller.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { ApplicationGrants, ApplicationGrantsStore } from './application-store.ts';

export interface RevokedKeysDeps {
  readonly applicationGrantsStore: ApplicationGrantsStore;
}

/** The error for work that a key asked for which was revoked. */
export const keyRevoked = (): ServiceError =>
  new ServiceError('forbidden', 'The key that invoked the reactor was revoked, or that of its session.');

/**
 * Finds the keys that were revoked: deleted or regenerated before their end
 * (docs/contract.md#a-revoked-key). A key that its application still has is not, also after its
 * end. Reads what is remembered of deleted keys only for those that are missing, and their
 * applications unless they are `read`.
 */
export async function revokedAmong(
  { applicationGrantsStore }: RevokedKeysDeps,
  tenantId: string,
  keys: readonly Grantor[],
  read?: readonly ApplicationGrants[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const ids = [...new Set(keys.map(({ applicationId }) => applicationId))];
  const applications = read ?? (await applicationGrantsStore.grants(tenantId, ids));
  const present = new Set(applications.flatMap((each) => each.keys.map(({ id }) => id)));
  const missing = keys.map(({ keyId }) => keyId).filter((id) => !present.has(id));
  if (missing.length === 0) return new Set();
  const deleted = await applicationGrantsStore.deletedKeys(tenantId, missing);
  const ended = new Set(deleted.filter(({ hadEnded }) => hadEnded).map(({ keyId }) => keyId));
  // A key of which nothing is remembered is as good as revoked.
  return new Set(missing.filter((id) => !ended.has(id)));
}
