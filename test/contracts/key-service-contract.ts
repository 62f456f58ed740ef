import { randomUUID } from 'node:crypto';
import type { KeyService } from '../../src/core/crypto/key-service.ts';

/** The contract of every {@link KeyService}. */
export function keyServiceContract(name: string, make: () => KeyService): void {
  describe(`the contract of a key service, ${name}`, () => {
    it('unwraps exactly the key that it generated; each is different and has 32 bytes', async () => {
      const [service, context] = [make(), { tenant: randomUUID() }];
      const [one, other] = [await service.generateKey(context), await service.generateKey(context)];
      expect((await service.unwrapKey(one.wrapped, context)).equals(one.key)).toBe(true);
      expect([one.key.symmetricKeySize, one.key.equals(other.key)]).toEqual([32, false]);
    });

    it('unwraps no key for another tenant, and no other bytes', async () => {
      const [service, context] = [make(), { tenant: randomUUID() }];
      const { wrapped } = await service.generateKey(context);
      await expect(service.unwrapKey(wrapped, { tenant: randomUUID() })).rejects.toThrow();
      await expect(service.unwrapKey(Buffer.alloc(wrapped.length), context)).rejects.toThrow();
    });
  });
}
