import { createHmac, createSecretKey } from 'node:crypto';
import type { Random } from './platform.ts';

/**
 * The random values that identify a request's writes. Under an idempotency key, retries get the
 * same values, so they find earlier writes instead of repeating them (docs/decisions/0005).
 */
export interface WriteIdentity {
  /** Time of the first attempt, in ms since the epoch; absent for a request that is not retried. */
  readonly startedAt?: number;
  /** Makes a UUID version 4 (RFC 9562). */
  readonly newId: () => string;
  /** 12 bytes that mark a record as written by this request. */
  readonly newWriteId: () => Buffer;
  /**
   * A random integer from 0 up to, but not including, `below`, which is at most 2^16; for drawing
   * aliases.
   */
  readonly randomInt: (below: number) => number;
  /**
   * The identity of one part of the request, by its number. It draws the same values, whatever the
   * other parts have drawn before.
   */
  readonly part: (number: number) => WriteIdentity;
}

const WRITE_ID_BYTES = 12;
/** The bytes of a write id that all records of a request share. */
const REQUEST_BYTES = 10;

/** The write id of one record of a request that writes several, by its number (at most 65,535). */
export function writeIdOfPart(request: Buffer, number: number): Buffer {
  const writeId = Buffer.from(request);
  writeId.writeUInt16BE(number, REQUEST_BYTES);
  return writeId;
}

export const isOfSameRequest = (one: Buffer, other: Buffer): boolean =>
  one.subarray(0, REQUEST_BYTES).equals(other.subarray(0, REQUEST_BYTES));

/** Draws new random values each time, for requests that are not retried. */
export function randomIdentity(random: Random): WriteIdentity {
  const identity: WriteIdentity = {
    newId: random.uuid,
    newWriteId: () => random.bytes(WRITE_ID_BYTES),
    randomInt: random.integer,
    part: () => identity,
  };
  return identity;
}

/** Makes 16 random bytes a UUID: sets the version and variant bits (RFC 9562, section 5.4). */
function uuidOf(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Returns the same values in the same order for the same secret seed. The first attempt of the
 * request was at `startedAt`.
 */
export function repeatableIdentity(seed: Buffer, startedAt: number): WriteIdentity {
  const key = createSecretKey(seed);
  /** `path` is empty, or names a part as `3/`. */
  function identityOf(path: string): WriteIdentity {
    let drawn = 0;
    const draw = () =>
      createHmac('sha256', key)
        .update(`${path}${String((drawn += 1))}`)
        .digest();
    return {
      startedAt,
      newId: () => uuidOf(draw()),
      newWriteId: () => draw().subarray(0, WRITE_ID_BYTES),
      // 48 bits leave a bias below 2^-32.
      randomInt: (below) => draw().readUIntBE(0, 6) % below,
      part: (number) => identityOf(`${path}${String(number)}/`),
    };
  }
  return identityOf('');
}
