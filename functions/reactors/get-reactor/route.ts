import { getReactor } from '../../../src/core/reactors/get-reactor.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentReactor } from '../../../src/wire/reactor.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'getReactor',
  method: 'GET',
  path: '/reactors/{id}',
  subject: 'reactor',
  permission: 'reactor:review',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => {
    const view = await getReactor(deps, caller, id);
    return { body: presentReactor(view), state: view.reactor };
  },
});
