import { createApplication } from '../../../src/core/applications/create-application.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { createApplicationBody, presentApplication } from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'createApplication',
  method: 'POST',
  path: '/applications',
  permission: 'application:create',
  success: 201,
  body: createApplicationBody,
  handle: async (deps, { caller, body, writes }) => {
    const { application, key } = await createApplication(deps, caller, body, writes);
    return { body: presentApplication(application, key), state: application };
  },
});
