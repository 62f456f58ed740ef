import { changeProxy } from '../../../src/core/stored-proxies/change-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { updateOf, updateProxyBody } from '../../../src/wire/proxy.ts';
import type { ProxiesDeps } from '../dependencies.ts';
import { presentOne } from '../present-one.ts';
import { placeOf } from '../request-place.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'updateProxy',
  method: 'PUT',
  path: '/proxies/{id}',
  subject: 'proxy',
  permission: 'proxy:update',
  takesCondition: true,
  success: 200,
  body: updateProxyBody,
  handle: async (deps, { caller, params: { id }, body, request }) =>
    presentOne(await changeProxy(deps, caller, id, updateOf(body, deps), placeOf(request, deps))),
});
