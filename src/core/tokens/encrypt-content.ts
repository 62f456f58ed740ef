import { ENCRYPTION_OVERHEAD_BYTES } from '../crypto/record-encryption.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import {
  cvcContext,
  clearContext,
  encryptionContext,
  type EncryptedSizes,
  type EncryptedToken,
} from './encryption-context.ts';
import type { PreparedContent } from './prepare-content.ts';
import type { ProvenMac, StoredToken, UnprovenSummary, UnprovenToken } from './token.ts';

/** The values that are derived from a token's content under the tenant's keys. */
export type DerivedParts = Pick<
  StoredToken,
  'fingerprint' | 'matchHash' | 'terms' | 'hasMask' | 'derivedSince' | 'termsSince'
>;

/**
 * The fingerprints and the hashed terms of contents of one tenant. Terms are hashed under every key
 * by which a running instance may search.
 */
export async function deriveParts(
  keys: TenantKeys,
  tenantId: string,
  contents: readonly PreparedContent[],
): Promise<readonly DerivedParts[]> {
  const needsTerms = contents.some(({ hasTerms }) => hasTerms);
  const [fingerprintKey, searchKeys] = await Promise.all([
    keys.current(tenantId, 'fingerprint'),
    needsTerms ? keys.searched(tenantId, 'search') : [],
  ]);
  return contents.map((content) => ({
    ...content.fingerprints(fingerprintKey.key),
    hasMask: content.hasMask,
    terms: [...new Set(searchKeys.flatMap(({ key }) => content.terms(key)))],
    derivedSince: fingerprintKey.version,
    termsSince: searchKeys[0]?.version ?? fingerprintKey.version,
  }));
}

/**
 * The hashes that identify duplicates of a content: one pair for each root. There are two roots
 * while one is being replaced.
 */
export async function matchesOf(
  keys: TenantKeys,
  tenantId: string,
  content: PreparedContent,
): Promise<readonly Pick<StoredToken, 'fingerprint' | 'matchHash'>[]> {
  return (await keys.all(tenantId, 'fingerprint')).map((key) => content.fingerprints(key));
}

/** The encrypted form of a token's content. */
export interface EncryptedParts extends Pick<StoredToken, 'encryptedData' | 'encryptedDetails' | 'clearMac'> {
  readonly encryptedCvc?: Buffer;
}

type EncryptedFields = Pick<StoredToken, 'encryptedData' | 'encryptedDetails'>;

/** The size in bytes of what an encrypted field contains. */
const sizeOf = (encrypted: Buffer): number => encrypted.length - ENCRYPTION_OVERHEAD_BYTES;

const sizesOf = (fields: EncryptedFields | UnprovenSummary): EncryptedSizes => ({
  dataBytes: 'dataBytes' in fields ? fields.dataBytes : sizeOf(fields.encryptedData),
  detailsBytes: fields.encryptedDetails && sizeOf(fields.encryptedDetails),
});

/** Adds the MAC of a token's clear fields and of the sizes of its encrypted ones. */
async function withClearMac<T extends EncryptedFields>(
  vault: Vault,
  token: EncryptedToken,
  fields: T,
): Promise<T & Pick<StoredToken, 'clearMac'>> {
  const clearMac = await vault.mac(clearContext(token, sizesOf(fields)));
  return { ...fields, clearMac: clearMac as ProvenMac };
}

/**
 * The token itself, if its clear fields are as the service wrote them. Rejects with
 * `RecordCorruptedError` if one was changed, or if details were added or removed.
 */
export async function proven<T extends UnprovenToken | UnprovenSummary>(
  vault: Vault,
  token: T,
): Promise<T & { readonly clearMac: ProvenMac }> {
  await vault.verify(clearContext(token, sizesOf(token)), token.clearMac);
  return token as T & { readonly clearMac: ProvenMac };
}

/** Encrypts every part of a token. A cvc needs the token's `cvcUntil`. */
export async function encryptContent(
  vault: Vault,
  token: EncryptedToken,
  { data, details, cvc }: PreparedContent,
): Promise<EncryptedParts> {
  const hasDetails = Object.keys(details).length > 0;
  const [encryptedData, encryptedDetails, encryptedCvc] = await Promise.all([
    vault.encrypt(encryptionContext(token, 'data'), data),
    hasDetails
      ? vault.encrypt(encryptionContext(token, 'details'), new Secret(details as unknown as Json))
      : undefined,
    cvc === undefined ? undefined : vault.encrypt(cvcContext(token, token.cvcUntil ?? 0), cvc),
  ]);
  return withClearMac(vault, token, defined({ encryptedData, encryptedDetails, encryptedCvc }));
}

/** The same content, encrypted again for a token with other clear fields or under another key. */
export async function reencryptContent(
  vault: Vault,
  from: UnprovenToken,
  to: EncryptedToken,
): Promise<EncryptedParts> {
  const again = async (field: 'data' | 'details', encrypted: Buffer) =>
    vault.encrypt(
      encryptionContext(to, field),
      await vault.decrypt(encryptionContext(from, field), encrypted),
    );
  const { encryptedData, encryptedDetails } = from;
  await proven(vault, from);
  const fields = {
    encryptedData: await again('data', encryptedData),
    encryptedDetails: encryptedDetails && (await again('details', encryptedDetails)),
  };
  return withClearMac(vault, to, defined(fields));
}
