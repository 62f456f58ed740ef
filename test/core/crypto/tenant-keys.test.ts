import { createSecretKey, randomBytes } from 'node:crypto';
import type { KeyContext } from '../../../core/crypto/key-service.ts';
import type { DataKey } from '../../../core/crypto/record-seal.ts';
import { createTenantKeys, KEY_LIFETIME_MS, type WrappedKey } from '../../../core/crypto/tenant-keys.ts';

function setUp() {
  let now = 1_000_000;
  const unwraps: KeyContext[] = [];
  const keys: WrappedKey[] = [
    { purpose: 'data', version: 1, wrapped: Buffer.from('one') },
    { purpose: 'data', version: 2, wrapped: Buffer.from('two') },
    { purpose: 'fingerprint', version: 1, wrapped: Buffer.from('three') },
  ];
  let failures = 0;
  const tenantKeys = createTenantKeys({
    clock: () => now,
    wrappedKeyStore: { wrappedKeys: (tenantId) => Promise.resolve(tenantId === 'known' ? keys : undefined) },
    keyService: {
      generateKey: () => Promise.resolve({ key: createSecretKey(randomBytes(32)), wrapped: randomBytes(32) }),
      unwrapKey: (wrapped, context) => {
        if (failures > 0) {
          failures -= 1;
          return Promise.reject(new Error('down'));
        }
        unwraps.push(context);
        return Promise.resolve(createSecretKey(Buffer.from(`plain ${wrapped.toString()}`)));
      },
    },
  });
  return {
    tenantKeys,
    unwraps,
    pass: (ms: number) => (now += ms),
    failNext: (count: number) => (failures = count),
  };
}

const plain = ({ version, key }: DataKey) => [version, key.export().toString()];

describe('tenant keys', () => {
  it('uses the newest version of a purpose and still opens with the old ones', async () => {
    const { tenantKeys } = setUp();
    expect(plain(await tenantKeys.current('known', 'data'))).toEqual([2, 'plain two']);
    expect(plain(await tenantKeys.version('known', 'data', 1))).toEqual([1, 'plain one']);
  });

  it('unwraps under the context tenant, purpose and version', async () => {
    const { tenantKeys, unwraps } = setUp();
    await tenantKeys.current('known', 'fingerprint');
    expect(unwraps).toEqual([{ tenant: 'known', purpose: 'fingerprint', version: '1' }]);
  });

  it('calls the key service once for any number of callers within the lifetime, and again after it', async () => {
    const { tenantKeys, unwraps, pass } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => tenantKeys.current('known', 'data')));
    pass(KEY_LIFETIME_MS - 1);
    await tenantKeys.current('known', 'data');
    expect(unwraps).toHaveLength(1);
    pass(1);
    await tenantKeys.current('known', 'data');
    expect(unwraps).toHaveLength(2);
  });

  it('does not remember a failure', async () => {
    const { tenantKeys, failNext } = setUp();
    failNext(1);
    await expect(tenantKeys.current('known', 'data')).rejects.toThrow('down');
    await expect(tenantKeys.current('known', 'data')).resolves.toMatchObject({ version: 2 });
  });

  it('refuses a tenant without keys: destroyed keys destroy the data', async () => {
    const { tenantKeys } = setUp();
    await expect(tenantKeys.current('unknown', 'data')).rejects.toThrow('none');
    await expect(tenantKeys.version('known', 'data', 3)).rejects.toThrow('no version 3');
  });
});
