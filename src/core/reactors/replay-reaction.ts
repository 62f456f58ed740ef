import type { Caller } from '../access/caller.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import {
  tokenizeReplayOf,
  replayTokens,
  type TokenizeReplay,
  type ReplayTokensDeps,
} from '../tokens/token-replay.ts';
import { mayUseAgain, resultNotAvailable, type TokenUse } from '../tokens/token-use.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { checkInvoker, type ReactorResult } from './run-reactor.ts';

export interface ReplayReactionDeps extends ReplayTokensDeps {
  readonly tokenStore: ReplayTokensDeps['tokenStore'] & Pick<TokenStore, 'findSummaries'>;
}

/**
 * A reaction is stored so for replay: the value that the code returned, and the tokens made from
 * it, without their data.
 */
export interface ReactionReplay {
  readonly raw?: Json;
  readonly tokens?: TokenizeReplay;
  /** The tokens that were filled into the arguments. */
  readonly uses: readonly TokenUse[];
}

/** `raw` is the part of the returned value that may be stored. */
export function reactionReplayOf(
  { tokens }: ReactorResult,
  raw: Json | undefined,
  uses: readonly TokenUse[],
): ReactionReplay {
  return defined({ raw, tokens: tokens && tokenizeReplayOf(tokens), uses });
}

/**
 * Returns a stored reaction without running the code. Throws `forbidden` without the permissions
 * that invoking needed, and `conflict` once a token of the arguments is deleted.
 */
export async function replayReaction(
  deps: ReplayReactionDeps,
  caller: Caller,
  reactorId: string,
  { raw, tokens, uses }: ReactionReplay,
): Promise<ReactorResult> {
  const way = { reactor: reactorId };
  checkInvoker(caller, way);
  if (!(await mayUseAgain(deps, caller, way, uses))) throw resultNotAvailable();
  return defined({
    raw: raw === undefined ? undefined : new Secret(raw),
    tokens: tokens && (await replayTokens(deps, caller, tokens)),
  });
}
