import { getOwnApplication } from '../../../src/core/applications/get-application.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentApplication } from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'getApplicationByKey',
  method: 'GET',
  path: '/applications/key',
  success: 200,
  handle: async (deps, { caller }) => {
    const application = await getOwnApplication(deps, caller);
    return { body: presentApplication(application), state: application };
  },
});
