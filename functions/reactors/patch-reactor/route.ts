import { patchReactor } from '../../../src/core/reactors/change-reactor.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { checkUnchangedReactor, patchOf, patchReactorBody } from '../../../src/wire/reactor.ts';
import { stoppedProxiesHeader } from '../stopped-proxies.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'patchReactor',
  method: 'PATCH',
  path: '/reactors/{id}',
  subject: 'reactor',
  permission: 'reactor:update',
  takesCondition: true,
  success: 204,
  mergePatch: true,
  body: patchReactorBody,
  handle: async (deps, { caller, params: { id }, body }) => {
    const check = checkUnchangedReactor(body.unchanged);
    const { reactor, stoppedProxies = [] } = await patchReactor(deps, caller, id, patchOf(body, deps), check);
    return { state: reactor, reservedHeaders: stoppedProxiesHeader(stoppedProxies) };
  },
});
