import { createToken } from '../../../src/core/tokens/create-tokens.ts';
import { replayToken } from '../../../src/core/tokens/token-replay.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { TokensDeps } from '../dependencies.ts';
import { tokenReplayFrom } from '../../../src/http/replay-json.ts';
import { createTokenBody, presentResult } from '../../../src/wire/token.ts';
import { withReplayData } from '../with-replay-data.ts';

export const operation: Route<TokensDeps> = route({
  operation: 'createToken',
  takesTransform: true,
  needsSettings: true,
  method: 'POST',
  path: '/tokens',
  permission: 'token:create',
  success: 201,
  body: createTokenBody,
  handle: async (deps, { caller, body, writes }) =>
    withReplayData(await createToken(deps, caller, body, writes)),
  replay: async (deps, { caller }, replayData) => ({
    body: presentResult(await replayToken(deps, caller, 'token:create', tokenReplayFrom(replayData))),
  }),
});
