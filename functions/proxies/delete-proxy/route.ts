import { deleteProxy } from '../../../src/core/stored-proxies/delete-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'deleteProxy',
  method: 'DELETE',
  path: '/proxies/{id}',
  subject: 'proxy',
  permission: 'proxy:delete',
  takesCondition: true,
  success: 204,
  handle: async (deps, { caller, params: { id } }) => {
    await deleteProxy(deps, caller, id);
    return {};
  },
});
