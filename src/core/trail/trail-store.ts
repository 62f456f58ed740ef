import type { MarkedShard } from '../audit/audit-log.ts';
import type { AuditRecord, RecordPlace } from '../audit/audit-record.ts';

/** Reads records. Times in ms since the epoch; `from` is inclusive, `to` exclusive. */
export interface TrailReader {
  /** The partitions that were marked in any minute of a range of whole minutes. */
  marked(from: number, to: number): Promise<readonly MarkedShard[]>;
  /** The records of a range as last written, ordered by position. */
  records(of: MarkedShard, from: number, to: number): AsyncIterable<readonly AuditRecord[]>;
  /** Those of the records that exist, in any order. */
  find(trail: string, places: readonly RecordPlace[]): Promise<readonly AuditRecord[]>;
}

/** A seal as it is stored. */
export interface Seal {
  /** Start of the interval, in ms since the epoch; unique together with `part`. */
  readonly from: number;
  /** From 1. */
  readonly part: number;
  /** A statement (see `seal.ts`) as JSON; the signature is over exactly these bytes. */
  readonly body: string;
  /** ECDSA P-256 over SHA-256 of the body, DER. */
  readonly signature: Buffer;
}

export interface SealReader {
  /** The last part of the seal with the latest interval; `undefined` before the first seal. */
  newest(): Promise<Seal | undefined>;
  /** Seals whose `from` is in a range, in order, as last written. */
  seals(from: number, to: number): AsyncIterable<readonly Seal[]>;
}

export interface SealStore extends SealReader {
  /**
   * Sets the start of the very first interval (ms since the epoch) to `from`, unless an earlier run
   * has set another one. Returns the start that counts; concurrent runs get the same one.
   */
  begin(from: number): Promise<number>;
  /** `false` if there is a seal with the same `from` and part, which is not overwritten. */
  insert(seal: Seal): Promise<boolean>;
}

/** The hash of the newest seal, stored apart from the seals. */
export interface SealHead {
  read(): Promise<Buffer | undefined>;
  /** `false` if the head is no longer `from`. */
  move(from: Buffer | undefined, to: Buffer): Promise<boolean>;
}

/** The key that signs seals. */
export interface SealSigner {
  /** ECDSA P-256, DER, over a SHA-256 digest. */
  sign(digest: Buffer): Promise<Buffer>;
}
