import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { canonical, type Json } from '../../../src/core/shared/json.ts';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../../command-line/failures.ts';

const KEY_BYTES = 32;
const DIGEST_BYTES = 16;

/** It is apart from every journal: who has both can guess the card number of a digest. */
function defaultFile(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME: configured = '' } = environment;
  return join(configured === '' ? join(homedir(), '.config') : configured, 'cloakroom', 'import.key');
}

function read(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new UsageError(`${file} cannot be read (${String(errorCode(error))})`);
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES) throw new UsageError(`${file} is no key of a journal`);
  return key;
}

function create(file: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${key.toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const present = errorCode(error) === 'EEXIST' ? read(file) : undefined;
    if (present !== undefined) return present;
    throw new UsageError(`${file} cannot be written (${String(errorCode(error))})`);
  }
  return key;
}

/** A digest of what a row has. */
export type Digest = (value: Json) => string;

const digestUnder =
  (key: Buffer): Digest =>
  (value) =>
    createHmac('sha256', key)
      .update(JSON.stringify(canonical(value)))
      .digest()
      .subarray(0, DIGEST_BYTES)
      .toString('base64url');

/** Digests under the key of a file, which is made at its first use. Throws {@link UsageError}. */
export function digestWith(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Digest {
  const path = file ?? defaultFile(environment);
  return digestUnder(read(path) ?? create(path));
}

/** Digests for one run alone. */
export const digestOnce = (): Digest => digestUnder(randomBytes(KEY_BYTES));
