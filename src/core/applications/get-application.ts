import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Application } from './application.ts';
import type { Caller } from '../access/caller.ts';
import type { ApplicationStore } from './application-store.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Platform } from '../shared/platform.ts';

export interface GetApplicationDeps extends Platform {
  readonly applicationStore: ApplicationStore;
}

/**
 * Whether operations treat an application as existing. An expired one may only not be deleted yet.
 */
export function applicationExists(application: Pick<Application, 'expiresAtMs'>, now: number): boolean {
  return application.expiresAtMs === undefined || application.expiresAtMs > now;
}

/** Says whether there is an application that has not expired, for `requireFree`. */
export const isShownApplication =
  ({ applicationStore, clock }: Pick<GetApplicationDeps, 'applicationStore' | 'clock'>, tenantId: string) =>
  async (id: string): Promise<boolean> => {
    const application = await applicationStore.find(tenantId, id);
    return application !== undefined && applicationExists(application, clock());
  };

/** Finds an application of a tenant. Throws `not_found` also for an expired one. */
export async function existingApplication(
  deps: GetApplicationDeps,
  tenantId: string,
  id: string,
): Promise<Application> {
  const application = await deps.applicationStore.find(tenantId, id);
  if (application === undefined || !applicationExists(application, deps.clock())) {
    throw new ServiceError('not_found', 'The application does not exist.');
  }
  return application;
}

/**
 * Finds an application that the caller changes, in each attempt of the change. Throws `not_found`,
 * and `unauthenticated` for the caller's own application once its key is deleted or has expired: a
 * request that began before adds no key after it. The change writes on the version that is found.
 */
export async function applicationToChange(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
): Promise<Application> {
  const application = await existingApplication(deps, caller.tenantId, id);
  const { applicationId, keyId } = caller;
  if (applicationId !== id || keyId === undefined) return application;
  const key = application.keys.find((each) => each.id === keyId);
  if (key !== undefined && (key.expiresAtMs ?? Infinity) > deps.clock()) return application;
  throw new ServiceError('unauthenticated', 'The key of this request was deleted, or has expired.');
}

/** Needs `application:read`. Finds only applications of the caller's tenant. */
export async function getApplication(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
): Promise<Application> {
  requirePermission(caller, 'application:read');
  return existingApplication(deps, caller.tenantId, id);
}

/**
 * The caller's own application. A private application may read itself by its own key, so that a
 * program knows which tokens it sees masked (docs/decisions/0108). Any other caller needs
 * `application:read`, except under the setting `clientCompatibility: lenient`
 * (docs/contract.md#applications).
 */
export async function getOwnApplication(
  deps: GetApplicationDeps & { readonly clientCompatibility: ClientCompatibility },
  caller: Caller,
): Promise<Application> {
  const isLenient = deps.clientCompatibility === 'lenient' && caller.type !== 'session';
  const isItself = caller.type === 'private' && caller.actsBy === 'own_key';
  if (!isLenient && !isItself) requirePermission(caller, 'application:read');
  return existingApplication(deps, caller.tenantId, caller.applicationId);
}
