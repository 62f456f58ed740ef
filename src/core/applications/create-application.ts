import { generateApiKey } from '../crypto/api-key.ts';
import { orderedId } from '../shared/ordered-id.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid, invalidMembers, ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { Grants } from '../access/access-rule.ts';
import { firstVersion, type Application } from './application.ts';
import { FOR_EVER, keysOfOthers, newKey } from './application-key.ts';
import type { Caller } from '../access/caller.ts';
import type { ApplicationStore } from './application-store.ts';
import type { ApplicationType } from '../access/permission.ts';
import { requirePermission } from '../access/require-permission.ts';
import { firstRevision } from '../shared/revision.ts';
import { requireFree } from '../shared/external-id.ts';
import { validateGrants } from '../access/validate-grants.ts';
import type { EgressAllowList } from '../egress/destination.ts';
import type { Platform } from '../shared/platform.ts';
import { isShownApplication } from './get-application.ts';

export interface CreateApplicationDeps extends Platform {
  readonly applicationStore: ApplicationStore;
  readonly egressAllowList: EgressAllowList;
}

export interface NewApplication extends Grants {
  readonly name: string;
  readonly externalId?: string;
  readonly type: ApplicationType;
  readonly expiresAtMs?: number;
}

/**
 * Returns the key here and never again; only its hash is stored. A retry whose first response was
 * lost gets another key, since the first is unknown to everyone.
 */
export async function createApplication(
  deps: CreateApplicationDeps,
  caller: Caller,
  input: NewApplication,
  writes: WriteIdentity,
): Promise<{ readonly application: Application; readonly key: Secret<string> }> {
  requirePermission(caller, 'application:create');
  const errors = validateGrants(input.type, input, deps.egressAllowList);
  if (Object.keys(errors).length > 0) throw invalidMembers(errors);
  const now = deps.clock();
  if (input.expiresAtMs !== undefined && input.expiresAtMs <= now)
    throw invalid('expires_at', 'must be in the future');
  const id = orderedId(writes.startedAt ?? now, writes.newId());
  const { tenantId, applicationId: createdBy } = caller;
  const writeId = writes.newWriteId();
  const by = { createdBy, createdAt: now, writeId };
  const { key, text } = newKey(deps, generateApiKey(deps.random, input.type, tenantId), {
    ...FOR_EVER,
    ...by,
  });
  const application: Application = {
    ...input,
    id,
    tenantId,
    createdBy,
    createdAt: now,
    keys: [key],
    revision: firstRevision(deps.random),
    version: firstVersion(deps.random),
  };
  if (await deps.applicationStore.create(application)) return { application, key: text };
  const made = await deps.applicationStore.find(tenantId, id);
  if (made === undefined) {
    await requireFree(deps.applicationStore, application, isShownApplication(deps, tenantId));
    throw new ServiceError('conflict', 'The external_id was freed at this moment.');
  }
  const others = keysOfOthers(made, writeId);
  const again = { ...made, keys: [...others, key], version: made.version + 1 };
  // Its key may be gone meanwhile: who may only create applications adds no key to one.
  if (others.length === made.keys.length || !(await deps.applicationStore.update(made, again)))
    throw new ServiceError('conflict', 'The application was changed by another request.');
  return { application: again, key: text };
}
