import { getApplication } from '../../../src/core/applications/get-application.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentApplication } from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'getApplication',
  method: 'GET',
  path: '/applications/{id}',
  subject: 'application',
  permission: 'application:read',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => {
    const application = await getApplication(deps, caller, id);
    return { body: presentApplication(application), state: application };
  },
});
