import { deleteApplication } from '../../../src/core/applications/change-application.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'deleteApplication',
  method: 'DELETE',
  path: '/applications/{id}',
  subject: 'application',
  permission: 'application:delete',
  success: 204,
  handle: async (deps, { caller, params: { id } }) => {
    await deleteApplication(deps, caller, id);
    return {};
  },
});
