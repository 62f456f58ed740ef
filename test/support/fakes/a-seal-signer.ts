import { randomBytes, type KeyObject } from 'node:crypto';
import { signatureOf } from '../../../packages/local-aws/src/kms/signature.ts';
import type { SealSigner } from '../../../src/core/trail/trail-store.ts';

/** Implements {@link SealSigner} with a private key in memory. */
export const aSealSigner = (privateKey: KeyObject): SealSigner => ({
  sign: (message) => Promise.resolve(signatureOf(privateKey, { message, isDigest: true }, randomBytes)),
});
