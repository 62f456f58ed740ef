import { createHmac, createSecretKey, randomBytes, randomInt, randomUUID } from 'node:crypto';

/**
 * The random values that name what a request writes. Under an idempotency key they are the same
 * when the request is tried again, so that a second try finds what the first one wrote instead of
 * writing it again.
 */
export interface WriteIdentity {
  /**
   * When the request was first tried, in ms since the epoch; absent for one that is not tried
   * again.
   */
  readonly startedAt?: number;
  /** A UUID version 4 (RFC 9562). */
  readonly newId: () => string;
  /** 12 bytes that mark a record as written by this request. */
  readonly newWriteId: () => Buffer;
  /** A whole number from 0 to below `below`, at most 2^16: what aliases are drawn with. */
  readonly randomInt: (below: number) => number;
}

const WRITE_ID_BYTES = 12;

/** Fresh random values each time. */
export const randomIdentity: WriteIdentity = {
  newId: () => randomUUID(),
  newWriteId: () => randomBytes(WRITE_ID_BYTES),
  randomInt: (below) => randomInt(below),
};

/** Sets the version and variant bits of RFC 9562, section 5.4, on 16 bytes. */
function uuidOf(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * The same values in the same order for the same secret seed of a request that was first tried at
 * `startedAt`.
 */
export function repeatableIdentity(seed: Buffer, startedAt: number): WriteIdentity {
  const key = createSecretKey(seed);
  let drawn = 0;
  const draw = () =>
    createHmac('sha256', key)
      .update(String((drawn += 1)))
      .digest();
  return {
    startedAt,
    newId: () => uuidOf(draw()),
    newWriteId: () => draw().subarray(0, WRITE_ID_BYTES),
    // 48 bits leave a bias below 2^-32.
    randomInt: (below) => draw().readUIntBE(0, 6) % below,
  };
}
