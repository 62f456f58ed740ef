import type { Caller } from '../access/caller.ts';
import type { Sightings } from '../audit/audit-scope.ts';
import type { Vault } from '../crypto/vault.ts';
import { proven } from './encrypt-content.ts';
import type { StoredToken, UnprovenToken } from './token.ts';
import type { TokenStore } from './token-store.ts';

/**
 * A token that was read while its caller was authenticated. Before the caller is known, nothing is
 * proven: no request without a valid key costs a call of KMS.
 */
export interface PrefetchedToken {
  readonly token: UnprovenToken | undefined;
}

export interface PrefetchedTokenDeps {
  readonly tokenStore: Pick<TokenStore, 'find'>;
  readonly vault: Vault;
  readonly audit: Pick<Sightings, 'found'>;
}

/** The token with this id of the caller's tenant: the prefetched one, proven now, or read now. */
export async function findOnce(
  { tokenStore, vault, audit }: PrefetchedTokenDeps,
  { tenantId }: Caller,
  id: string,
  prefetched: PrefetchedToken | undefined,
): Promise<StoredToken | undefined> {
  if (prefetched === undefined) return tokenStore.find(tenantId, id);
  const { token } = prefetched;
  if (token === undefined) return undefined;
  audit.found([token]);
  return proven(vault, token);
}
