import { listProxies } from '../../../src/core/stored-proxies/get-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { namedListQuery } from '../../../src/wire/named-list.ts';
import { presentPage } from '../../../src/wire/page.ts';
import { presentProxy } from '../../../src/wire/proxy.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'listProxies',
  method: 'GET',
  path: '/proxies',
  permission: 'proxy:review',
  success: 200,
  query: namedListQuery,
  handle: async (deps, { caller, query }) => ({
    body: presentPage(await listProxies(deps, caller, query.filters, query.page), (proxy) =>
      presentProxy(proxy),
    ),
  }),
});
