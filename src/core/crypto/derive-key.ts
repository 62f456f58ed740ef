import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * Each purpose has its own key, so that no two mechanisms share one. Only `data` has versions. The
 * others derive values that are compared, so they change only with the root
 * (docs/security.md#keys).
 */
export const KEY_PURPOSES = [
  'data',
  'fingerprint',
  'search',
  'clear',
  'cursor',
  'idempotency',
  'webhook',
  'audit',
] as const;
export type KeyPurpose = (typeof KEY_PURPOSES)[number];

const KEY_BYTES = 32;
const NO_SALT = Buffer.alloc(0);

/** The HKDF info, which names the purpose and, for data, the version (docs/security.md#keys). */
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
