import { createPrivateKey } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { errorCode, errorMessage } from '../error-code.ts';
import { damaged, type StorageFailure } from '../storage-failure.ts';
import { writeFileWhole } from '../write-file-whole.ts';
import type { RandomBytes } from './ciphertext.ts';
import { randomPair } from './signature.ts';

/** A key that encrypts data keys, or one that signs. */
export const KEY_SPECS = ['SYMMETRIC_DEFAULT', 'ECC_NIST_P256'] as const;
export type KeySpec = (typeof KEY_SPECS)[number];

const storedKeys = z.record(
  z.string(),
  z.object({
    createdAt: z.string(),
    spec: z.enum(KEY_SPECS).default('SYMMETRIC_DEFAULT'),
    material: z.array(z.base64()).min(1),
  }),
);

/**
 * The secret of one KMS key: `material[n]` is version `n + 1`. Symmetric: 32 bytes each, the last
 * encrypts, all decrypt. Asymmetric: one version, the private key (PKCS #8, DER).
 */
export interface StoredKey {
  readonly spec: KeySpec;
  readonly createdAt: Date;
  readonly material: readonly Buffer[];
}

/** Key material by key id. */
export interface KeyStore {
  get(keyId: string): StoredKey | undefined;
  /**
   * Creates a key with new random material. When it resolves, the key survives the end of the
   * process. Rejects with AwsError if the disk refuses it; there is no such key then.
   */
  create(keyId: string, spec: KeySpec): Promise<StoredKey>;
}

function parseKeys(file: string, text: string): z.infer<typeof storedKeys> {
  try {
    return storedKeys.parse(JSON.parse(text));
  } catch {
    // The error has no cause, because the parser's message may quote a part of a key.
    throw damaged(file, 'it does not hold the JSON of keys');
  }
}

async function readKeys(file: string): Promise<Map<string, StoredKey>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '{}';
    throw damaged(file, errorMessage(error), error);
  });
  return new Map(
    Object.entries(parseKeys(file, text)).map(([keyId, { createdAt, spec, material }]) => [
      keyId,
      {
        createdAt: new Date(createdAt),
        spec,
        material: material.map((value) => Buffer.from(value, 'base64')),
      },
    ]),
  );
}

async function writeKeys(file: string, keys: ReadonlyMap<string, StoredKey>): Promise<void> {
  const content = Object.fromEntries(
    [...keys].map(([keyId, { createdAt, spec, material }]) => [
      keyId,
      {
        createdAt: createdAt.toISOString(),
        spec,
        material: material.map((value) => value.toString('base64')),
      },
    ]),
  );
  await writeFileWhole(file, JSON.stringify(content, undefined, 2));
}

function newMaterial(spec: KeySpec, random: RandomBytes): Buffer {
  if (spec === 'SYMMETRIC_DEFAULT') return random(32);
  const pair = randomPair(random);
  const point = pair.getPublicKey();
  const half = (from: number) => point.toString('base64url', from, from + 32);
  // It lacks its leading zeros.
  const scalar = pair.getPrivateKey();
  const d = Buffer.concat([Buffer.alloc(32), scalar]).toString('base64url', scalar.length);
  const key = createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', d, x: half(1), y: half(33) },
    format: 'jwk',
  });
  return key.export({ format: 'der', type: 'pkcs8' });
}

/**
 * Keys in `<dataDir>/kms-keys.json` (readable by its owner only); without a directory, in memory.
 */
export async function openKeyStore(
  dataDir: string | undefined,
  failure: StorageFailure,
  random: RandomBytes,
): Promise<KeyStore> {
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true });
  const file = dataDir === undefined ? undefined : path.join(dataDir, 'kms-keys.json');
  const keys = file === undefined ? new Map<string, StoredKey>() : await readKeys(file);
  let last: Promise<unknown> = Promise.resolve();

  /** The key exists once the disk has it. */
  async function add(keyId: string, spec: KeySpec): Promise<StoredKey> {
    const key = { createdAt: new Date(), spec, material: [newMaterial(spec, random)] };
    const changed = new Map(keys).set(keyId, key);
    if (file !== undefined)
      await writeKeys(file, changed).catch((error: unknown) => {
        throw failure(error);
      });
    keys.set(keyId, key);
    return key;
  }

  return {
    get: (keyId) => keys.get(keyId),
    create: async (keyId, spec) => {
      const mine = last.then(() => add(keyId, spec));
      last = mine.catch(() => undefined);
      return await mine;
    },
  };
}
