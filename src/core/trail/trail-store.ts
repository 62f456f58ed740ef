import type { MarkedShard } from '../audit/audit-log.ts';
import type { AuditRecord, RecordPlace } from '../audit/audit-record.ts';

/** Reads records. Times are in ms since the epoch; `from` is inclusive, `to` exclusive. */
export interface TrailReader {
  /** The partitions that were marked in any minute of a range of whole minutes. */
  marked(from: number, to: number): Promise<readonly MarkedShard[]>;
  /** The newest versions of the records of a range, ordered by position. */
  records(of: MarkedShard, from: number, to: number): AsyncIterable<readonly AuditRecord[]>;
  /** Finds the records that exist at these places, in any order. */
  find(trail: string, places: readonly RecordPlace[]): Promise<readonly AuditRecord[]>;
}

/** A seal as it is stored. */
export interface Seal {
  /**
   * Start of the interval that it seals, in ms since the epoch. It is unique together with `part`.
   */
  readonly from: number;
  /** Starts at 1. */
  readonly part: number;
  /** A statement (see `seal.ts`) as JSON. The signature is over exactly these bytes. */
  readonly body: string;
  /** ECDSA P-256 over SHA-256 of the body, which is encoded as DER. */
  readonly signature: Buffer;
}

export interface SealReader {
  /**
   * Reads the last part of the seal with the latest interval; `undefined` before the first seal.
   */
  newest(): Promise<Seal | undefined>;
  /**
   * The newest versions of the seals whose `from` is in a range, in order. A range that ends before
   * it starts has none.
   */
  seals(from: number, to: number): AsyncIterable<readonly Seal[]>;
}

export interface SealStore extends SealReader {
  /**
   * Sets the start of the very first interval (ms since the epoch) to `from`, unless an earlier run
   * has set another one. Returns the start that counts. Concurrent runs get the same one.
   */
  begin(from: number): Promise<number>;
  /**
   * Inserts a seal; `false` if there is one with the same `from` and part, which is not
   * overwritten.
   */
  insert(seal: Seal): Promise<boolean>;
}

/** The hash of the newest seal, which is stored apart from the seals. */
export interface SealHead {
  read(): Promise<Buffer | undefined>;
  /** Replaces the hash; `false` if it is no longer `from`. */
  move(from: Buffer | undefined, to: Buffer): Promise<boolean>;
}

/** The key that signs seals. */
export interface SealSigner {
  /** Signs a SHA-256 digest. The signature is ECDSA P-256 in DER. */
  sign(digest: Buffer): Promise<Buffer>;
}
