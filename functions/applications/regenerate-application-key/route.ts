import { regenerateKey } from '../../../src/core/applications/change-application.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentApplication } from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'regenerateApplicationKey',
  method: 'POST',
  path: '/applications/{id}/regenerate',
  subject: 'application',
  permission: 'application:update',
  takesCondition: true,
  success: 200,
  handle: async (deps, { caller, params: { id } }) => {
    const { application, key } = await regenerateKey(deps, caller, id);
    return { body: presentApplication(application, key), state: application };
  },
});
