import { randomUUID } from 'node:crypto';
import type { KeyService } from '../../src/core/crypto/key-service.ts';

/** Tests what every {@link KeyService} must do. */
export function keyServiceContract(name: string, make: () => KeyService): void {
  describe(`the contract of a key service, ${name}`, () => {
    it('unwraps exactly the key that it generated; each is different and has 32 bytes', async () => {
      const service = make();
      const context = { tenant: randomUUID() };
      const one = await service.generateKey(context);
      const other = await service.generateKey(context);
      expect((await service.unwrapKey(one.wrapped, context)).equals(one.key)).toBe(true);
      expect([one.key.symmetricKeySize, one.key.equals(other.key)]).toEqual([32, false]);
    });

    it('wraps a key that another context wrapped, and then unwraps it in both', async () => {
      const service = make();
      const from = { deployment: randomUUID() };
      const to = { tenant: randomUUID() };
      const { key, wrapped } = await service.generateKey(from);
      const again = await service.wrapKey(key, to);
      expect((await service.unwrapKey(again, to)).equals(key)).toBe(true);
      expect((await service.unwrapKey(wrapped, from)).equals(key)).toBe(true);
      await expect(service.unwrapKey(again, from)).rejects.toThrow();
    });

    it.each(['tenant', 'deployment'] as const)(
      'unwraps no key of a %s in another context, and no other bytes',
      async (member) => {
        const service = make();
        const id = randomUUID();
        const contexts = { tenant: { tenant: id }, deployment: { deployment: id } };
        const { wrapped } = await service.generateKey(contexts[member]);
        const others = [
          contexts[member === 'tenant' ? 'deployment' : 'tenant'],
          { tenant: randomUUID() },
          { deployment: randomUUID() },
        ];
        for (const other of others) await expect(service.unwrapKey(wrapped, other)).rejects.toThrow();
        await expect(service.unwrapKey(Buffer.alloc(wrapped.length), contexts[member])).rejects.toThrow();
      },
    );
  });
}
