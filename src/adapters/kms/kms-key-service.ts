import { createSecretKey, type KeyObject } from 'node:crypto';
import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { KeyContext, KeyService } from '../../core/crypto/key-service.ts';
import { callDependency } from '../aws/dependency-error.ts';

function bytes(value: Uint8Array | undefined): Buffer {
  if (value === undefined) throw new Error('KMS: a response without its bytes');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/**
 * A key object from the bytes of KMS. The bytes are wiped, so nothing can print the key from then
 * on.
 */
function secretKey(plaintext: Uint8Array | undefined): KeyObject {
  const key = createSecretKey(bytes(plaintext));
  plaintext?.fill(0);
  return key;
}

/**
 * Has exactly one member, because the permissions of the functions allow no other (lib/grants.ts).
 */
const encryptionContext = (context: KeyContext): Record<string, string> =>
  'tenant' in context ? { tenant: context.tenant } : { deployment: context.deployment };

/**
 * Opens keys with one KMS key. The functions that serve requests have no more of the key service,
 * so nothing in them makes or wraps a key. CloudTrail logs the encryption context, and KMS checks
 * it on every unwrap.
 */
export function createKmsUnwrapper(client: KMSClient, keyId: string): Pick<KeyService, 'unwrapKey'> {
  return {
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

export function createKmsKeyService(client: KMSClient, keyId: string): KeyService {
  return {
    ...createKmsUnwrapper(client, keyId),
    async generateKey(context) {
      const command = new GenerateDataKeyCommand({
        KeyId: keyId,
        KeySpec: 'AES_256',
        EncryptionContext: encryptionContext(context),
      });
      const response = await callDependency(() => client.send(command));
      return { key: secretKey(response.Plaintext), wrapped: bytes(response.CiphertextBlob) };
    },
    async wrapKey(key, context) {
      const plaintext = key.export();
      const command = new EncryptCommand({
        KeyId: keyId,
        Plaintext: plaintext,
        EncryptionContext: encryptionContext(context),
      });
      try {
        return bytes((await callDependency(() => client.send(command))).CiphertextBlob);
      } finally {
        plaintext.fill(0);
      }
    },
  };
}
