import { updateApplication } from '../../../src/core/applications/change-application.ts';
import { checkUnchanged } from '../../../src/core/shared/check-unchanged.ts';
import { route, type Route } from '../../../src/http/route.ts';
import {
  forceQuery,
  mayBeLast,
  presentApplication,
  updateApplicationBody,
} from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'updateApplication',
  method: 'PUT',
  path: '/applications/{id}',
  subject: 'application',
  permission: 'application:update',
  takesCondition: true,
  success: 200,
  body: updateApplicationBody,
  query: forceQuery,
  handle: async (deps, { caller, params: { id }, body, query }) => {
    const application = await updateApplication(deps, caller, id, {
      ...body,
      mayBeLast: mayBeLast(query, deps.clientCompatibility),
      check: (current) => {
        checkUnchanged(body.unchanged, presentApplication(current));
      },
    });
    return { body: presentApplication(application), state: application };
  },
});
