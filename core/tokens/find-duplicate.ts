import type { Clock } from '../shared/clock.ts';
import { hasExpired } from './expiration.ts';
import type { StoredToken } from './token.ts';
import type { TokenStore } from './token-store.ts';
import type { TokenTypeName } from './token-type.ts';

export interface FindDuplicateDeps {
  readonly tokenStore: Pick<TokenStore, 'find' | 'findByFingerprint'>;
  readonly clock: Clock;
}

/** What deduplication matches (decisions.md, section 3). */
export interface Fingerprinted {
  readonly tenantId: string;
  readonly type: TokenTypeName;
  readonly fingerprint: string;
}

/** Whether a token stands for the type and fingerprint: it exists, and still has them. */
function matches(deps: FindDuplicateDeps, wanted: Fingerprinted, token: StoredToken): boolean {
  return (
    token.type === wanted.type && token.fingerprint === wanted.fingerprint && !hasExpired(token, deps.clock())
  );
}

/** The oldest token of the type and fingerprint, or `undefined`. */
export async function findDuplicate(
  deps: FindDuplicateDeps,
  wanted: Fingerprinted,
): Promise<StoredToken | undefined> {
  const tokens = await deps.tokenStore.findByFingerprint(wanted.tenantId, wanted.fingerprint);
  return tokens
    .filter((token) => token.tenantId === wanted.tenantId && matches(deps, wanted, token))
    .toSorted((a, b) => a.createdAt - b.createdAt)[0];
}

/** The token that holds the lock of a fingerprint if it still stands for it; a holder that is gone does not. */
export async function lockHolder(
  deps: FindDuplicateDeps,
  wanted: Fingerprinted,
  id: string,
): Promise<StoredToken | undefined> {
  const token = await deps.tokenStore.find(wanted.tenantId, id);
  return token !== undefined && matches(deps, wanted, token) ? token : undefined;
}
