import { generateApiKey } from '../crypto/api-key.ts';
import type { EgressAllowList } from '../egress/destination.ts';
import { asOwned, externalIdAfter, writeNext } from '../shared/external-id.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { nextRevision, requireMatch } from '../shared/revision.ts';
import type { Secret } from '../shared/secret.ts';
import { invalidMembers } from '../shared/service-error.ts';
import type { Grants } from '../access/access-rule.ts';
import type { Application } from './application.ts';
import { FOR_EVER, newKey } from './application-key.ts';
import type { Caller } from '../access/caller.ts';
import { managerBeside } from './last-manager.ts';
import { applicationToChange, isShownApplication, type GetApplicationDeps } from './get-application.ts';
import { requirePermission } from '../access/require-permission.ts';
import { validateGrants } from '../access/validate-grants.ts';

/**
 * The content of an update; it replaces name, permissions and rules in full
 * (docs/contract.md#update-an-application).
 */
export interface ApplicationUpdate extends Grants {
  readonly name: string;
  /** Another external id; `null` takes it away, and without it the application has its own. */
  readonly externalId?: string | null;
  /** Whether it may leave the tenant without a manager. */
  readonly mayBeLast?: boolean;
  /** Throws if the update has a different value for any other member. */
  readonly check?: (current: Application) => void;
}

export interface UpdateApplicationDeps extends GetApplicationDeps {
  readonly egressAllowList: EgressAllowList;
}

function changed(deps: GetApplicationDeps, caller: Caller, application: Application): Application {
  return {
    ...application,
    modifiedBy: caller.applicationId,
    modifiedAt: deps.clock(),
    revision: nextRevision(deps.random, application),
    version: application.version + 1,
  };
}

/**
 * Replaces name, permissions and rules; type and expiry do not change. The new grants apply from
 * the next request on.
 */
export async function updateApplication(
  deps: UpdateApplicationDeps,
  caller: Caller,
  id: string,
  update: ApplicationUpdate,
): Promise<Application> {
  requirePermission(caller, 'application:update');
  return retryConflict<Application>(deps, async () => {
    const previous = await applicationToChange(deps, caller, id);
    update.check?.(previous);
    const errors = validateGrants(previous.type, update, deps.egressAllowList);
    if (Object.keys(errors).length > 0) throw invalidMembers(errors);
    const { name, permissions, rules } = update;
    const owned = await asOwned(deps.applicationStore, previous, update.externalId);
    const { externalId: before, ...rest } = previous;
    const named = externalIdAfter(before, update.externalId);
    const next = changed(deps, caller, { ...rest, ...named, name, permissions, rules });
    const beside = update.mayBeLast === true ? undefined : await managerBeside(deps, caller, previous, next);
    const isShown = isShownApplication(deps, caller.tenantId);
    return writeNext(deps.applicationStore, caller, { previous: owned, next, isShown }, () =>
      deps.applicationStore.update(owned, next, beside),
    );
  });
}

/**
 * Puts one new key in the place of all keys of an application. They are rejected from then on.
 * The new key manages if one of them did.
 */
export async function regenerateKey(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
): Promise<{ readonly application: Application; readonly key: Secret<string> }> {
  requirePermission(caller, 'application:update');
  return retryConflict<{ readonly application: Application; readonly key: Secret<string> }>(
    deps,
    async () => {
      const previous = await applicationToChange(deps, caller, id);
      const by = { createdBy: caller.applicationId, createdAt: deps.clock() };
      const { key, text } = newKey(deps, generateApiKey(deps.random, previous.type, previous.tenantId), {
        ...FOR_EVER,
        ...by,
      });
      const application = { ...changed(deps, caller, previous), keys: [key] };
      requireMatch(caller, previous);
      return (await deps.applicationStore.update(previous, application))
        ? { application, key: text }
        : 'conflict';
    },
  );
}

/** Throws `last_manager` unless it may leave the tenant without a manager. */
export async function deleteApplication(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
  mayBeLast = false,
): Promise<void> {
  requirePermission(caller, 'application:delete');
  await retryConflict(deps, async () => {
    const application = await applicationToChange(deps, caller, id);
    const beside = mayBeLast ? undefined : await managerBeside(deps, caller, application, undefined);
    requireMatch(caller, application);
    return (await deps.applicationStore.delete(application, beside)) ? 'deleted' : 'conflict';
  });
}
