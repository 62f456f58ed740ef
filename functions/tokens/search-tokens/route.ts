import { searchTokens } from '../../../src/core/tokens/search-tokens.ts';
import { tokenObject } from '../../../src/core/tokens/token-object.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { TokensDeps } from '../dependencies.ts';
import { presentPage } from '../../../src/wire/page.ts';
import { searchTokensBody } from '../../../src/wire/token.ts';

export const operation: Route<TokensDeps> = route({
  operation: 'searchTokens',
  takesTransform: true,
  method: 'POST',
  path: '/tokens/search',
  permission: 'token:search',
  success: 200,
  body: searchTokensBody,
  idempotency: 'read_only',
  handle: async (deps, { caller, body }) => ({
    body: presentPage(await searchTokens(deps, caller, body.query, body.page), tokenObject),
  }),
});
