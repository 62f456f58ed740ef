import { revertProxy } from '../../../src/core/stored-proxies/revert-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { revertOf, revertProxyBody } from '../../../src/wire/proxy.ts';
import type { ProxiesDeps } from '../dependencies.ts';
import { presentOne } from '../present-one.ts';
import { placeOf } from '../request-place.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'revertProxy',
  method: 'POST',
  path: '/proxies/{id}/revert',
  subject: 'proxy',
  permission: 'proxy:update',
  takesCondition: true,
  success: 200,
  body: revertProxyBody,
  handle: async (deps, { caller, params: { id }, body, request }) =>
    presentOne(await revertProxy(deps, caller, id, revertOf(body), placeOf(request, deps))),
});
