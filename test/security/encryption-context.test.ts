import { createVault, type Vault } from '../../src/core/crypto/vault.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import {
  cvcContext,
  clearContext,
  encryptionContext,
  type EncryptedToken,
} from '../../src/core/tokens/encryption-context.ts';
import { TOKEN_TYPE_NAMES } from '../../src/core/tokens/token-type.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { someTenantKeys } from '../support/tenant-keys.ts';
import { CONTAINERS } from './a-wall-world.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const names = fc.constantFrom('one', 'two', 'three');
const numbers = fc.integer({ min: 1, max: 3 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Every clear field of a token but `holdsLock`, with few values, so that some draws are equal. */
const members: { readonly [Name in keyof Required<EncryptedToken>]: fc.Arbitrary<unknown> } = {
  tenantId: fc.constantFrom('tenant-1', 'tenant-2'),
  id: names,
  type: fc.constantFrom(...TOKEN_TYPE_NAMES),
  containers: fc.subarray([...CONTAINERS], { minLength: 1 }),
  fingerprint: names,
  matchHash: names,
  isSolelyOwn: fc.boolean(),
  isShared: fc.boolean(),
  isUnmatched: fc.constantFrom(undefined, true),
  cvcUntil: maybe(numbers),
  expiration: maybe(fc.record({ at: numbers, offsetMinutes: numbers })),
  createdBy: names,
  createdAt: numbers,
  position: names,
  modifiedBy: maybe(names),
  modifiedAt: maybe(numbers),
  terms: fc.array(names, { maxLength: 2 }),
  derivedSince: numbers,
  termsSince: numbers,
  hasMask: fc.boolean(),
  version: numbers,
  writeId: fc.constantFrom(Buffer.alloc(12, 1), Buffer.alloc(12, 2)),
  createWriteId: maybe(fc.constantFrom(Buffer.alloc(12, 1), Buffer.alloc(12, 2))),
};
const NAMES = Object.keys(members) as (keyof EncryptedToken)[];
const token = fc.record(members) as unknown as fc.Arbitrary<EncryptedToken>;
const FIELDS = ['data', 'details', 'clear'] as const;
const field = fc.constantFrom(...FIELDS);
type Field = (typeof FIELDS)[number];
const SIZES = { dataBytes: 1, detailsBytes: 2 };
/** The bytes of a field as they are stored, and whether they are those of a field of a token. */
const store = (vault: Vault, of: EncryptedToken, name: Field) =>
  name === 'clear'
    ? vault.mac(clearContext(of, SIZES))
    : vault.encrypt(encryptionContext(of, name), new Secret('encrypted'));
const check = async (vault: Vault, of: EncryptedToken, name: Field, stored: Buffer) => {
  if (name === 'clear') await vault.verify(clearContext(of, SIZES), stored);
  else await vault.decrypt(encryptionContext(of, name), stored);
  return 'opened';
};

describe('an encrypted field of a token', () => {
  it('opens only for the clear fields that it was encrypted for', async () => {
    const vault = createVault(someTenantKeys(), machinePlatform.random);
    await fc.assert(
      fc.asyncProperty(token, token, fc.subarray(NAMES), field, field, async (from, other, swapped, a, b) => {
        // An administrator of the tables takes some attributes of another item.
        const to = { ...from, ...Object.fromEntries(swapped.map((name) => [name, other[name]])) };
        const opened = check(vault, to, b, await store(vault, from, a));
        if (a === b && JSON.stringify(to) === JSON.stringify(from)) expect(await opened).toBe('opened');
        else await expect(opened).rejects.toThrow('encrypted record');
      }),
      { numRuns: cases(500) },
    );
  });

  it.each(NAMES)('does not open when the %s of its item is that of another item', async (name) => {
    const vault = createVault(someTenantKeys(), machinePlatform.random);
    const [from] = fc.sample(token, 1);
    const value = members[name].filter((each) => JSON.stringify(each) !== JSON.stringify(from?.[name]));
    const to = { ...from, [name]: fc.sample(value, 1)[0] } as EncryptedToken;
    for (const each of FIELDS) {
      const stored = await store(vault, from as EncryptedToken, each);
      await expect(check(vault, to, each, stored)).rejects.toThrow('encrypted record');
    }
  });
});

describe('an encrypted cvc', () => {
  it('opens only for its token, its type and its end', async () => {
    const vault = createVault(someTenantKeys(), machinePlatform.random);
    await fc.assert(
      fc.asyncProperty(token, token, numbers, numbers, async (from, to, until, otherUntil) => {
        const encrypted = await vault.encrypt(cvcContext(from, until), new Secret('123'));
        const opened = vault.decrypt(cvcContext(to, otherUntil), encrypted).then((value) => value.reveal());
        const isSame = (['tenantId', 'id', 'type'] as const).every((name) => from[name] === to[name]);
        if (isSame && until === otherUntil) expect(await opened).toBe('123');
        else await expect(opened).rejects.toThrow('encrypted record');
      }),
      { numRuns: cases(300) },
    );
  });
});
