import { ENCRYPTION_OVERHEAD_BYTES } from '../../core/crypto/record-encryption.ts';
import type { UnprovenToken, UnprovenSummary } from '../../core/tokens/token.ts';
import { tokenDataKey, type ItemKey } from './keys.ts';
import { cutIntoParts, PART_BYTES, partCountOf, partKeys, readParts } from './value-parts.ts';
import type { Table } from './table-client.ts';

type Version = Pick<UnprovenToken, 'tenantId' | 'id' | 'version'>;

const dataKey = ({ tenantId, id, version }: Version) => tokenDataKey(tenantId, id, version);

/** A token as its own item contains it. Data that does not fit next to the details is in parts. */
export function summaryOf({ encryptedData, ...token }: UnprovenToken): UnprovenSummary {
  const fits = encryptedData.length + (token.encryptedDetails?.length ?? 0) <= PART_BYTES;
  const dataBytes = encryptedData.length - ENCRYPTION_OVERHEAD_BYTES;
  return { ...token, dataBytes, ...(fits && token.isApart !== true && { encryptedData }) };
}

/** The number of parts of a token's data, which is 0 if the data is in the token's own item. */
export function dataPartCount({ encryptedData, dataBytes }: UnprovenSummary): number {
  return encryptedData === undefined ? partCountOf(dataBytes + ENCRYPTION_OVERHEAD_BYTES) : 0;
}

/** The parts of a token's data. There are none if the data is in the token's own item. */
export function dataParts(token: UnprovenToken): ReturnType<typeof cutIntoParts> {
  return summaryOf(token).encryptedData === undefined
    ? cutIntoParts(dataKey(token), token.encryptedData)
    : [];
}

/** The data of a token from its parts; `undefined` if some are missing. */
export function readDataParts(table: Table, token: UnprovenSummary): Promise<Buffer | undefined> {
  return readParts(table, dataKey(token), dataPartCount(token));
}

export function dataPartKeys(token: UnprovenSummary): readonly ItemKey[] {
  return partKeys(dataKey(token), dataPartCount(token));
}

/** The keys of the parts of the previous version, as many as it has. */
export function oldDataPartKeys(token: Version, count: number): readonly ItemKey[] {
  return partKeys(dataKey({ ...token, version: token.version - 1 }), count);
}
