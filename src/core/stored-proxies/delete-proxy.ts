import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Platform } from '../shared/platform.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { requireMatch } from '../shared/revision.ts';
import { existingProxy, type GetProxyDeps } from './get-proxy.ts';

/** Deletes a proxy with its keys and versions. Afterwards no call is admitted. */
export async function deleteProxy(deps: GetProxyDeps & Platform, caller: Caller, id: string): Promise<void> {
  requirePermission(caller, 'proxy:delete');
  await retryConflict(deps, async () => {
    const proxy = await existingProxy(deps, caller.tenantId, id);
    requireMatch(caller, proxy);
    return (await deps.proxyStore.delete(proxy)) ? 'deleted' : 'conflict';
  });
}
