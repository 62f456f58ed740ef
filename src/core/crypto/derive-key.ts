import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * What a key of a tenant is for. Each purpose has a key of its own, so that no two mechanisms ever
 * share one. That of `data` seals records and has versions; the others stay as long as the root
 * does, since what they derive is compared.
 */
export const KEY_PURPOSES = [
  'data',
  'fingerprint',
  'search',
  'cursor',
  'idempotency',
  'webhook',
  'audit',
] as const;
export type KeyPurpose = (typeof KEY_PURPOSES)[number];

const KEY_BYTES = 32;
const NO_SALT = Buffer.alloc(0);

/**
 * What the key of a purpose, or of one version of the data key, is derived by
 * (docs/security.md#keys).
 */
function infoOf(purpose: KeyPurpose, version: number): string {
  return purpose === 'data'
    ? `cloakroom tenant key v1 data ${String(version)}`
    : `cloakroom tenant key v1 ${purpose}`;
}

/** HKDF-SHA-256 (RFC 5869) of a tenant's root key. `version` counts for `data` alone. */
export function deriveKey(root: KeyObject, purpose: KeyPurpose, version: number): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', root, NO_SALT, infoOf(purpose, version), KEY_BYTES));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}
