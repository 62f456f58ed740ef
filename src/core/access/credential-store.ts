import type { PortEffects } from '../audit/effect.ts';
import type { Caller } from './caller.ts';

/** How long a deleted or expired key is remembered, in ms. */
export const RETIRED_MS = 30 * 24 * 60 * 60 * 1000;

/** Names a key of an application, or of a stored proxy. */
export interface KeyName {
  readonly tenantId: string;
  readonly applicationId?: string;
  readonly proxyId?: string;
  readonly keyId: string;
}

/** The stored record of a key. */
export interface Credential {
  readonly keyHash: Buffer;
  readonly caller: Caller;
  /** The key is rejected from this time on, in ms since the epoch. */
  readonly expiresAtMs?: number;
  /** Members that the key of an application has of its own. */
  readonly key?: OwnKey;
}

/** A key of an application, by which its rights are used. */
export interface OwnKey extends KeyName {
  /** The key is rejected from this time on, in ms since the epoch. */
  readonly expiresAtMs?: number;
  /** The networks from which requests may present it; empty for all. */
  readonly sourceAddresses: readonly string[];
}

/** A key that was deleted, and is still remembered. */
export interface RetiredKey {
  readonly keyHash: Buffer;
  readonly retired: KeyName;
}

/** A key whose end has come. Its rights are not read. */
export interface EndedKey {
  readonly keyHash: Buffer;
  readonly ended: OwnKey;
}

/**
 * Looks up keys. Everything that decides access is read for each request, so that a revoked key is
 * rejected immediately.
 */
export interface CredentialStore {
  /** The credential with this key hash; `undefined` for a key that is unknown. */
  findByKeyHash(keyHash: Buffer): Promise<Credential | EndedKey | RetiredKey | undefined>;
}

export const CREDENTIAL_STORE_EFFECTS: PortEffects<CredentialStore> = { findByKeyHash: 'none' };

/** Notes on which days keys are used. */
export interface KeyUses {
  /**
   * Notes the day of a use (`2026-11-26`, UTC), unless the key has been deleted. At most one call
   * for each key and day of an instance writes.
   */
  note(keyHash: Buffer, day: string): Promise<void>;
}

export const KEY_USES_EFFECTS: PortEffects<KeyUses> = { note: 'none' };
