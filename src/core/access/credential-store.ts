import type { PortEffects } from '../audit/effect.ts';
import type { Caller } from './caller.ts';

/** The stored record of a key. */
export interface Credential {
  readonly keyHash: Buffer;
  readonly caller: Caller;
  /** The key is rejected from this time on, in ms since the epoch. */
  readonly expiresAtMs?: number;
  /** A session that is not authorized yet. */
  readonly isUnauthorized?: boolean;
}

/**
 * Looks up keys. A single read returns everything that decides access, so that a revoked key is
 * rejected immediately.
 */
export interface CredentialStore {
  /** The credential with this key hash; `undefined` for a key that is unknown or revoked. */
  findByKeyHash(keyHash: Buffer): Promise<Credential | undefined>;
}

export const CREDENTIAL_STORE_EFFECTS: PortEffects<CredentialStore> = { findByKeyHash: 'none' };
