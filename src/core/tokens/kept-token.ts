import type { Caller } from '../applications/application.ts';
import type { Transform } from '../access/access-rule.ts';
import { requireAccess } from '../access/require-permission.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import type { Container } from '../shared/container.ts';
import { leavesOf, mapShape, type Shape } from '../shared/shape.ts';
import { noSuchToken } from './get-token.ts';
import { hasExpired } from './expiration.ts';
import { openToken, type OpenTokenDeps } from './open-token.ts';
import type { StoredToken } from './token.ts';
import {
  changedResult,
  duplicateResult,
  updatedResult,
  writtenResult,
  type TokenResult,
  type WritePermission,
} from './token-result.ts';
import type { TokenStore } from './token-store.ts';
import type { Tokenized, TokenPlace } from './tokenize.ts';

/*
 * What an idempotency key keeps of an answer with tokens: which tokens, at which version, and never
 * their data. A replay reads them now (docs/contract.md#idempotency).
 */

/** One token of a kept answer. */
export interface KeptToken {
  readonly id: string;
  /**
   * Its place in the order of creation, unique in the tenant: another token under the same id has
   * another one.
   */
  readonly position: string;
  /** The write id of the content that was shown, in base64url. */
  readonly writeId: string;
  readonly deduplicated: boolean;
  /**
   * Of the content that was shown: what others wrote since has another one, which a writer must not
   * learn.
   */
  readonly fingerprint: string;
  /** Where the request needed its permission. */
  readonly containers: readonly Container[];
}

/** The shape of a kept answer of tokenize. */
export type KeptTokens = Shape<TokenPlace & { readonly kept: KeptToken }>;

/** A replayed answer of tokenize; of a token that is gone its id alone. */
export type ReplayedTokens = Shape<
  TokenPlace & ({ readonly result: TokenResult } | { readonly gone: string })
>;

export interface ReplayTokensDeps extends OpenTokenDeps {
  readonly tokenStore: Pick<TokenStore, 'find' | 'findMany' | 'findCvcs'>;
}

export function keepToken({ token, deduplicated, neededOn }: TokenResult): KeptToken {
  const { id, position, fingerprint } = token;
  const writeId = token.writeId.toString('base64url');
  return { id, position, writeId, deduplicated, fingerprint, containers: neededOn };
}

export function keepTokens(tokenized: Tokenized): KeptTokens {
  return mapShape(tokenized, ({ result, shows }) => ({ kept: keepToken(result), shows }));
}

/** Whether the token is the one that was kept, changed or not. */
function isStill(
  deps: ReplayTokensDeps,
  kept: KeptToken,
  token: StoredToken | undefined,
): token is StoredToken {
  return token !== undefined && token.position === kept.position && !hasExpired(token, deps.clock());
}

/** The transform under which the caller may do now what it did. Throws `forbidden`. */
function requireAgain(caller: Caller, permission: WritePermission, { id, containers }: KeptToken): Transform {
  // A token has no id yet when the right to create it is decided.
  return requireAccess(
    caller,
    permission,
    permission === 'token:create' ? { containers } : { id, containers },
  );
}

/**
 * Shows a kept token as the first answer would be made now, or, if it has changed, as its writer
 * may read it.
 */
async function show(
  deps: ReplayTokensDeps,
  caller: Caller,
  permission: WritePermission,
  kept: KeptToken,
  token: StoredToken,
  budget: Budget,
): Promise<TokenResult> {
  const transform = requireAgain(caller, permission, kept);
  const result = await shownNow(deps, caller, permission, kept, token, transform, budget);
  return result.shows === 'identity'
    ? { ...result, token: { ...token, fingerprint: kept.fingerprint } }
    : result;
}

async function shownNow(
  deps: ReplayTokensDeps,
  caller: Caller,
  permission: WritePermission,
  kept: KeptToken,
  token: StoredToken,
  transform: Transform,
  budget: Budget,
): Promise<TokenResult> {
  if (kept.deduplicated) return duplicateResult(deps, caller, token, permission, budget);
  if (token.writeId.toString('base64url') !== kept.writeId)
    return changedResult(deps, caller, token, permission, transform, budget);
  if (permission === 'token:update') return updatedResult(deps, caller, token, transform, budget);
  return writtenResult(token, await openToken(deps, token, transform, budget));
}

/**
 * The answer to the replay of a create or an update. Throws `forbidden` without its permission,
 * `not_found` if the token is gone.
 */
export async function replayToken(
  deps: ReplayTokensDeps,
  caller: Caller,
  permission: WritePermission,
  kept: KeptToken,
): Promise<TokenResult> {
  requireAgain(caller, permission, kept);
  const token = await deps.tokenStore.find(caller.tenantId, kept.id);
  if (!isStill(deps, kept, token)) throw noSuchToken();
  return show(deps, caller, permission, kept, token, createBudget());
}

/**
 * The answer to the replay of a tokenize. Throws `forbidden` without `token:create` for one of the
 * tokens.
 */
export async function replayTokens(
  deps: ReplayTokensDeps,
  caller: Caller,
  kept: KeptTokens,
): Promise<ReplayedTokens> {
  const all = leavesOf(kept).map((leaf) => leaf.kept);
  const found = await deps.tokenStore.findMany(
    caller.tenantId,
    all.map(({ id }) => id),
  );
  const byId = new Map(found.map((token) => [token.id, token]));
  const budget = createBudget();
  const replayed = new Map<KeptToken, TokenResult>();
  await Promise.all(
    all.map(async (each) => {
      requireAgain(caller, 'token:create', each);
      const token = byId.get(each.id);
      if (isStill(deps, each, token))
        replayed.set(each, await show(deps, caller, 'token:create', each, token, budget));
    }),
  );
  return mapShape(kept, ({ kept: each, shows }) => {
    const result = replayed.get(each);
    return result === undefined ? { shows, gone: each.id } : { shows, result };
  });
}
