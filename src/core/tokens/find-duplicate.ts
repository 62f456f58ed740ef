import type { Caller } from '../applications/application.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Clock } from '../shared/clock.ts';
import { hasExpired } from './expiration.ts';
import { isSoleWriter } from './ownership.ts';
import { sealAnew } from './seal-token.ts';
import type { StoredToken } from './token.ts';
import type { TokenStore } from './token-store.ts';

export interface FindDuplicateDeps {
  readonly tokenStore: Pick<TokenStore, 'find' | 'findMatches' | 'readData' | 'update'>;
  readonly vault: Vault;
  readonly clock: Clock;
}

/**
 * A token that is about to be written, as far as deduplication looks at it
 * (docs/contract.md#deduplication).
 */
export type Wanted = Pick<
  StoredToken,
  'tenantId' | 'fingerprint' | 'matchHash' | 'writeId' | 'expiration'
> & {
  /**
   * Of a token that exists already: where it is the first match itself, nothing is its duplicate.
   */
  readonly id?: string;
};

/**
 * Tries to mark a token that changes meanwhile. One is enough unless somebody else marks or changes
 * it at the same time.
 */
const MARK_TRIES = 4;

/** Whether one token exists for at least as long as another. */
export function lastsAsLong(
  token: Pick<StoredToken, 'expiration'>,
  wanted: Pick<StoredToken, 'expiration'>,
): boolean {
  if (token.expiration === undefined) return true;
  return wanted.expiration !== undefined && token.expiration.at >= wanted.expiration.at;
}

/**
 * Whether an existing token can be taken for the wanted one. What the same request has written is
 * no duplicate.
 */
function isMatch(deps: FindDuplicateDeps, wanted: Wanted, token: Omit<StoredToken, 'sealedData'>): boolean {
  return (
    token.tenantId === wanted.tenantId &&
    token.matchHash === wanted.matchHash &&
    !token.writeId.equals(wanted.writeId) &&
    !hasExpired(token, deps.clock()) &&
    lastsAsLong(token, wanted)
  );
}

/**
 * The match as the caller may rely on it: marked as shared, on the condition of what was read,
 * unless it is the caller's own. `undefined` for a token that is no match any more, or that others
 * change again and again: nobody waits for who keeps a token busy.
 */
async function relyOn(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: Wanted,
  found: StoredToken,
): Promise<StoredToken | undefined> {
  let token: StoredToken | undefined = found;
  for (let tries = 0; tries < MARK_TRIES; tries += 1) {
    if (token === undefined || !isMatch(deps, wanted, token)) return undefined;
    if (token.isShared || isSoleWriter(caller, token)) return token;
    const marked = { ...token, isShared: true, version: token.version + 1 };
    const shared = { ...marked, ...(await sealAnew(deps.vault, token, marked)) };
    if ((await deps.tokenStore.update(token, { token: shared })) === 'written') return shared;
    token = await deps.tokenStore.find(wanted.tenantId, token.id);
  }
  return undefined;
}

/**
 * A token that can be taken for the wanted one, with the caller's reliance on it written down;
 * `undefined` if there is none. `matches`: what it may be known by (`seal-token.ts`).
 */
export async function findDuplicate(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: Wanted,
  matches: readonly Pick<Wanted, 'fingerprint' | 'matchHash'>[],
): Promise<StoredToken | undefined> {
  for (const match of matches) {
    const found = await findMatch(deps, caller, { ...wanted, ...match });
    if (found === 'itself') return undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A token of the very match hash; `itself` for a token that is its own first match. */
async function findMatch(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: Wanted,
): Promise<StoredToken | 'itself' | undefined> {
  for await (const heads of deps.tokenStore.findMatches(wanted))
    for (const head of heads) {
      if (head.id === wanted.id) return 'itself';
      if (!isMatch(deps, wanted, head)) continue;
      const [token] = await deps.tokenStore.readData([head]);
      const match = token && (await relyOn(deps, caller, wanted, token));
      if (match !== undefined) return match;
    }
  return undefined;
}

/**
 * Whether the holder of a lock can be taken for the wanted token; if not, the lock may be taken
 * over.
 */
export async function lockStands(deps: FindDuplicateDeps, wanted: Wanted, id: string): Promise<boolean> {
  const token = await deps.tokenStore.find(wanted.tenantId, id);
  return token !== undefined && isMatch(deps, wanted, token);
}

/**
 * The holder of a lock, with the caller's reliance on it written down; `undefined` if
 * {@link lockStands} is not so.
 */
export async function lockHolder(
  deps: FindDuplicateDeps,
  caller: Caller,
  wanted: Wanted,
  id: string,
): Promise<StoredToken | undefined> {
  const token = await deps.tokenStore.find(wanted.tenantId, id);
  return token && relyOn(deps, caller, wanted, token);
}
