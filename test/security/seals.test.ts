import { createVault } from '../../src/core/crypto/vault.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { sealContext, type SealedPlace } from '../../src/core/tokens/seal-context.ts';
import { TOKEN_TYPE_NAMES } from '../../src/core/tokens/token-type.ts';
import { cases, fc } from '../../packages/local-aws/test/properties.ts';
import { someTenantKeys } from '../support/tenant-keys.ts';
import { CONTAINERS } from './a-wall-world.ts';

const names = fc.constantFrom('one', 'two', 'three');
const place: fc.Arbitrary<SealedPlace> = fc.record({
  tenantId: fc.constantFrom('tenant-1', 'tenant-2'),
  id: names,
  type: fc.constantFrom(...TOKEN_TYPE_NAMES),
  containers: fc.subarray([...CONTAINERS], { minLength: 1 }),
  createdBy: names,
  isSolelyOwn: fc.boolean(),
  isShared: fc.boolean(),
});
const field = fc.constantFrom('data' as const, 'details' as const, 'cvc' as const);

/**
 * The members that decide who sees a field. An update does not write the cvc, so the cvc is bound
 * to members that no update changes.
 */
const boundBy = (of: SealedPlace, name: 'data' | 'details' | 'cvc') =>
  JSON.stringify(
    name === 'cvc'
      ? [of.tenantId, of.id, name, of.type]
      : [of.tenantId, of.id, name, of.type, of.createdBy, of.isSolelyOwn, of.isShared, of.containers],
  );

describe('a sealed field of a token', () => {
  it('opens only in the place that it was sealed for', async () => {
    const vault = createVault(someTenantKeys());
    await fc.assert(
      fc.asyncProperty(place, fc.option(place), field, field, async (from, other, name, otherName) => {
        const to = other ?? from;
        const sealed = await vault.seal(sealContext(from, name), new Secret('sealed'));
        const opened = vault.open(sealContext(to, otherName), sealed).then((value) => value.reveal());
        if (boundBy(from, name) === boundBy(to, otherName)) expect(await opened).toBe('sealed');
        else await expect(opened).rejects.toThrow('sealed record');
      }),
      { numRuns: cases(300) },
    );
  });

  it.each(['tenantId', 'id', 'type', 'containers', 'createdBy', 'isSolelyOwn', 'isShared'] as const)(
    'does not open when the %s of its item is changed',
    async (member) => {
      const vault = createVault(someTenantKeys());
      const from: SealedPlace = {
        tenantId: 'tenant-1',
        id: 'one',
        type: 'card',
        containers: ['/pci/high/'],
        createdBy: 'app',
        isSolelyOwn: false,
        isShared: false,
      };
      const changes: Partial<Record<keyof SealedPlace, unknown>> = {
        containers: ['/low/'],
        isSolelyOwn: true,
        isShared: true,
      };
      const to = { ...from, [member]: changes[member] ?? 'other' };
      for (const name of ['data', 'details'] as const) {
        const sealed = await vault.seal(sealContext(from, name), new Secret('sealed'));
        await expect(vault.open(sealContext(to, name), sealed)).rejects.toThrow('sealed record');
      }
    },
  );
});
