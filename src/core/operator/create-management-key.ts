import { dayOf } from '../shared/day-of.ts';
import type { Secret } from '../shared/secret.ts';
import type { ApplicationStore } from '../applications/application-store.ts';
import { changeTenant, type TenantDeps } from '../tenants/change-tenant.ts';
import { newManagementApplication } from './management-application.ts';
import { nextRevision } from '../shared/revision.ts';

export interface CreateManagementKeyDeps extends TenantDeps {
  readonly applicationStore: Pick<ApplicationStore, 'create'>;
  readonly newId: () => string;
  /** Called before the key exists, so that no key is made in silence. */
  readonly onManagementKeyCreated: () => void;
}

export interface CreatedManagementKey {
  readonly applicationId: string;
  readonly keyId: string;
  readonly key: Secret<string>;
  /** The application and its key end at this time, in ms since the epoch. */
  readonly expiresAtMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The life of a recovery key if the operator names none, in ms. */
const USUAL_MS = DAY_MS;

/**
 * Makes a management application with every management permission, for a tenant that has lost its
 * own keys (docs/runbook.md#lost-management-key). The tenant has the time of it before the key
 * exists: a failure in between leaves a time without a key, and never a key without a time. Throws
 * `not_found`.
 */
export async function createManagementKey(
  deps: CreateManagementKeyDeps,
  { tenantId, lifeMs = USUAL_MS }: { readonly tenantId: string; readonly lifeMs?: number | undefined },
): Promise<CreatedManagementKey> {
  const createdAt = deps.clock();
  const expiresAtMs = createdAt + lifeMs;
  await changeTenant(deps, tenantId, (tenant) => ({
    ...tenant,
    recoveredAt: createdAt,
    revision: nextRevision(deps.random, tenant),
  }));
  deps.onManagementKeyCreated();
  const name = `Recovery ${dayOf(createdAt)}`;
  const { application, key, text } = newManagementApplication(deps, {
    tenantId,
    name,
    createdAt,
    expiresAtMs,
  });
  if (!(await deps.applicationStore.create(application)))
    throw new Error('create management key: a new id is in use');
  return { applicationId: application.id, keyId: key.id, key: text, expiresAtMs };
}
