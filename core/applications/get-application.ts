import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Application, Caller } from './application.ts';
import type { ApplicationStore } from './application-store.ts';
import { requirePermission } from './require-permission.ts';

export interface GetApplicationDeps {
  readonly applicationStore: ApplicationStore;
  readonly clock: Clock;
}

async function existing(deps: GetApplicationDeps, tenantId: string, id: string): Promise<Application> {
  const application = await deps.applicationStore.find(tenantId, id);
  const gone = application?.expiresAt !== undefined && application.expiresAt <= deps.clock();
  if (application === undefined || gone)
    throw new ServiceError('not_found', 'The application does not exist.');
  return application;
}

/** An application of the caller's tenant by its id; `not_found` also for one that has expired and is not deleted yet. */
export async function getApplication(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
): Promise<Application> {
  requirePermission(caller, 'application:read');
  return existing(deps, caller.tenantId, id);
}

/**
 * The caller's own application. Needs `application:read`, except under the deploy setting `clientCompatibility: lenient`,
 * where every application may read itself (decisions.md, section 5).
 */
export async function getOwnApplication(
  deps: GetApplicationDeps & { readonly ownReadIsFree: boolean },
  caller: Caller,
): Promise<Application> {
  if (!deps.ownReadIsFree) requirePermission(caller, 'application:read');
  return existing(deps, caller.tenantId, caller.applicationId);
}
