import type { Json } from '../core/shared/json.ts';
import type { KeptToken, KeptTokens } from '../core/tokens/kept-token.ts';

/*
 * What an idempotency key keeps of answers with tokens, as JSON on its way into a sealed record and
 * back. Only these functions write it, and the seal proves it unchanged.
 */

export const asJson = (kept: KeptToken | KeptTokens): Json => kept as unknown as Json;
export const keptToken = (kept: Json): KeptToken => kept as unknown as KeptToken;
export const keptTokens = (kept: Json): KeptTokens => kept as unknown as KeptTokens;
