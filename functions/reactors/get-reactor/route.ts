import { getReactor } from '../../../src/core/reactors/get-reactor.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentReactor } from '../../../src/wire/reactor.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'getReactor',
  method: 'GET',
  path: '/reactors/{id}',
  subject: 'reactor',
  permission: 'reactor:read',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => ({
    body: presentReactor(await getReactor(deps, caller, id)),
  }),
});
