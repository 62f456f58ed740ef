import type { Json } from '../core/shared/json.ts';
import type { TokenReplay, TokenizeReplay } from '../core/tokens/token-replay.ts';

/*
 * Converts responses with tokens to replay data for an encrypted record, and back. Only these
 * functions write it, and the authentication tag proves it unchanged.
 */

export const replayJson = (replay: TokenReplay | TokenizeReplay): Json => replay as unknown as Json;
export const tokenReplayFrom = (replay: Json): TokenReplay => replay as unknown as TokenReplay;
export const tokenizeReplayFrom = (replay: Json): TokenizeReplay => replay as unknown as TokenizeReplay;
