import { createPublicKey, type KeyObject } from 'node:crypto';
import { GetPublicKeyCommand, SignCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { SealSigner } from '../../core/trail/trail-store.ts';
import { callDependency } from '../aws/dependency-error.ts';

/** Signs with a key whose private half never leaves KMS. */
export function createSealSigner(client: KMSClient, keyId: string): SealSigner {
  return {
    async sign(digest) {
      const command = new SignCommand({
        KeyId: keyId,
        Message: digest,
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      const { Signature } = await callDependency(() => client.send(command));
      if (Signature === undefined) throw new Error('KMS: a response without its signature');
      return Buffer.from(Signature);
    },
  };
}

/** Reads the public half of the key that signs seals. */
export async function sealPublicKey(client: KMSClient, keyId: string): Promise<KeyObject> {
  const { PublicKey } = await callDependency(() => client.send(new GetPublicKeyCommand({ KeyId: keyId })));
  if (PublicKey === undefined) throw new Error('KMS: a response without its key');
  return createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
}
