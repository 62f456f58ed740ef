import { deleteToken } from '../../../src/core/tokens/delete-token.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { TokensDeps } from '../dependencies.ts';

export const operation: Route<TokensDeps> = route({
  operation: 'deleteToken',
  method: 'DELETE',
  path: '/tokens/{id}',
  subject: 'token',
  permission: 'token:delete',
  success: 204,
  handle: async (deps, { caller, params: { id } }) => {
    await deleteToken(deps, caller, id);
    return {};
  },
});
