import { getProxy } from '../../../src/core/stored-proxies/get-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentProxy } from '../../../src/wire/proxy.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'getProxy',
  method: 'GET',
  path: '/proxies/{id}',
  subject: 'proxy',
  permission: 'proxy:read',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => ({
    body: presentProxy(await getProxy(deps, caller, id)),
  }),
});
