import type { Caller } from '../applications/application.ts';
import { requireAccess } from '../applications/require-permission.ts';
import { referencesOf } from '../expressions/token-expression.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { parseTexts, templatesIn } from '../tokens/detokenize.ts';
import { hasExpired } from '../tokens/expiration.ts';
import {
  keepTokens,
  replayTokens,
  type KeptTokens,
  type ReplayedTokens,
  type ReplayTokensDeps,
} from '../tokens/kept-token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { ARGS, checkInvoker, type ReactorResult } from './run-reactor.ts';

export interface ReplayReactionDeps extends ReplayTokensDeps {
  readonly tokenStore: ReplayTokensDeps['tokenStore'] & Pick<TokenStore, 'findHeads'>;
}

/** What an idempotency key keeps of a reaction: what the code returned, and which tokens were made of it, not their data. */
export interface KeptReaction {
  readonly raw?: Json;
  readonly tokens?: KeptTokens;
}

/** A reaction as it is shown again. */
export interface ReplayedReaction extends Pick<ReactorResult, 'raw'> {
  readonly tokens?: ReplayedTokens;
}

/** `raw`: what may be kept of what the code returned. */
export function keepReaction({ tokens }: ReactorResult, raw: Json | undefined): KeptReaction {
  return { ...(raw !== undefined && { raw }), ...(tokens && { tokens: keepTokens(tokens) }) };
}

/** The caller needs now what it needed to invoke: `token:use` on every token of the arguments that is still there. */
async function requireUse(deps: ReplayReactionDeps, caller: Caller, args: Json): Promise<void> {
  checkInvoker(caller);
  const references = templatesIn(parseTexts(args, 'args', new TemplateFields())).flatMap(referencesOf);
  const ids = [...new Set(references.map(({ id }) => id))];
  const heads = ids.length === 0 ? [] : await deps.tokenStore.findHeads(caller.tenantId, ids);
  for (const head of heads) if (!hasExpired(head, deps.clock())) requireAccess(caller, ARGS.permission, head);
}

/** A kept reaction to the same arguments. The code does not run. Throws `forbidden`. */
export async function replayReaction(
  deps: ReplayReactionDeps,
  caller: Caller,
  args: Json,
  { raw, tokens }: KeptReaction,
): Promise<ReplayedReaction> {
  await requireUse(deps, caller, args);
  return {
    ...(raw !== undefined && { raw: new Secret(raw) }),
    ...(tokens && { tokens: await replayTokens(deps, caller, tokens) }),
  };
}
