import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { decryptRecord, encryptRecord } from '../../../src/core/crypto/record-encryption.ts';
import { effort } from '../effort.ts';
import { median } from '../median.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ROUNDS = effort(41, 1);
const WARM_UP_ROUNDS = effort(5, 0);
/**
 * The warm-up makes the size of a batch correct, because a cold operation takes ten times as long.
 */
const WARM_UP_TIMES = effort(1_000, 1);
/** One batch takes about this long. */
const BATCH_MS = effort(8, 0);

const CARD = Buffer.from(
  JSON.stringify({ number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }),
);
const CONTEXT = {
  tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
  recordId: 'c1d7d1f0-4a0a-4b1c-8a55-1f8c8f1f6f77',
  field: 'data',
};

const ENCRYPTED = {
  'a card': CARD,
  '1 KB': randomBytes(1_000),
  '64 KB': randomBytes(64_000),
  '1 MB': randomBytes(1_000_000),
} as const;

export type EncryptedName = keyof typeof ENCRYPTED;
export const ENCRYPTED_NAMES = Object.keys(ENCRYPTED) as readonly EncryptedName[];

/**
 * Serves as the reference: AES-256-GCM with a ready key, without additional data. Its nonce comes
 * from the pool that the service has: the time of a call of `randomBytes` differs from run to run
 * by as much as that of the cipher.
 */
function rawEncrypt(key: KeyObject, plaintext: Buffer): Buffer {
  const nonce = machinePlatform.random.bytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function rawOpen(key: KeyObject, record: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, record.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(record.subarray(record.length - TAG_BYTES));
  return Buffer.concat([
    decipher.update(record.subarray(NONCE_BYTES, record.length - TAG_BYTES)),
    decipher.final(),
  ]);
}

/** Processor time, garbage collection included. */
export interface EncryptionResult {
  readonly microseconds: number;
  readonly referenceMicroseconds: number;
  /** The median of the ratios that the rounds have. */
  readonly ratio: number;
}

function microsecondsOf(operation: () => unknown, times: number): number {
  const before = process.cpuUsage();
  for (let index = 0; index < times; index += 1) operation();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/**
 * Both sides alternate, and so does the first one, so that other load on the machine affects both.
 */
function compare(own: () => unknown, reference: () => unknown): EncryptionResult {
  const times = Math.max(4, Math.round((BATCH_MS * 1_000) / microsecondsOf(own, WARM_UP_TIMES)));
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    microsecondsOf(own, times);
    microsecondsOf(reference, times);
  }
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    if (round % 2 === 0) return [microsecondsOf(own, times), microsecondsOf(reference, times)] as const;
    const after = microsecondsOf(reference, times);
    return [microsecondsOf(own, times), after] as const;
  });
  return {
    microseconds: median(rounds.map(([ours]) => ours)),
    referenceMicroseconds: median(rounds.map(([, other]) => other)),
    ratio: median(rounds.map(([ours, other]) => ours / other)),
  };
}

export function measureEncryption(step: 'encrypt' | 'decrypt', name: EncryptedName): EncryptionResult {
  const plaintext = ENCRYPTED[name];
  const dataKey = { version: 1, key: createSecretKey(randomBytes(32)) };
  const key = createSecretKey(randomBytes(32));
  if (step === 'encrypt')
    return compare(
      () => encryptRecord(machinePlatform.random, dataKey, CONTEXT, plaintext),
      () => rawEncrypt(key, plaintext),
    );
  const encrypted = encryptRecord(machinePlatform.random, dataKey, CONTEXT, plaintext);
  const raw = rawEncrypt(key, plaintext);
  return compare(
    () => decryptRecord(dataKey, CONTEXT, encrypted),
    () => rawOpen(key, raw),
  );
}

/** Compares a key as bytes with the same key as a `KeyObject` (docs/decisions/0022). */
export function measureKeys(): Readonly<Record<string, EncryptionResult>> {
  const bytes = randomBytes(32);
  const nonce = randomBytes(NONCE_BYTES);
  const key = createSecretKey(bytes);
  const hmac = (input: Buffer | KeyObject) => () => createHmac('sha256', input).update(CARD).digest();
  const cipher = (input: Buffer | KeyObject) => () =>
    createCipheriv('aes-256-gcm', input, nonce).update(CARD);
  const made = () => createHmac('sha256', createSecretKey(bytes)).update(CARD).digest();
  return {
    'HMAC-SHA-256': compare(hmac(bytes), hmac(key)),
    'HMAC-SHA-256, the KeyObject made for it': compare(hmac(bytes), made),
    'a cipher of AES-256-GCM': compare(cipher(bytes), cipher(key)),
  };
}
