import { createToken } from '../../core/tokens/create-token.ts';
import { deleteToken } from '../../core/tokens/delete-token.ts';
import { getToken } from '../../core/tokens/get-token.ts';
import { route, type Route } from '../../http/route.ts';
import type { TokensDeps } from './dependencies.ts';
import { presentToken, withoutCvc } from './present.ts';
import { createTokenBody } from './schemas.ts';

/** Everything that the tokens function answers to. */
export const routes: readonly Route<TokensDeps>[] = [
  route({
    operation: 'createToken',
    method: 'POST',
    path: '/tokens',
    permission: 'token:create',
    success: 201,
    body: createTokenBody,
    keep: withoutCvc,
    handle: async (deps: TokensDeps, { caller, body, writes }) => ({
      body: presentToken(await createToken(deps, caller, body, writes)),
    }),
  }),
  route({
    operation: 'getToken',
    method: 'GET',
    path: '/tokens/{id}',
    permission: 'token:read',
    success: 200,
    prefetch: (deps: TokensDeps, tenantId, { id = '' }) =>
      deps.tokenStore.find(tenantId, id).then((token) => ({ token })),
    handle: async (deps, { caller, params: { id = '' }, prefetched }) => {
      const { token } = prefetched ?? { token: await deps.tokenStore.find(caller.tenantId, id) };
      return { body: presentToken(await getToken(deps, caller, token)) };
    },
  }),
  route({
    operation: 'deleteToken',
    method: 'DELETE',
    path: '/tokens/{id}',
    permission: 'token:delete',
    success: 204,
    handle: async (deps: TokensDeps, { caller, params: { id = '' } }) => {
      await deleteToken(deps, caller, id);
      return {};
    },
  }),
];
