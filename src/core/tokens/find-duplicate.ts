import type { Caller } from '../access/caller.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Clock } from '../shared/clock.ts';
import { isOfSameRequest } from '../shared/write-identity.ts';
import { hasExpired } from './expiration.ts';
import { openData } from './open-token.ts';
import { createWriteIdOf, isSoleWriter } from './ownership.ts';
import { reencryptContent } from './encrypt-content.ts';
import type { StoredToken } from './token.ts';
import type { TokenStore } from './token-store.ts';

export interface FindDuplicateDeps {
  readonly tokenStore: Pick<TokenStore, 'find' | 'findMatches' | 'readData' | 'update'>;
  readonly vault: Vault;
  readonly clock: Clock;
}

/**
 * The fields of a token to be written that deduplication compares (docs/contract.md#deduplication).
 */
export type WantedToken = Pick<
  StoredToken,
  'tenantId' | 'fingerprint' | 'matchHash' | 'writeId' | 'expiration'
> & {
  /** Id of the token if it exists already. If it is itself the first match, it has no duplicate. */
  readonly id?: string;
};

/**
 * Attempts to mark a token as shared. One is enough unless another writer changes it concurrently.
 */
const SHARE_ATTEMPTS = 4;

/**
 * Returns the mark of a token whose writer sent `deduplicate_token: false`: others who write the
 * same data do not find out that it exists (docs/decisions/0067). Without the member it can be
 * found.
 */
export const isUnmatched = (deduplicateToken: boolean | undefined): true | undefined =>
  deduplicateToken === false ? true : undefined;

/** Whether a token exists for at least as long as the wanted one. */
export function lastsAsLong(
  token: Pick<StoredToken, 'expiration'>,
  wanted: Pick<StoredToken, 'expiration'>,
): boolean {
  if (token.expiration === undefined) return true;
  return wanted.expiration !== undefined && token.expiration.at >= wanted.expiration.at;
}

/**
 * Whether an existing token is a duplicate of the wanted one. A token that the same request has
 * written is not.
 */
function isMatch(
  deps: FindDuplicateDeps,
  wanted: WantedToken,
  token: Omit<StoredToken, 'encryptedData'>,
): boolean {
  return (
    token.tenantId === wanted.tenantId &&
    token.matchHash === wanted.matchHash &&
    token.isUnmatched !== true &&
    !isOfSameRequest(createWriteIdOf(token), wanted.writeId) &&
    !hasExpired(token, deps.clock()) &&
    lastsAsLong(token, wanted)
  );
}

/**
 * Marks a match as shared before the caller relies on it, unless it is the caller's own. Returns
 * `undefined` if it no longer matches, or if other writers change it during every attempt.
 */
async function relyOn(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: WantedToken,
  found: StoredToken,
): Promise<StoredToken | undefined> {
  let token: StoredToken | undefined = found;
  for (let attempt = 0; attempt < SHARE_ATTEMPTS; attempt += 1) {
    if (token === undefined || !isMatch(deps, wanted, token)) return undefined;
    if (token.isShared || isSoleWriter(caller, token)) {
      // Its additional data binds the match hash, so the caller gets what matches, or an error.
      await openData(deps.vault, token);
      return token;
    }
    const marked = { ...token, isShared: true, version: token.version + 1 };
    const shared = { ...marked, ...(await reencryptContent(deps.vault, token, marked)) };
    if ((await deps.tokenStore.update(token, { token: shared })) === 'written') return shared;
    token = await deps.tokenStore.find(wanted.tenantId, token.id);
  }
  return undefined;
}

/**
 * A duplicate of the wanted token, marked as shared; `undefined` if there is none. `matches` has
 * the hashes to look for, one pair for each root (`encrypt-content.ts`).
 */
export async function findDuplicate(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: WantedToken,
  matches: readonly Pick<WantedToken, 'fingerprint' | 'matchHash'>[],
): Promise<StoredToken | undefined> {
  for (const match of matches) {
    const found = await findMatch(deps, caller, { ...wanted, ...match });
    if (found === 'itself') return undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Finds a token with exactly this match hash; `itself` if the wanted token is its own first match.
 */
async function findMatch(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: WantedToken,
): Promise<StoredToken | 'itself' | undefined> {
  for await (const summaries of deps.tokenStore.findMatches(wanted))
    for (const summary of summaries) {
      if (summary.id === wanted.id) return 'itself';
      if (!isMatch(deps, wanted, summary)) continue;
      const [token] = await deps.tokenStore.readData([summary]);
      const match = token && (await relyOn(deps, caller, wanted, token));
      if (match !== undefined) return match;
    }
  return undefined;
}

/**
 * Whether the token that holds a lock is a duplicate of the wanted one. If not, another token may
 * take the lock over.
 */
export async function isLockValid(
  deps: FindDuplicateDeps,
  wanted: WantedToken,
  id: string,
): Promise<boolean> {
  const token = await deps.tokenStore.find(wanted.tenantId, id);
  return token !== undefined && isMatch(deps, wanted, token);
}

/**
 * The token that holds a lock, marked as shared; `undefined` if it is not a duplicate of the wanted
 * one.
 */
export async function lockHolder(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: WantedToken,
  id: string,
): Promise<StoredToken | undefined> {
  const token = await deps.tokenStore.find(wanted.tenantId, id);
  return token && relyOn(deps, caller, wanted, token);
}
