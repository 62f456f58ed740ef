import { changeProxy } from '../../../src/core/stored-proxies/change-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { patchOf, patchProxyBody } from '../../../src/wire/proxy.ts';
import type { ProxiesDeps } from '../dependencies.ts';
import { presentOne } from '../present-one.ts';
import { placeOf } from '../request-place.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'patchProxy',
  method: 'PATCH',
  path: '/proxies/{id}',
  subject: 'proxy',
  permission: 'proxy:update',
  takesCondition: true,
  success: 200,
  body: patchProxyBody,
  handle: async (deps, { caller, params: { id }, body, request }) =>
    presentOne(await changeProxy(deps, caller, id, patchOf(body, deps), placeOf(request, deps))),
});
