import { replayToken } from '../../../src/core/tokens/token-replay.ts';
import { updateToken } from '../../../src/core/tokens/update-token.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { TokensDeps } from '../dependencies.ts';
import { tokenReplayFrom } from '../../../src/http/replay-json.ts';
import { presentResult, updateTokenBody } from '../../../src/wire/token.ts';
import { findToken } from '../find-token.ts';
import { withReplayData } from '../with-replay-data.ts';

export const operation: Route<TokensDeps> = route({
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
  handle: async (deps, { caller, params: { id }, body, writes, prefetched }) =>
    withReplayData(await updateToken(deps, caller, { id, patch: body, prefetched }, writes)),
  replay: async (deps, { caller }, replayData) => ({
    body: presentResult(await replayToken(deps, caller, 'token:update', tokenReplayFrom(replayData))),
  }),
});
