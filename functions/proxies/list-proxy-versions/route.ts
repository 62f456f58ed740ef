import { listProxyVersions } from '../../../src/core/stored-proxies/get-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentProxyVersion } from '../../../src/wire/proxy.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'listProxyVersions',
  method: 'GET',
  path: '/proxies/{id}/versions',
  subject: 'proxy',
  permission: 'proxy:review',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => ({
    body: (await listProxyVersions(deps, caller, id)).map(presentProxyVersion),
  }),
});
