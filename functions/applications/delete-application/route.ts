import { deleteApplication } from '../../../src/core/applications/change-application.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { forceQuery, mayBeLast } from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'deleteApplication',
  method: 'DELETE',
  path: '/applications/{id}',
  subject: 'application',
  permission: 'application:delete',
  takesCondition: true,
  success: 204,
  query: forceQuery,
  handle: async (deps, { caller, params: { id }, query }) => {
    await deleteApplication(deps, caller, id, mayBeLast(query, deps.clientCompatibility));
    return {};
  },
});
