import { KEY_PURPOSES } from '../../../src/core/crypto/derive-key.ts';
import { KEY_LIFETIME_MS } from '../../../src/core/crypto/tenant-keys.ts';
import { rotateDataKey } from '../../../src/core/operator/rotate-data-key.ts';
import { aTenantWorld } from '../../support/a-tenant-world.ts';

const hex = ({ key }: { readonly key: { export(): Buffer } }) => key.export().toString('hex');

describe.each(['kms', 'deployment'] as const)(
  'tenant keys, of a root that is wrapped by %s,',
  (wrappedBy) => {
    const aWorld = () => aTenantWorld({ wrappedBy });

    it('call the key service once for all keys of a tenant', async () => {
      const { instance, tenantId, keys, state, deps, openers } = await aWorld();
      await rotateDataKey(deps, tenantId);
      const cold = instance();
      await Promise.all([
        ...KEY_PURPOSES.map((purpose) => cold.current(tenantId, purpose)),
        cold.version(tenantId, 'data', 1),
        cold.all(tenantId, 'search'),
      ]);
      expect([keys.unwraps, state.reads]).toEqual([openers(), 1]);
    });

    it('differ by purpose and data key version, and are the same in every instance', async () => {
      const { instance, tenantId, deps } = await aWorld();
      await rotateDataKey(deps, tenantId);
      const all = async () => {
        const tenantKeys = instance();
        const purposes = KEY_PURPOSES.filter((purpose) => purpose !== 'data');
        const found = await Promise.all([
          tenantKeys.version(tenantId, 'data', 1),
          tenantKeys.version(tenantId, 'data', 2),
          ...purposes.map((purpose) => tenantKeys.current(tenantId, purpose)),
        ]);
        return found.map(hex);
      };
      const first = await all();
      const second = await all();
      expect(new Set(first).size).toBe(KEY_PURPOSES.length + 1);
      expect(second).toEqual(first);
    });

    it('are found by the version that a record names, after any number of rotations', async () => {
      const { instance, tenantId, deps } = await aWorld();
      const before = await instance().current(tenantId, 'webhook');
      await rotateDataKey(deps, tenantId);
      const after = instance();
      expect(await after.current(tenantId, 'webhook')).toMatchObject({ version: before.version });
      expect(hex(await after.version(tenantId, 'webhook', before.version))).toBe(hex(before));
    });

    it('call the key service once for any number of callers within the lifetime, and again after it', async () => {
      const { instance, tenantId, keys, state } = await aWorld();
      const tenantKeys = instance();
      await Promise.all(Array.from({ length: 20 }, () => tenantKeys.current(tenantId, 'data')));
      state.now += KEY_LIFETIME_MS - 1;
      await tenantKeys.current(tenantId, 'data');
      expect([keys.unwraps.length, state.reads, tenantKeys.holds(tenantId)]).toEqual([1, 1, true]);
      state.now += 1;
      expect(tenantKeys.holds(tenantId)).toBe(false);
      await tenantKeys.current(tenantId, 'data');
      expect([keys.unwraps.length, state.reads]).toEqual([2, 2]);
    });

    it('unwrap a learned ring immediately, without a read', async () => {
      const { instance, tenantId, tenant, keys, state, openers } = await aWorld();
      const tenantKeys = instance();
      tenantKeys.learn(tenantId, tenant());
      expect([keys.unwraps, tenantKeys.holds(tenantId)]).toEqual([openers(), true]);
      await tenantKeys.current(tenantId, 'data');
      expect([keys.unwraps.length, state.reads]).toEqual([1, 0]);
    });

    it('do not cache a root longer when it is learned again', async () => {
      const { instance, tenantId, tenant, keys, state } = await aWorld();
      const tenantKeys = instance();
      for (let step = 0; step < 4; step += 1) {
        tenantKeys.learn(tenantId, tenant());
        state.now += KEY_LIFETIME_MS / 2;
      }
      expect(keys.unwraps).toHaveLength(2);
    });

    it('do not cache a failure', async () => {
      const { instance, tenantId, keys } = await aWorld();
      const tenantKeys = instance();
      keys.failNext(1);
      await expect(tenantKeys.current(tenantId, 'data')).rejects.toThrow('down');
      await expect(tenantKeys.current(tenantId, 'data')).resolves.toMatchObject({ version: 1 });
    });

    it('reject a tenant without a root, and unknown versions', async () => {
      const { instance, tenantId, tenant } = await aWorld();
      const tenantKeys = instance();
      await expect(tenantKeys.current('another', 'data')).rejects.toMatchObject({ code: 'unauthenticated' });
      for (const version of [0, 2, 65_535])
        await expect(tenantKeys.version(tenantId, 'data', version)).rejects.toThrow('no root for version');
      tenantKeys.learn(tenantId, { ...tenant(), roots: [] });
      await expect(tenantKeys.current(tenantId, 'data')).rejects.toMatchObject({ code: 'unauthenticated' });
    });
  },
);

describe('roots under one deployment key', () => {
  const TENANTS = 100;

  it.each([
    ['kms', TENANTS],
    ['deployment', 1],
  ] as const)(
    'a cold instance that serves 100 tenants wrapped by %s asks the key service %i times',
    async (by, calls) => {
      const world = await aTenantWorld({ wrappedBy: by });
      const ids = await Promise.all(Array.from({ length: TENANTS }, () => world.another(by)));
      const cold = world.instance();
      world.keys.unwraps.length = 0;
      await Promise.all(ids.map((id) => cold.current(id, 'data')));
      for (const id of ids) await cold.current(id, 'clear');
      expect(world.keys.unwraps).toHaveLength(calls);
    },
  );

  it('are cached no longer than the deployment key that opened them', async () => {
    const { instance, another, tenantId, keys, state } = await aTenantWorld({ wrappedBy: 'deployment' });
    const late = await another('deployment');
    const tenantKeys = instance();
    keys.unwraps.length = 0;
    await tenantKeys.current(tenantId, 'data');
    state.now += KEY_LIFETIME_MS - 1;
    await tenantKeys.current(late, 'data');
    expect(keys.unwraps).toHaveLength(1);
    state.now += 1;
    await tenantKeys.current(late, 'data');
    expect(keys.unwraps).toHaveLength(2);
  });
});
