import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../../command-line/failures.ts';

/** Signs a text. The signature is in base64. */
export type Sign = (text: string) => string;

/** Kinds of keys, with the hash that `openssl` verifies their signatures by. */
const HASHES: Readonly<Record<string, string | null>> = { ed25519: null, rsa: 'sha256', ec: 'sha256' };

function keyIn(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The message of the parser could have a part of the key.
    const isEncrypted = pem.includes('ENCRYPTED');
    throw new UsageError(
      isEncrypted
        ? `--sign-with ${file}: the key has a passphrase: give it as --sign-with <(openssl pkey -in ${file})`
        : `--sign-with ${file}: is no private key in PEM`,
    );
  }
}

/** Reads the private key of a person. Throws {@link UsageError}, which has nothing of the key. */
export function signerOf(file: string): Sign {
  let pem: Buffer;
  try {
    pem = readFileSync(file);
  } catch (error) {
    throw new UsageError(`--sign-with ${file}: cannot be read (${String(errorCode(error))})`);
  }
  const key = keyIn(pem, file);
  const { asymmetricKeyType: kind = '' } = key;
  if (!Object.hasOwn(HASHES, kind))
    throw new UsageError(`--sign-with ${file}: must be a key of Ed25519, RSA or EC`);
  return (text) => sign(HASHES[kind] ?? null, Buffer.from(text), key).toString('base64');
}
