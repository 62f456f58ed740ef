import { SEAL_OVERHEAD_BYTES } from '../crypto/record-seal.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { cvcContext, headContext, sealContext, type SealedSizes, type SealedToken } from './seal-context.ts';
import type { PreparedContent } from './prepare-content.ts';
import type { StoredToken, TokenHead } from './token.ts';

/** The values that are derived from a token's content under the tenant's keys. */
export type DerivedParts = Pick<
  StoredToken,
  'fingerprint' | 'matchHash' | 'terms' | 'hasMask' | 'derivedSince' | 'termsSince'
>;

/**
 * The fingerprints and the hashed terms of contents of one tenant. Terms are hashed under every key
 * that a running instance may search by.
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

/** The sealed form of a token's content. */
export interface SealedParts extends Pick<StoredToken, 'sealedData' | 'sealedDetails' | 'headMac'> {
  readonly sealedCvc?: Buffer;
}

type SealedFields = Pick<StoredToken, 'sealedData' | 'sealedDetails'>;

/** The size of what a sealed field contains. */
const sizeOf = (sealed: Buffer): number => sealed.length - SEAL_OVERHEAD_BYTES;

const sizesOf = (fields: SealedFields | TokenHead): SealedSizes => ({
  dataBytes: 'dataBytes' in fields ? fields.dataBytes : sizeOf(fields.sealedData),
  detailsBytes: fields.sealedDetails && sizeOf(fields.sealedDetails),
});

/** Adds the MAC of a token's clear fields and of the sizes of its sealed ones. */
async function withHead<T extends SealedFields>(
  vault: Vault,
  token: SealedToken,
  fields: T,
): Promise<T & Pick<StoredToken, 'headMac'>> {
  return { ...fields, headMac: await vault.mac(headContext(token, sizesOf(fields))) };
}

/**
 * Rejects with `RecordCorruptedError` if a clear field of a stored token was changed, or if its
 * details were added or removed.
 */
export async function checkHead(vault: Vault, token: StoredToken | TokenHead): Promise<void> {
  await vault.verify(headContext(token, sizesOf(token)), token.headMac);
}

/** Seals every part of a token. A cvc needs the token's `cvcUntil`. */
export async function sealContent(
  vault: Vault,
  token: SealedToken,
  { data, details, cvc }: PreparedContent,
): Promise<SealedParts> {
  const hasDetails = Object.keys(details).length > 0;
  const [sealedData, sealedDetails, sealedCvc] = await Promise.all([
    vault.seal(sealContext(token, 'data'), data),
    hasDetails
      ? vault.seal(sealContext(token, 'details'), new Secret(details as unknown as Json))
      : undefined,
    cvc === undefined ? undefined : vault.seal(cvcContext(token, token.cvcUntil ?? 0), cvc),
  ]);
  return withHead(vault, token, defined({ sealedData, sealedDetails, sealedCvc }));
}

/** The same content, sealed again for a token with other clear fields or under another key. */
export async function resealContent(vault: Vault, from: StoredToken, to: SealedToken): Promise<SealedParts> {
  const again = async (field: 'data' | 'details', sealed: Buffer) =>
    vault.seal(sealContext(to, field), await vault.open(sealContext(from, field), sealed));
  const { sealedData, sealedDetails } = from;
  await checkHead(vault, from);
  const fields = {
    sealedData: await again('data', sealedData),
    sealedDetails: sealedDetails && (await again('details', sealedDetails)),
  };
  return withHead(vault, to, defined(fields));
}
