import { decideAccess } from '../access/access-decision.ts';
import type { Caller } from '../access/caller.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Clock } from '../shared/clock.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import { hasExpired } from './expiration.ts';
import { createWriteIdOf, isSoleWriter } from './ownership.ts';
import { reencryptContent } from './encrypt-content.ts';
import { cvcContext } from './encryption-context.ts';
import type { StoredToken } from './token.ts';
import type { TokenStore } from './token-store.ts';

export interface StoreMatchedCvcDeps {
  readonly tokenStore: Pick<TokenStore, 'find' | 'update'>;
  readonly vault: Vault;
  readonly clock: Clock;
  /** How long a cvc is stored, in ms. */
  readonly cvcLifetimeMs: number;
}

/** Attempts to write while other requests change the token. */
const ATTEMPTS = 4;

/**
 * Stores the cvc of a create or update on the token that matched, for a new lifetime, and returns
 * that token. Returns `undefined` without `token:update` there, or if the token no longer matches.
 * `writeId` identifies the write, so that a retry does not repeat it.
 */
export async function storeMatchedCvc(
  deps: StoreMatchedCvcDeps,
  caller: Caller,
  match: StoredToken,
  cvc: Secret<Json>,
  writeId: Buffer,
): Promise<StoredToken | undefined> {
  let token: StoredToken | undefined = match;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (token?.matchHash !== match.matchHash || hasExpired(token, deps.clock())) return undefined;
    if (token.writeId.equals(writeId)) return token;
    if (decideAccess(caller, 'token:update', token) === undefined) return undefined;
    const now = deps.clock();
    const changed = {
      ...token,
      isSolelyOwn: isSoleWriter(caller, token),
      cvcUntil: now + deps.cvcLifetimeMs,
      modifiedBy: caller.applicationId,
      modifiedAt: now,
      version: token.version + 1,
      writeId,
      createWriteId: createWriteIdOf(token),
    };
    const next: StoredToken = { ...changed, ...(await reencryptContent(deps.vault, token, changed)) };
    const encryptedCvc = await deps.vault.encrypt(cvcContext(next, changed.cvcUntil), cvc);
    const write = { token: next, cvc: { encryptedCvc, until: changed.cvcUntil } };
    if ((await deps.tokenStore.update(token, write)) === 'written') return next;
    token = await deps.tokenStore.find(token.tenantId, token.id);
  }
  return undefined;
}
