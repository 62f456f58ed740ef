import { listProxyFailures } from '../../../src/core/stored-proxies/list-failures.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentFailures } from '../../../src/wire/proxy-failure.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'listProxyFailures',
  method: 'GET',
  path: '/proxies/{id}/failures',
  subject: 'proxy',
  permission: 'proxy:read',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => ({
    body: presentFailures(await listProxyFailures(deps, caller, id)),
  }),
});
