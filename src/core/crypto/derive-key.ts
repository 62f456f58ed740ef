import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * The purpose of a tenant's key. Each purpose has a separate key, so that no two mechanisms ever
 * share one. The key for `data` seals records and has versions. The others do not change until the
 * root is replaced, since the values derived with them are compared.
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
 * The HKDF info for the key of a purpose, or for one version of the data key
 * (docs/security.md#keys).
 */
function infoOf(purpose: KeyPurpose, version: number): string {
  return purpose === 'data'
    ? `cloakroom tenant key v1 data ${String(version)}`
    : `cloakroom tenant key v1 ${purpose}`;
}

/** HKDF-SHA-256 (RFC 5869) of a tenant's root key. `version` matters only for `data`. */
export function deriveKey(root: KeyObject, purpose: KeyPurpose, version: number): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', root, NO_SALT, infoOf(purpose, version), KEY_BYTES));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}
