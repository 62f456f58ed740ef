import { deleteKey } from '../../../src/core/applications/manage-keys.ts';
import { keysOfProxy } from '../../../src/core/stored-proxies/keys-of-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'deleteProxyKey',
  method: 'DELETE',
  path: '/proxies/{id}/keys/{key_id}',
  subject: 'proxy',
  permission: 'proxy:update',
  takesCondition: true,
  success: 204,
  handle: async (deps, { caller, params: { id, key_id: keyId } }) => {
    await deleteKey(deps, keysOfProxy(deps, caller, id), keyId);
    return {};
  },
});
