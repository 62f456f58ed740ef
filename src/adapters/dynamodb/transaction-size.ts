import type { UnprovenToken, UnprovenSummary } from '../../core/tokens/token.ts';

/** Most writes of one transaction, and its size in bytes with room for keys (AWS: 100 and 4 MB). */
export const TRANSACTION_WRITES = 100;
export const TRANSACTION_BYTES = 3_900_000;

/** Bytes of keys and other short attributes, at least as many as a token or an entry has. */
const TOKEN_PLAIN_BYTES = 2_000;
const ENTRY_PLAIN_BYTES = 500;

const bytesOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Whether so many writes, of so many bytes together, fit into one transaction. */
export const fits = (writes: number, bytes: number): boolean =>
  writes <= TRANSACTION_WRITES && bytes <= TRANSACTION_BYTES;

/**
 * Estimates the bytes that DynamoDB counts for a token's item, also if it is only checked or
 * deleted. Those of a token with its data include the parts.
 */
export const tokenBytes = (token: UnprovenToken | UnprovenSummary): number =>
  TOKEN_PLAIN_BYTES +
  (token.encryptedData?.length ?? 0) +
  (token.encryptedDetails?.length ?? 0) +
  bytesOf([token.id, ...token.containers, ...token.terms]);

/** Estimates the bytes that DynamoDB counts for one index entry of a token. */
export const entryBytes = ({ id, containers }: Pick<UnprovenToken, 'id' | 'containers'>): number =>
  ENTRY_PLAIN_BYTES + bytesOf([id, ...containers]);

/** The part of a transaction that something takes. */
export interface Share {
  readonly items: readonly unknown[];
  readonly bytes: number;
}

/** Puts the elements into as few groups as possible that each fit a transaction, in their order. */
export function packed<T extends Share>(shares: readonly T[]): readonly (readonly T[])[] {
  const all: T[][] = [];
  let items = TRANSACTION_WRITES;
  let bytes = 0;
  for (const share of shares) {
    const isNew = !fits(items + share.items.length, bytes + share.bytes);
    if (isNew) all.push([]);
    items = share.items.length + (isNew ? 0 : items);
    bytes = share.bytes + (isNew ? 0 : bytes);
    all.at(-1)?.push(share);
  }
  return all;
}
