import { authorizeSession } from '../../../src/core/access/session.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { authorizeSessionBody } from '../../../src/wire/session.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'authorizeSession',
  method: 'POST',
  path: '/sessions/authorize',
  success: 200,
  body: authorizeSessionBody,
  handle: async (deps, { caller, body }) => {
    await authorizeSession(deps, caller, body);
    return {};
  },
});
