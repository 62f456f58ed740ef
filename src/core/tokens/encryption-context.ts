import type { RecordContext } from '../crypto/record-encryption.ts';
import type { StoredToken } from './token.ts';

/**
 * The clear fields that a token's encrypted fields are bound to: all that decides who gets the
 * token, and which token a caller gets. `holdsLock` is not among them: a lock decides only together
 * with the match hash of the token that it names.
 */
export type EncryptedToken = Omit<
  StoredToken,
  'encryptedData' | 'encryptedDetails' | 'clearMac' | 'isApart' | 'holdsLock'
>;

/** Bytes of the encrypted fields' JSON; `undefined` for absent details. */
export interface EncryptedSizes {
  readonly dataBytes: number;
  readonly detailsBytes: number | undefined;
}

/** Writes the clear fields as text, in a fixed order. Absent ones are `null`. */
function clearFields(token: EncryptedToken): string {
  return JSON.stringify([
    token.createdBy,
    token.createdAt,
    token.modifiedBy,
    token.modifiedAt,
    token.isSolelyOwn,
    token.isShared,
    token.isUnmatched === true,
    token.containers,
    token.fingerprint,
    token.matchHash,
    token.hasMask,
    token.terms,
    token.derivedSince,
    token.termsSince,
    token.expiration?.at,
    token.expiration?.offsetMinutes,
    token.cvcUntil,
    token.position,
    token.version,
    token.writeId.toString('base64url'),
    ...(token.createWriteId === undefined ? [] : [token.createWriteId.toString('base64url')]),
  ]);
}

/**
 * The context that the data and the details of a token are encrypted under
 * (docs/security.md#the-encrypted-record).
 */
export function encryptionContext(token: EncryptedToken, field: 'data' | 'details'): RecordContext {
  return {
    tenantId: token.tenantId,
    recordId: token.id,
    field,
    bound: [token.type, clearFields(token)],
  };
}

/**
 * The context of the MAC of a token's clear fields. It also binds the sizes, so that a token
 * without its details is not one that never had any.
 */
export function clearContext(
  token: EncryptedToken,
  { dataBytes, detailsBytes }: EncryptedSizes,
): RecordContext {
  return {
    tenantId: token.tenantId,
    recordId: token.id,
    field: 'clear',
    bound: [token.type, clearFields(token), JSON.stringify([dataBytes, detailsBytes])],
  };
}

/**
 * The context of a cvc. An update does not write the cvc, so the cvc is bound only to its own end
 * and to what no update changes.
 */
export function cvcContext(
  { tenantId, id, type }: Pick<EncryptedToken, 'tenantId' | 'id' | 'type'>,
  until: number,
): RecordContext {
  return { tenantId, recordId: id, field: 'cvc', bound: [type, String(until)] };
}
