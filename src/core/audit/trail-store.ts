import type { AuditRecord, RecordPlace } from './audit-record.ts';

/** A partition of a trail that has, or may have, records of some minute. */
export interface MarkedShard {
  readonly trail: string;
  readonly shard: number;
}

/** Reads records. Times in ms since the epoch; `from` is inside a range, `to` is not. */
export interface TrailReader {
  /** The partitions that were marked in any minute of a range of whole minutes. */
  marked(from: number, to: number): Promise<readonly MarkedShard[]>;
  /** The records of a range, by position, as they were last written. */
  records(of: MarkedShard, from: number, to: number): AsyncIterable<readonly AuditRecord[]>;
  /** Those of the records that exist, in any order. */
  find(trail: string, places: readonly RecordPlace[]): Promise<readonly AuditRecord[]>;
}

/** A seal as it is stored. */
export interface Seal {
  /** Start of the interval, in ms since the epoch: no two seals have the same one and part. */
  readonly from: number;
  /** From 1. */
  readonly part: number;
  /** A statement (see `seal.ts`) as JSON, signed as these very bytes. */
  readonly body: string;
  /** ECDSA P-256 over SHA-256 of the body, DER. */
  readonly signature: Buffer;
}

export interface SealReader {
  /** The seal with the latest interval, its last part; `undefined` before the first. */
  newest(): Promise<Seal | undefined>;
  /** Seals whose `from` is in a range, in order, as they were last written. */
  seals(from: number, to: number): AsyncIterable<readonly Seal[]>;
}

export interface SealStore extends SealReader {
  /**
   * The start of the very first interval (ms since the epoch): the given one, unless a run before
   * this one has begun elsewhere. Two that begin at once agree.
   */
  begin(from: number): Promise<number>;
  /** `false` if there is a seal of the same `from` and part: it is not overwritten. */
  insert(seal: Seal): Promise<boolean>;
}

/** The newest seal, by its hash, kept where the seals are not. */
export interface SealHead {
  read(): Promise<Buffer | undefined>;
  /** `false` if the head is not what it was read as. */
  move(from: Buffer | undefined, to: Buffer): Promise<boolean>;
}

/** The key that signs seals. */
export interface SealSigner {
  /** ECDSA P-256, DER, over a SHA-256 digest. */
  sign(digest: Buffer): Promise<Buffer>;
}
