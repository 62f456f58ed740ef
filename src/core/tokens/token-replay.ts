import type { Caller } from '../access/caller.ts';
import type { Transform } from '../access/access-rule.ts';
import { requireAccess } from '../access/require-permission.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import type { Container } from '../shared/container.ts';
import { defined } from '../shared/defined.ts';
import { leavesOf, mapShape, type Shape } from '../shared/shape.ts';
import { noSuchToken } from './get-token.ts';
import { hasExpired } from './expiration.ts';
import { openToken, type OpenTokenDeps } from './open-token.ts';
import type { GoneToken } from './created-result.ts';
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

/** A token of a stored response, with its identity and version and without its data. */
export interface TokenReplay {
  readonly id: string;
  /** Unique in the tenant. A later token with the same id has another position. */
  readonly position: string;
  /** The write id of the content that was shown, in base64url. */
  readonly writeId: string;
  readonly deduplicated: boolean;
  /** The members that {@link TokenResult} names. */
  readonly notStored?: readonly string[];
  /**
   * Fingerprint of the content that was shown. After a change by another caller the fingerprint
   * differs, and the writer must not learn it.
   */
  readonly fingerprint: string;
  /** The containers on which the request needed its permission. */
  readonly containers: readonly Container[];
}

/** The stored form of a tokenize response. */
export type TokenizeReplay = Shape<TokenPlace & { readonly token: TokenReplay }>;

export interface ReplayTokensDeps extends OpenTokenDeps {
  readonly tokenStore: Pick<TokenStore, 'find' | 'findMany' | 'findCvcs'>;
}

export function tokenReplayOf({ token, deduplicated, notStored, neededOn }: TokenResult): TokenReplay {
  const { id, position, fingerprint } = token;
  const writeId = token.writeId.toString('base64url');
  return defined({ id, position, writeId, deduplicated, notStored, fingerprint, containers: neededOn });
}

export function tokenizeReplayOf(tokenized: Tokenized): TokenizeReplay {
  return mapShape(tokenized, ({ result, shows }) => ({
    token: result.shows === 'gone' ? goneReplayOf(result) : tokenReplayOf(result),
    shows,
  }));
}

/** No token has this position, so a replay shows the id only, as the first response did. */
const goneReplayOf = ({ id, neededOn }: GoneToken): TokenReplay => ({
  id,
  position: '',
  writeId: '',
  deduplicated: false,
  fingerprint: '',
  containers: neededOn,
});

/** Whether this is the same token, even if it was changed. */
function isStill(
  deps: ReplayTokensDeps,
  replay: TokenReplay,
  token: StoredToken | undefined,
): token is StoredToken {
  return token !== undefined && token.position === replay.position && !hasExpired(token, deps.clock());
}

/** The transform under which the caller may repeat the request now. Throws `forbidden`. */
function requireAgain(
  caller: Caller,
  permission: WritePermission,
  { id, containers }: TokenReplay,
): Transform {
  // A new token has no id yet when the right to create it is decided.
  return requireAccess(
    caller,
    permission,
    permission === 'token:create' ? { containers } : { id, containers },
  );
}

/**
 * Shows an unchanged token as the first response would show it now, and a changed one only as far
 * as its writer may read it.
 */
async function show(
  deps: ReplayTokensDeps,
  caller: Caller,
  permission: WritePermission,
  replay: TokenReplay,
  token: StoredToken,
  budget: Budget,
): Promise<TokenResult> {
  const transform = requireAgain(caller, permission, replay);
  const result = await shownNow(deps, caller, permission, replay, token, transform, budget);
  return result.shows === 'identity'
    ? { ...result, token: { ...token, fingerprint: replay.fingerprint } }
    : result;
}

async function shownNow(
  deps: ReplayTokensDeps,
  caller: Caller,
  permission: WritePermission,
  replay: TokenReplay,
  token: StoredToken,
  transform: Transform,
  budget: Budget,
): Promise<TokenResult> {
  if (replay.deduplicated) return duplicateResult(deps, caller, { ...replay, token }, permission, budget);
  if (token.writeId.toString('base64url') !== replay.writeId)
    return changedResult(deps, caller, token, permission, transform, budget);
  if (permission === 'token:update') return updatedResult(deps, caller, token, transform, budget);
  return writtenResult(caller, token, await openToken(deps, token, transform, budget));
}

/**
 * Responds to a repeated create or update. Throws `forbidden` without its permission, and
 * `not_found` if the token was deleted.
 */
export async function replayToken(
  deps: ReplayTokensDeps,
  caller: Caller,
  permission: WritePermission,
  replay: TokenReplay,
): Promise<TokenResult> {
  requireAgain(caller, permission, replay);
  const token = await deps.tokenStore.find(caller.tenantId, replay.id);
  if (!isStill(deps, replay, token)) throw noSuchToken();
  return show(deps, caller, permission, replay, token, createBudget(deps.random.integer));
}

/**
 * Responds to a repeated tokenize. Throws `forbidden` without `token:create` for one of the tokens.
 */
export async function replayTokens(
  deps: ReplayTokensDeps,
  caller: Caller,
  replay: TokenizeReplay,
): Promise<Tokenized> {
  const all = leavesOf(replay).map(({ token }) => token);
  const found = await deps.tokenStore.findMany(
    caller.tenantId,
    all.map(({ id }) => id),
  );
  const byId = new Map(found.map((token) => [token.id, token]));
  const budget = createBudget(deps.random.integer);
  const replayed = new Map<TokenReplay, TokenResult>();
  await Promise.all(
    all.map(async (each) => {
      requireAgain(caller, 'token:create', each);
      const token = byId.get(each.id);
      if (isStill(deps, each, token))
        replayed.set(each, await show(deps, caller, 'token:create', each, token, budget));
    }),
  );
  return mapShape(replay, ({ token: each, shows }) => {
    const result = replayed.get(each);
    return { shows, result: result ?? { shows: 'gone', id: each.id, neededOn: each.containers } };
  });
}
