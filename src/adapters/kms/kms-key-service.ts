import { createSecretKey, type KeyObject } from 'node:crypto';
import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { KeyContext, KeyService } from '../../core/crypto/key-service.ts';
import { callDependency } from '../aws/dependency-error.ts';

function bytes(value: Uint8Array | undefined): Buffer {
  if (value === undefined) throw new Error('KMS: a response without its bytes');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** A key object from the bytes of KMS, which are wiped: nothing can print it from then on. */
function secretKey(plaintext: Uint8Array | undefined): KeyObject {
  const key = createSecretKey(bytes(plaintext));
  plaintext?.fill(0);
  return key;
}

const encryptionContext = ({ tenant }: KeyContext) => ({ tenant });

/**
 * The key service with one KMS key. CloudTrail logs the encryption context, and KMS checks it on
 * every unwrap.
 */
export function createKmsKeyService(client: KMSClient, keyId: string): KeyService {
  return {
    async generateKey(context) {
      const command = new GenerateDataKeyCommand({
        KeyId: keyId,
        KeySpec: 'AES_256',
        EncryptionContext: encryptionContext(context),
      });
      const response = await callDependency(() => client.send(command));
      return { key: secretKey(response.Plaintext), wrapped: bytes(response.CiphertextBlob) };
    },
    async unwrapKey(wrapped, context) {
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: wrapped,
        EncryptionContext: encryptionContext(context),
      });
      return secretKey((await callDependency(() => client.send(command))).Plaintext);
    },
  };
}
