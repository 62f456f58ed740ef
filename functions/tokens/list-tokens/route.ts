import { listTokens } from '../../../src/core/tokens/list-tokens.ts';
import { tokenObject } from '../../../src/core/tokens/token-object.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { TokensDeps } from '../dependencies.ts';
import { presentPage } from '../../../src/wire/page.ts';
import { listTokensQuery } from '../../../src/wire/token.ts';

export const operation: Route<TokensDeps> = route({
  operation: 'listTokens',
  takesTransform: true,
  method: 'GET',
  path: '/tokens',
  permission: 'token:read',
  success: 200,
  query: listTokensQuery,
  handle: async (deps, { caller, query }) => ({
    body: presentPage(await listTokens(deps, caller, query.filters, query.page), tokenObject),
  }),
});
