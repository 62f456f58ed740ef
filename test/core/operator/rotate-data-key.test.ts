import { createVault } from '../../../src/core/crypto/vault.ts';
import { dataKeyVersion } from '../../../src/core/crypto/record-encryption.ts';
import { rotateDataKey, rotateIfDue } from '../../../src/core/operator/rotate-data-key.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { aTenantWorld } from '../../support/a-tenant-world.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const context = (tenantId: string) => ({ tenantId, recordId: 'r', field: 'data' });

describe('the rotation of a data key', () => {
  it('adds a version; old records still open, also in an instance with an older ring', async () => {
    const { deps, instance, tenantId } = await aTenantWorld();
    const quick = createVault(instance(), machinePlatform.random);
    const slow = createVault(instance(), machinePlatform.random);
    const before = await slow.encrypt(context(tenantId), new Secret('old'));
    expect(await rotateDataKey(deps, tenantId)).toBe(2);
    const after = await quick.encrypt(context(tenantId), new Secret('new'));
    expect([dataKeyVersion(before), dataKeyVersion(after)]).toEqual([1, 2]);
    for (const vault of [quick, slow]) {
      expect((await vault.decrypt(context(tenantId), before)).reveal()).toBe('old');
      expect((await vault.decrypt(context(tenantId), after)).reveal()).toBe('new');
    }
  });

  it('never handles a key', async () => {
    const { deps, tenantId, keys } = await aTenantWorld();
    await rotateDataKey(
      { ...machinePlatform, tenantStore: deps.tenantStore, clock: deps.clock, keyRotationMs: 1 },
      tenantId,
    );
    expect(keys.unwraps).toEqual([]);
  });

  it('is known to every instance within five minutes', async () => {
    const { deps, state, instance, tenantId } = await aTenantWorld();
    const vault = createVault(instance(), machinePlatform.random);
    await vault.encrypt(context(tenantId), new Secret('x'));
    await rotateDataKey(deps, tenantId);
    expect(dataKeyVersion(await vault.encrypt(context(tenantId), new Secret('x')))).toBe(1);
    state.now += 5 * 60 * 1000;
    expect(dataKeyVersion(await vault.encrypt(context(tenantId), new Secret('x')))).toBe(2);
  });

  it('is visible immediately to callers that need the newest key', async () => {
    const { deps, instance, tenantId } = await aTenantWorld();
    const keys = instance();
    await keys.current(tenantId, 'data');
    await rotateDataKey(deps, tenantId);
    expect((await keys.newest(tenantId, 'data')).version).toBe(2);
    expect((await keys.current(tenantId, 'data')).version).toBe(2);
  });

  it('adds one version for each of two concurrent rotations', async () => {
    const { deps, tenant, tenantId } = await aTenantWorld();
    const versions = await Promise.all([rotateDataKey(deps, tenantId), rotateDataKey(deps, tenantId)]);
    expect(versions.toSorted()).toEqual([2, 3]);
    expect(tenant()).toMatchObject({ keyVersion: 3, version: 3 });
  });

  it('happens only when it is due', async () => {
    const { deps, state, tenant, tenantId } = await aTenantWorld({ now: 1_000, keyRotationMs: 500 });
    state.now = 1_499;
    await rotateIfDue(deps, tenantId);
    expect(tenant().keyVersion).toBe(1);
    state.now = 1_500;
    await Promise.all([rotateIfDue(deps, tenantId), rotateIfDue(deps, tenantId)]);
    expect(tenant()).toMatchObject({ keyVersion: 2, rotateAt: 2_000 });
  });

  it('is rejected for a tenant that does not exist, or whose keys were destroyed', async () => {
    const { deps, tenant, tenantId } = await aTenantWorld();
    await expect(rotateDataKey(deps, 'another')).rejects.toMatchObject({ code: 'not_found' });
    await deps.tenantStore.update(tenant(), { ...tenant(), roots: [], rotateAt: 0 });
    await expect(rotateDataKey(deps, tenantId)).rejects.toMatchObject({ code: 'not_found' });
    await rotateIfDue(deps, tenantId);
  });
});
