import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { ServiceError } from '../shared/service-error.ts';
import { existingProxy } from './get-proxy.ts';
import { openVersion } from './open-proxy.ts';
import type { ProxyChange } from './proxy-change.ts';
import { STORED_PROXY_LIMITS, type Proxy } from './stored-proxy.ts';
import { changeProxy, type ChangeProxyDeps, type RequestPlace } from './change-proxy.ts';

/**
 * Makes the definition of an earlier version the newest one, under the checks of any other change.
 * Throws `not_found` for a version that is neither among the last ones nor retained.
 */
export async function revertProxy(
  deps: ChangeProxyDeps,
  caller: Caller,
  id: string,
  {
    version,
    ...change
  }: Pick<ProxyChange, 'configuration' | 'replacesConfiguration' | 'labels' | 'keep'> & {
    readonly version: number;
  },
  place: RequestPlace,
): Promise<Proxy> {
  requirePermission(caller, 'proxy:update');
  const proxy = await existingProxy(deps, caller.tenantId, id);
  const found = (await deps.proxyStore.versions(proxy)).find((each) => each.version === version);
  if (found === undefined)
    throw new ServiceError(
      'not_found',
      `The proxy has no such version among its last ${String(STORED_PROXY_LIMITS.versions)} and those that it keeps.`,
    );
  const { definition } = await openVersion(deps.vault, proxy, found);
  return changeProxy(deps, caller, id, { ...change, apply: () => definition }, place);
}
