import { tokenizeReplayOf, replayTokens } from '../../../src/core/tokens/token-replay.ts';
import { tokenize } from '../../../src/core/tokens/tokenize.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { TokensDeps } from '../dependencies.ts';
import { tokenInputParser } from '../../../src/http/parse-token-input.ts';
import { replayJson, tokenizeReplayFrom } from '../../../src/http/replay-json.ts';
import { json } from '../../../src/wire/parts.ts';
import { presentTokenized } from '../../../src/wire/token.ts';

export const operation: Route<TokensDeps> = route({
  operation: 'tokenize',
  needsSettings: true,
  method: 'POST',
  path: '/tokenize',
  permission: 'token:create',
  success: 200,
  body: json,
  handle: async (deps, { caller, body, writes }) => {
    const parse = tokenInputParser(deps.clientCompatibility);
    const tokenized = await tokenize(deps, caller, body, parse, writes);
    return { body: presentTokenized(tokenized), replayData: replayJson(tokenizeReplayOf(tokenized)) };
  },
  replay: async (deps, { caller }, replayData) => ({
    body: presentTokenized(await replayTokens(deps, caller, tokenizeReplayFrom(replayData))),
  }),
});
