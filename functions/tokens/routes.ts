import { createToken } from '../../src/core/tokens/create-tokens.ts';
import { deleteToken } from '../../src/core/tokens/delete-token.ts';
import { detokenize } from '../../src/core/tokens/detokenize.ts';
import { getToken } from '../../src/core/tokens/get-token.ts';
import {
  tokenReplayOf,
  tokenizeReplayOf,
  replayToken,
  replayTokens,
} from '../../src/core/tokens/token-replay.ts';
import { nameTokensIn } from '../../src/core/tokens/name-tokens.ts';
import { listTokens } from '../../src/core/tokens/list-tokens.ts';
import { searchTokens } from '../../src/core/tokens/search-tokens.ts';
import { tokenObject } from '../../src/core/tokens/token-object.ts';
import type { TokenResult } from '../../src/core/tokens/token-result.ts';
import { tokenize } from '../../src/core/tokens/tokenize.ts';
import { updateToken } from '../../src/core/tokens/update-token.ts';
import { route, type Route } from '../../src/http/route.ts';
import type { TokensDeps } from './dependencies.ts';
import { tokenInputParser } from '../../src/http/parse-token-input.ts';
import { replayJson, tokenReplayFrom, tokenizeReplayFrom } from '../../src/http/replay-json.ts';
import { presentPage } from '../../src/wire/page.ts';
import { json } from '../../src/wire/parts.ts';
import {
  createTokenBody,
  listTokensQuery,
  presentResult,
  presentTokenized,
  searchTokensBody,
  updateTokenBody,
} from '../../src/wire/token.ts';

/** The token of the path, read while the caller is authenticated. */
const findToken = async (
  { storedTokens }: Pick<TokensDeps, 'storedTokens'>,
  tenantId: string,
  { id }: { readonly id: string },
) => ({ token: await storedTokens.find(tenantId, id) });

const withReplayData = (result: TokenResult) => ({
  body: presentResult(result),
  replayData: replayJson(tokenReplayOf(result)),
});

export const routes: readonly Route<TokensDeps>[] = [
  route({
    operation: 'createToken',
    takesTransform: true,
    needsSettings: true,
    method: 'POST',
    path: '/tokens',
    permission: 'token:create',
    success: 201,
    body: createTokenBody,
    handle: async (deps: TokensDeps, { caller, body, writes }) =>
      withReplayData(await createToken(deps, caller, body, writes)),
    replay: async (deps, { caller }, replayData) => ({
      body: presentResult(await replayToken(deps, caller, 'token:create', tokenReplayFrom(replayData))),
    }),
  }),
  route({
    operation: 'listTokens',
    takesTransform: true,
    method: 'GET',
    path: '/tokens',
    permission: 'token:read',
    success: 200,
    query: listTokensQuery,
    handle: async (deps: TokensDeps, { caller, query }) => ({
      body: presentPage(await listTokens(deps, caller, query.filters, query.page), tokenObject),
    }),
  }),
  route({
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
  }),
  route({
    operation: 'updateToken',
    takesTransform: true,
    method: 'PATCH',
    path: '/tokens/{id}',
    subject: 'token',
    permission: 'token:update',
    success: 200,
    mergePatch: true,
    body: updateTokenBody,
    prefetch: findToken,
    handle: async (deps: TokensDeps, { caller, params: { id }, body, writes, prefetched }) =>
      withReplayData(await updateToken(deps, caller, { id, patch: body, prefetched }, writes)),
    replay: async (deps, { caller }, replayData) => ({
      body: presentResult(await replayToken(deps, caller, 'token:update', tokenReplayFrom(replayData))),
    }),
  }),
  route({
    operation: 'deleteToken',
    method: 'DELETE',
    path: '/tokens/{id}',
    subject: 'token',
    permission: 'token:delete',
    success: 204,
    handle: async (deps: TokensDeps, { caller, params: { id } }) => {
      await deleteToken(deps, caller, id);
      return {};
    },
  }),
  route({
    operation: 'searchTokens',
    takesTransform: true,
    method: 'POST',
    path: '/tokens/search',
    permission: 'token:search',
    success: 200,
    body: searchTokensBody,
    idempotency: 'read_only',
    handle: async (deps: TokensDeps, { caller, body }) => ({
      body: presentPage(await searchTokens(deps, caller, body.query, body.page), tokenObject),
    }),
  }),
  route({
    operation: 'tokenize',
    needsSettings: true,
    method: 'POST',
    path: '/tokenize',
    permission: 'token:create',
    success: 200,
    body: json,
    handle: async (deps: TokensDeps, { caller, body, writes }) => {
      const parse = tokenInputParser(deps.clientCompatibility);
      const tokenized = await tokenize(deps, caller, body, parse, writes);
      return { body: presentTokenized(tokenized), replayData: replayJson(tokenizeReplayOf(tokenized)) };
    },
    replay: async (deps, { caller }, replayData) => ({
      body: presentTokenized(await replayTokens(deps, caller, tokenizeReplayFrom(replayData))),
    }),
  }),
  route({
    operation: 'detokenize',
    takesTransform: true,
    method: 'POST',
    path: '/detokenize',
    permission: 'token:read',
    success: 200,
    body: json,
    idempotency: 'read_only',
    handle: async (deps: TokensDeps, { caller, body }) => ({
      body: (await detokenize(deps, caller, body)).reveal(),
    }),
    nameTokens: (deps, { caller, body }) => nameTokensIn(deps, caller.tenantId, body),
  }),
];
