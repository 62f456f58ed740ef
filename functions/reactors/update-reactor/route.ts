import { updateReactor } from '../../../src/core/reactors/change-reactor.ts';
import { route, type Route } from '../../../src/http/route.ts';
import {
  checkUnchangedReactor,
  definitionOf,
  presentWrittenReactor,
  updateReactorBody,
} from '../../../src/wire/reactor.ts';
import { stoppedProxiesHeader } from '../stopped-proxies.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'updateReactor',
  method: 'PUT',
  path: '/reactors/{id}',
  subject: 'reactor',
  permission: 'reactor:update',
  takesCondition: true,
  success: 200,
  body: updateReactorBody,
  handle: async (deps, { caller, params: { id }, body }) => {
    const check = checkUnchangedReactor(body.unchanged);
    const written = await updateReactor(deps, caller, id, definitionOf(body, deps), check);
    return {
      body: presentWrittenReactor(written),
      state: written.reactor,
      reservedHeaders: stoppedProxiesHeader(written.stoppedProxies),
    };
  },
});
