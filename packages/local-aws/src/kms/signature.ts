import { createECDH, createHash, verify, type ECDH, type KeyObject } from 'node:crypto';
import type { RandomBytes } from './ciphertext.ts';

/**
 * ECDSA on P-256 with SHA-256 (FIPS 186-5, section 6), in DER: Node cannot sign a digest of the
 * caller. Its arithmetic does not run in constant time, because the keys are local ones.
 */
const CURVE = 'prime256v1';
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const SCALAR_BYTES = 32;

interface Pair {
  readonly r: bigint;
  readonly s: bigint;
}

function integer(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`);
}

function bytesOf(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * SCALAR_BYTES, '0'), 'hex');
}

function modulo(value: bigint): bigint {
  return value % ORDER;
}

/** Uses the extended Euclidean algorithm, which takes less time than a power of the value. */
function inverse(value: bigint): bigint {
  let rest = ORDER;
  let next = modulo(value);
  let factor = 0n;
  let nextFactor = 1n;
  while (next > 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + ORDER : factor;
}

/** The x coordinate of an uncompressed point, as a scalar. */
function abscissa(point: Buffer): bigint {
  return modulo(integer(point.subarray(1, 1 + SCALAR_BYTES)));
}

function secretScalar(key: KeyObject): bigint {
  return integer(Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url'));
}

function derInteger(value: bigint): Buffer {
  const padded = Buffer.concat([Buffer.alloc(1), bytesOf(value)]);
  let start = 0;
  while (start < padded.length - 1 && padded[start] === 0 && (padded[start + 1] ?? 0) < 0x80) start += 1;
  const content = padded.subarray(start);
  return Buffer.concat([Buffer.from([0x02, content.length]), content]);
}

function der({ r, s }: Pair): Buffer {
  const content = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

/** Undefined for anything but the encoding of two scalars. */
function parseDer(signature: Buffer): Pair | undefined {
  const rEnd = 4 + (signature[3] ?? 0);
  const r = integer(signature.subarray(4, rEnd));
  const s = integer(signature.subarray(rEnd + 2));
  if (r <= 0n || s <= 0n || r >= ORDER || s >= ORDER) return undefined;
  return der({ r, s }).equals(signature) ? { r, s } : undefined;
}

/** Draws a scalar below the order of the curve, which has its point. */
export function randomPair(random: RandomBytes): ECDH {
  for (;;) {
    const scalar = integer(random(SCALAR_BYTES));
    if (scalar === 0n || scalar >= ORDER) continue;
    const pair = createECDH(CURVE);
    pair.setPrivateKey(bytesOf(scalar));
    return pair;
  }
}

function signDigest(key: KeyObject, digest: Buffer, random: RandomBytes): Buffer {
  for (;;) {
    const nonce = randomPair(random);
    const r = abscissa(nonce.getPublicKey());
    const s = modulo(inverse(integer(nonce.getPrivateKey())) * (integer(digest) + r * secretScalar(key)));
    if (r > 0n && s > 0n) return der({ r, s });
  }
}

/**
 * With the secret, both point multiplications are multiplications of the generator, which Node has.
 */
function verifyDigest(key: KeyObject, digest: Buffer, signature: Buffer): boolean {
  const pair = parseDer(signature);
  if (pair === undefined) return false;
  const scalar = modulo(inverse(pair.s) * (integer(digest) + pair.r * secretScalar(key)));
  if (scalar === 0n) return false;
  const point = createECDH(CURVE);
  point.setPrivateKey(bytesOf(scalar));
  return abscissa(point.getPublicKey()) === pair.r;
}

/** The signed input: a message, or its SHA-256 digest. */
export interface Signed {
  readonly message: Buffer;
  readonly isDigest: boolean;
}

/** Signs with a private key of P-256, and returns the signature in DER. */
export function signatureOf(key: KeyObject, { message, isDigest }: Signed, random: RandomBytes): Buffer {
  return signDigest(key, isDigest ? message : createHash('sha256').update(message).digest(), random);
}

/** Whether a signature in DER is one by the private key. */
export function isSignatureOf(key: KeyObject, { message, isDigest }: Signed, signature: Buffer): boolean {
  return isDigest ? verifyDigest(key, message, signature) : verify('sha256', message, key, signature);
}
