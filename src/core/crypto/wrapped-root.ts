import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../shared/platform.ts';
import { decryptRecord, encryptRecord, type RecordContext } from './record-encryption.ts';

/** A deployment key in plaintext, with the id that its wrapped form is bound to. */
export interface OpenDeploymentKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** A deployment key has no versions. Each has an id, and a root names that. */
const VERSION = 1;

/** A root opens only for the same tenant, under the deployment key of the same id. */
const contextOf = (tenantId: string, { id }: OpenDeploymentKey): RecordContext => ({
  tenantId,
  recordId: id,
  field: 'root',
});

/**
 * Encrypts the root of a tenant under a deployment key. The result is an encrypted record of format
 * 1.
 */
export function wrapRoot(random: Random, by: OpenDeploymentKey, tenantId: string, root: KeyObject): Buffer {
  const plaintext = root.export();
  try {
    return encryptRecord(random, { version: VERSION, key: by.key }, contextOf(tenantId, by), plaintext);
  } finally {
    plaintext.fill(0);
  }
}

/**
 * Throws `RecordCorruptedError` for a root of another tenant, for one that another key wrapped, and
 * for changed bytes.
 */
export function unwrapRoot(by: OpenDeploymentKey, tenantId: string, wrapped: Buffer): KeyObject {
  const plaintext = decryptRecord({ version: VERSION, key: by.key }, contextOf(tenantId, by), wrapped);
  const root = createSecretKey(plaintext);
  plaintext.fill(0);
  return root;
}
