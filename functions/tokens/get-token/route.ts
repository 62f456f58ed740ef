import { getToken } from '../../../src/core/tokens/get-token.ts';
import { tokenObject } from '../../../src/core/tokens/token-object.ts';
import type { TokensDeps } from '../dependencies.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { findToken } from '../find-token.ts';

export const operation: Route<TokensDeps> = route({
  operation: 'getToken',
  takesTransform: true,
  method: 'GET',
  path: '/tokens/{id}',
  subject: 'token',
  permission: 'token:read',
  success: 200,
  prefetch: findToken,
  handle: async (deps, { caller, params: { id }, prefetched }) => ({
    body: tokenObject(await getToken(deps, caller, id, prefetched)),
  }),
});
