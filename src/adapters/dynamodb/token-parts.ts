import { SEAL_OVERHEAD_BYTES } from '../../core/crypto/record-seal.ts';
import type { StoredToken, TokenHead } from '../../core/tokens/token.ts';
import { tokenDataKey, type ItemKey } from './keys.ts';
import { cutIntoParts, PART_BYTES, partCountOf, partKeys, readParts } from './value-parts.ts';
import type { Table } from './table-client.ts';

type Version = Pick<StoredToken, 'tenantId' | 'id' | 'version'>;

const dataKey = ({ tenantId, id, version }: Version) => tokenDataKey(tenantId, id, version);

/** A token as its own item contains it: data that does not fit next to the details is in parts. */
export function headOf({ sealedData, ...token }: StoredToken): TokenHead {
  const fits = sealedData.length + (token.sealedDetails?.length ?? 0) <= PART_BYTES;
  const dataBytes = sealedData.length - SEAL_OVERHEAD_BYTES;
  return { ...token, dataBytes, ...(fits && token.isApart !== true && { sealedData }) };
}

/** The number of parts of a token's data; 0 if the data is in the token's own item. */
export function dataPartCount({ sealedData, dataBytes }: TokenHead): number {
  return sealedData === undefined ? partCountOf(dataBytes + SEAL_OVERHEAD_BYTES) : 0;
}

/** The parts of a token's data; none if the data is in the token's own item. */
export function dataParts(token: StoredToken): ReturnType<typeof cutIntoParts> {
  return headOf(token).sealedData === undefined ? cutIntoParts(dataKey(token), token.sealedData) : [];
}

/** The data of a token from its parts; `undefined` if some are missing. */
export function readDataParts(table: Table, token: TokenHead): Promise<Buffer | undefined> {
  return readParts(table, dataKey(token), dataPartCount(token));
}

/** The keys of the parts of a token's data. */
export function dataPartKeys(token: TokenHead): readonly ItemKey[] {
  return partKeys(dataKey(token), dataPartCount(token));
}

/** The keys of the parts of the previous version, as many as it has. */
export function oldDataPartKeys(token: Version, count: number): readonly ItemKey[] {
  return partKeys(dataKey({ ...token, version: token.version - 1 }), count);
}
