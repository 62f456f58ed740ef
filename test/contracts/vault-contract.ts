import { RecordCorruptedError } from '../../src/core/crypto/record-encryption.ts';
import type { Vault } from '../../src/core/crypto/vault.ts';
import { JsonExtentError, MembersAllowance } from '../../src/core/shared/json-extent.ts';
import { Secret } from '../../src/core/shared/secret.ts';

const CONTEXT = { tenantId: 'tenant', recordId: 'record', field: 'data' };

/** Tests what every {@link Vault} must do. */
export function vaultContract(name: string, make: () => Vault): void {
  describe(`the contract of a vault, ${name}`, () => {
    it('opens a value that it encrypted', async () => {
      for (const value of [null, 'text', 1.5, { a: [1, { b: 'two\nlines' }] }]) {
        const encrypted = await make().encrypt(CONTEXT, new Secret(value));
        expect((await make().decrypt(CONTEXT, encrypted)).reveal()).toEqual(value);
      }
    });

    it.each(['tenantId', 'recordId', 'field'])('opens nothing under another %s', async (member) => {
      const encrypted = await make().encrypt(CONTEXT, new Secret('x'));
      await expect(make().decrypt({ ...CONTEXT, [member]: 'other' }, encrypted)).rejects.toBeInstanceOf(
        RecordCorruptedError,
      );
    });

    it('verifies the MAC of a context under that one alone', async () => {
      const context = { ...CONTEXT, bound: ['a', 'b'] };
      const mac = await make().mac(context);
      await make().verify(context, mac);
      for (const other of [{ tenantId: 'x' }, { recordId: 'x' }, { field: 'x' }, { bound: ['ab', ''] }])
        await expect(make().verify({ ...context, ...other }, mac)).rejects.toBeInstanceOf(
          RecordCorruptedError,
        );
    });

    it('opens nothing with more members than an allowance has left', async () => {
      const encrypted = await make().encrypt(CONTEXT, new Secret([1, 2, 3]));
      const open = make().decrypt(CONTEXT, encrypted, new MembersAllowance(2));
      await expect(open).rejects.toBeInstanceOf(JsonExtentError);
      await make().decrypt(CONTEXT, encrypted, new MembersAllowance(10));
    });
  });
}
