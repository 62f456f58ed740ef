import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { existingProxy, type GetProxyDeps } from './get-proxy.ts';
import type { ProxyFailure, ProxyFailureStore } from './proxy-failure-store.ts';

export interface ListFailuresDeps extends Pick<GetProxyDeps, 'proxyStore'> {
  readonly proxyFailureStore: Pick<ProxyFailureStore, 'last'>;
}

/**
 * Lists the last failures of a proxy's transforms, newest first: what their callers do not see,
 * because others have written the proxy.
 */
export async function listProxyFailures(
  deps: ListFailuresDeps,
  caller: Caller,
  id: string,
): Promise<readonly ProxyFailure[]> {
  requirePermission(caller, 'proxy:read');
  const { tenantId } = caller;
  await existingProxy(deps, tenantId, id);
  return deps.proxyFailureStore.last({ tenantId, proxyId: id });
}
