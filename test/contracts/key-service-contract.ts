import { randomUUID } from 'node:crypto';
import type { KeyService } from '../../src/core/crypto/key-service.ts';

/** What every {@link KeyService} does. */
export function keyServiceContract(name: string, make: () => KeyService): void {
  describe(`the contract of a key service, ${name}`, () => {
    it('unwraps the very key that it generated, each another one of 32 bytes', async () => {
      const [service, context] = [make(), { tenant: randomUUID() }];
      const [one, other] = [await service.generateKey(context), await service.generateKey(context)];
      expect((await service.unwrapKey(one.wrapped, context)).equals(one.key)).toBe(true);
      expect([one.key.symmetricKeySize, one.key.equals(other.key)]).toEqual([32, false]);
    });

    it('unwraps no key for another tenant, and nothing that it did not wrap', async () => {
      const [service, context] = [make(), { tenant: randomUUID() }];
      const { wrapped } = await service.generateKey(context);
      await expect(service.unwrapKey(wrapped, { tenant: randomUUID() })).rejects.toThrow();
      await expect(service.unwrapKey(Buffer.alloc(wrapped.length), context)).rejects.toThrow();
    });
  });
}
