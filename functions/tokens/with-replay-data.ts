import { tokenReplayOf } from '../../src/core/tokens/token-replay.ts';
import type { TokenResult } from '../../src/core/tokens/token-result.ts';
import { replayJson } from '../../src/http/replay-json.ts';
import { presentResult } from '../../src/wire/token.ts';

/** The response to a write of a token, and what a repeat of the write makes it of again. */
export const withReplayData = (result: TokenResult) => ({
  body: presentResult(result),
  replayData: replayJson(tokenReplayOf(result)),
});
