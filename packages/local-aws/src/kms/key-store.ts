import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const storedKeys = z.record(
  z.string(),
  z.object({ createdAt: z.string(), material: z.array(z.base64()).min(1) }),
);

/**
 * One KMS key's secret: `material[n]` is version `n + 1`, 32 bytes each; the last one encrypts,
 * every one decrypts.
 */
export interface StoredKey {
  readonly createdAt: Date;
  readonly material: readonly Buffer[];
}

/** Key material by key id. */
export interface KeyStore {
  get(keyId: string): StoredKey | undefined;
  /**
   * Makes a key of fresh random material. When it resolves, the key survives the end of the
   * process.
   */
  create(keyId: string): Promise<StoredKey>;
}

async function readKeys(file: string): Promise<Map<string, StoredKey>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
    throw error;
  });
  return new Map(
    Object.entries(storedKeys.parse(JSON.parse(text))).map(([keyId, { createdAt, material }]) => [
      keyId,
      { createdAt: new Date(createdAt), material: material.map((value) => Buffer.from(value, 'base64')) },
    ]),
  );
}

/** Written beside and renamed, so that a crash leaves either the old file or the new one. */
async function writeKeys(file: string, keys: ReadonlyMap<string, StoredKey>): Promise<void> {
  const content = Object.fromEntries(
    [...keys].map(([keyId, { createdAt, material }]) => [
      keyId,
      { createdAt: createdAt.toISOString(), material: material.map((value) => value.toString('base64')) },
    ]),
  );
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(content, undefined, 2));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

function newKey(): StoredKey {
  return { createdAt: new Date(), material: [randomBytes(32)] };
}

/**
 * Keys in `<dataDir>/kms-keys.json` (readable by its owner only); without a directory, in memory.
 */
export async function openKeyStore(dataDir: string | undefined): Promise<KeyStore> {
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true });
  const file = dataDir === undefined ? undefined : path.join(dataDir, 'kms-keys.json');
  const keys = file === undefined ? new Map<string, StoredKey>() : await readKeys(file);
  let written = Promise.resolve();

  return {
    get: (keyId) => keys.get(keyId),
    create: async (keyId) => {
      const key = newKey();
      keys.set(keyId, key);
      if (file !== undefined) await (written = written.then(() => writeKeys(file, keys)));
      return key;
    },
  };
}
