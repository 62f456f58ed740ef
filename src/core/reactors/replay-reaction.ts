import type { Caller } from '../applications/application.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import {
  keepTokens,
  replayTokens,
  type KeptTokens,
  type ReplayedTokens,
  type ReplayTokensDeps,
} from '../tokens/kept-token.ts';
import { mayUseAgain, noLongerKept, type KeptUse } from '../tokens/kept-use.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { checkInvoker, type ReactorResult } from './run-reactor.ts';

export interface ReplayReactionDeps extends ReplayTokensDeps {
  readonly tokenStore: ReplayTokensDeps['tokenStore'] & Pick<TokenStore, 'findHeads'>;
}

/**
 * What an idempotency key keeps of a reaction: what the code returned, and which tokens were made
 * of it, not their data.
 */
export interface KeptReaction {
  readonly raw?: Json;
  readonly tokens?: KeptTokens;
  /** The tokens of its arguments. */
  readonly uses: readonly KeptUse[];
}

/** A reaction as it is shown again. */
export interface ReplayedReaction extends Pick<ReactorResult, 'raw'> {
  readonly tokens?: ReplayedTokens;
}

/** `raw`: what may be kept of what the code returned. */
export function keepReaction(
  { tokens }: ReactorResult,
  raw: Json | undefined,
  uses: readonly KeptUse[],
): KeptReaction {
  return defined({ raw, tokens: tokens && keepTokens(tokens), uses });
}

/**
 * A kept reaction again. The code does not run. Throws `forbidden` without the permissions that
 * invoking needed, and `conflict` once a token of the arguments is gone.
 */
export async function replayReaction(
  deps: ReplayReactionDeps,
  caller: Caller,
  { raw, tokens, uses }: KeptReaction,
): Promise<ReplayedReaction> {
  checkInvoker(caller);
  if (!(await mayUseAgain(deps, caller, uses))) throw noLongerKept();
  return defined({
    raw: raw === undefined ? undefined : new Secret(raw),
    tokens: tokens && (await replayTokens(deps, caller, tokens)),
  });
}
