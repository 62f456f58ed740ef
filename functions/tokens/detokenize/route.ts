import { detokenize } from '../../../src/core/tokens/detokenize.ts';
import { nameTokensIn } from '../../../src/core/tokens/name-tokens.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { TokensDeps } from '../dependencies.ts';
import { json } from '../../../src/wire/parts.ts';

export const operation: Route<TokensDeps> = route({
  operation: 'detokenize',
  takesTransform: true,
  method: 'POST',
  path: '/detokenize',
  permission: 'token:read',
  success: 200,
  body: json,
  idempotency: 'read_only',
  handle: async (deps, { caller, body }) => ({
    body: (await detokenize(deps, caller, body)).reveal(),
  }),
  nameTokens: (deps, { caller, body }) => nameTokensIn(deps, caller.tenantId, body),
});
