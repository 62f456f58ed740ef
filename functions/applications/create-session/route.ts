import { createSession } from '../../../src/core/access/session.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentSession } from '../../../src/wire/session.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'createSession',
  method: 'POST',
  path: '/sessions',
  // A replay would show the session key to everybody who has the public key.
  idempotency: 'none',
  success: 201,
  handle: async (deps, { caller, writes }) => ({
    body: presentSession(await createSession(deps, caller, writes)),
  }),
});
