import { getProxy } from '../../../src/core/stored-proxies/get-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { ProxiesDeps } from '../dependencies.ts';
import { presentOne } from '../present-one.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'getProxy',
  method: 'GET',
  path: '/proxies/{id}',
  subject: 'proxy',
  permission: 'proxy:review',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => presentOne(await getProxy(deps, caller, id)),
});
