import { SEAL_OVERHEAD_BYTES } from '../../core/crypto/record-seal.ts';
import type { StoredToken, TokenHead } from '../../core/tokens/token.ts';
import { tokenDataKey, type ItemKey } from './keys.ts';
import { cut, PART_BYTES, partCountOf, partKeys, readParts } from './parts.ts';
import type { Table } from './table-client.ts';

type Version = Pick<StoredToken, 'tenantId' | 'id' | 'version'>;

const dataKey = ({ tenantId, id, version }: Version) => tokenDataKey(tenantId, id, version);

/**
 * A token as its own item holds it: data that does not fit there beside the details stands in
 * parts.
 */
export function headOf({ sealedData, ...token }: StoredToken): TokenHead {
  const fits = sealedData.length + (token.sealedDetails?.length ?? 0) <= PART_BYTES;
  const dataBytes = sealedData.length - SEAL_OVERHEAD_BYTES;
  return { ...token, dataBytes, ...(fits && token.isApart !== true && { sealedData }) };
}

/** How many parts hold the data of a token; 0 when it stands in the token's own item. */
export function dataPartCount({ sealedData, dataBytes }: TokenHead): number {
  return sealedData === undefined ? partCountOf(dataBytes + SEAL_OVERHEAD_BYTES) : 0;
}

/** The items of the data of a token that does not stand in the token's own. */
export function dataParts(token: StoredToken): ReturnType<typeof cut> {
  return headOf(token).sealedData === undefined ? cut(dataKey(token), token.sealedData) : [];
}

/** The data of a token from its parts; `undefined` if they are not all there. */
export function readDataParts(table: Table, token: TokenHead): Promise<Buffer | undefined> {
  return readParts(table, dataKey(token), dataPartCount(token));
}

/** The keys of the parts that hold the data of a token. */
export function dataPartKeys(token: TokenHead): readonly ItemKey[] {
  return partKeys(dataKey(token), dataPartCount(token));
}

/** The keys of as many parts of the version before. */
export function oldDataPartKeys(token: Version, count: number): readonly ItemKey[] {
  return partKeys(dataKey({ ...token, version: token.version - 1 }), count);
}
