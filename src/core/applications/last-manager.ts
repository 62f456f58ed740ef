import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Application } from './application.ts';
import { applicationExists, type GetApplicationDeps } from './get-application.ts';

/** Whether a key that lives now may change the applications of its tenant. */
export const isManager = (application: Application, now: number): boolean =>
  application.permissions.includes('application:update') &&
  applicationExists(application, now) &&
  application.keys.some(({ expiresAtMs = Infinity }) => expiresAtMs > now);

/** Finds another application that manages now: the caller's own, or otherwise the newest. */
async function anotherManager(
  { applicationStore, clock }: GetApplicationDeps,
  { tenantId, applicationId }: Caller,
  besides: string,
): Promise<Application | undefined> {
  const isOther = (each: Application) => each.id !== besides && isManager(each, clock());
  const own = applicationId === besides ? undefined : await applicationStore.find(tenantId, applicationId);
  if (own !== undefined && isOther(own)) return own;
  for await (const applications of applicationStore.list(tenantId, undefined)) {
    const found = applications.find(isOther);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Finds an application that still manages after a change of another one; `undefined` if the change
 * takes no last managing key of its application, which needs no read. The change is written under
 * the condition that this one is as it was found: two that end each other's keys at once cannot
 * both succeed (docs/decisions/0080-refuse-to-end-the-last-manager.md). Throws `last_manager`.
 */
export async function managerBeside(
  deps: GetApplicationDeps,
  caller: Caller,
  previous: Application,
  next: Application | undefined,
): Promise<Application | undefined> {
  const now = deps.clock();
  if (!isManager(previous, now) || (next !== undefined && isManager(next, now))) return undefined;
  const other = await anotherManager(deps, caller, previous.id);
  if (other !== undefined) return other;
  throw new ServiceError(
    'last_manager',
    'No other key has application:update: after this no one could change an application. Create another management key first, or repeat the request with ?force=true.',
  );
}
