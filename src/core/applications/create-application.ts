import { generateApiKey, hashApiKey } from '../crypto/api-key.ts';
import { orderedId } from '../shared/ordered-id.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid, invalidMembers, ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { Grants } from '../access/access-rule.ts';
import type { Application } from './application.ts';
import type { Caller } from '../access/caller.ts';
import type { ApplicationStore } from './application-store.ts';
import type { ApplicationType } from '../access/permission.ts';
import { requirePermission } from '../access/require-permission.ts';
import { validateGrants } from '../access/validate-grants.ts';
import type { Platform } from '../shared/platform.ts';

export interface CreateApplicationDeps extends Platform {
  readonly applicationStore: ApplicationStore;
}

export interface NewApplication extends Grants {
  readonly name: string;
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
  const errors = validateGrants(input.type, input);
  if (Object.keys(errors).length > 0) throw invalidMembers(errors);
  const now = deps.clock();
  if (input.expiresAtMs !== undefined && input.expiresAtMs <= now)
    throw invalid('expires_at', 'must be in the future');
  const key = generateApiKey(deps.random, input.type, caller.tenantId);
  const application: Application = {
    ...input,
    id: orderedId(writes.startedAt ?? now, writes.newId()),
    tenantId: caller.tenantId,
    createdBy: caller.applicationId,
    createdAt: now,
    version: 1,
  };
  if (await deps.applicationStore.create(application, hashApiKey(key))) return { application, key };
  const made = await deps.applicationStore.find(caller.tenantId, application.id);
  if (made === undefined) throw new Error('create application: its id is taken by nothing');
  const again = { ...made, version: made.version + 1 };
  if (!(await deps.applicationStore.replaceKey(made, again, hashApiKey(key))))
    throw new ServiceError('conflict', 'The application is being changed by another request.');
  return { application: again, key };
}
