import { deleteReactor } from '../../../src/core/reactors/delete-reactor.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'deleteReactor',
  method: 'DELETE',
  path: '/reactors/{id}',
  subject: 'reactor',
  permission: 'reactor:delete',
  takesCondition: true,
  success: 204,
  handle: async (deps, { caller, params: { id } }) => {
    await deleteReactor(deps, caller, id);
    return {};
  },
});
