import { randomBytes, type KeyObject } from 'node:crypto';
import { digestOf, hasValidSignature } from '../../src/core/trail/seal.ts';
import type { SealSigner } from '../../src/core/trail/trail-store.ts';

/** The contract of every {@link SealSigner}; `make` returns one with its public key. */
export function sealSignerContract(
  name: string,
  make: () => Promise<{ readonly signer: SealSigner; readonly publicKey: KeyObject }>,
): void {
  it(`a signer of seals, ${name}, makes signatures of a digest that its public key verifies`, async () => {
    const { signer, publicKey } = await make();
    const body = randomBytes(20).toString('hex');
    const signature = await signer.sign(digestOf(body));
    const seal = { from: 0, part: 1, body, signature };
    expect(hasValidSignature(publicKey, seal)).toBe(true);
    expect(hasValidSignature(publicKey, { ...seal, body: `${body}0` })).toBe(false);
  });
}
