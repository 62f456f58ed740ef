import { createProxy } from '../../../src/core/stored-proxies/create-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { createProxyBody, newProxyOf, presentProxy } from '../../../src/wire/proxy.ts';
import type { ProxiesDeps } from '../dependencies.ts';
import { placeOf } from '../request-place.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'createProxy',
  method: 'POST',
  path: '/proxies',
  permission: 'proxy:create',
  success: 201,
  body: createProxyBody,
  handle: async (deps, { caller, body, request, writes }) => {
    const input = newProxyOf(body, deps);
    const { proxy, key } = await createProxy(deps, caller, input, placeOf(request, deps), writes);
    return { body: presentProxy(proxy, key), state: proxy.stored };
  },
});
