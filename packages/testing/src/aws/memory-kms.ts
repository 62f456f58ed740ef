import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand } from '@aws-sdk/client-kms';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Context = Readonly<Record<string, string>>;

const bound = (context: Context = {}): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).toSorted()));

function invalid(): Error {
  const error = new Error('the ciphertext is invalid');
  error.name = 'InvalidCiphertextException';
  return error;
}

/** KMS in memory has one key, which never leaves it. It encrypts under a context, as KMS does. */
export class MemoryKms {
  readonly #key = randomBytes(KEY_BYTES);

  // oxlint-disable-next-line require-await -- a failure is a rejection, as that of the client
  async send(command: { readonly input: unknown }): Promise<unknown> {
    if (command instanceof GenerateDataKeyCommand) {
      const key = randomBytes(KEY_BYTES);
      return { Plaintext: key, CiphertextBlob: this.#encrypt(key, command.input.EncryptionContext) };
    }
    if (command instanceof EncryptCommand)
      return { CiphertextBlob: this.#encrypt(command.input.Plaintext, command.input.EncryptionContext) };
    if (command instanceof DecryptCommand)
      return { Plaintext: this.#decrypt(command.input.CiphertextBlob, command.input.EncryptionContext) };
    throw new Error(`the KMS in memory does not know ${command.constructor.name}`);
  }

  #encrypt(plaintext: Uint8Array = new Uint8Array(), context?: Context): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(bound(context));
    return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  }

  #decrypt(ciphertext: Uint8Array = new Uint8Array(), context?: Context): Buffer {
    const content = ciphertext.subarray(NONCE_BYTES, -TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, ciphertext.subarray(0, NONCE_BYTES));
    try {
      decipher.setAAD(bound(context)).setAuthTag(ciphertext.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(content), decipher.final()]);
    } catch {
      throw invalid();
    }
  }
}
