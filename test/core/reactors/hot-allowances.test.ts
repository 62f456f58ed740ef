import { createHotAllowanceStore } from '../../../src/adapters/dynamodb/hot-allowance-store.ts';
import { allowHot, forgetAllowance, mostInstances } from '../../../src/core/reactors/hot-allowances.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';

function aWorld() {
  const tables = tablesInMemory();
  const hotAllowanceStore = createHotAllowanceStore(tables.table('Reactors'));
  const pause = () => Promise.resolve();
  const deps = { ...tables.platform, pause, hotAllowanceStore, hotInstances: 1_000, hotConcurrency: 2 };
  return {
    deps,
    allowed: async () => Object.fromEntries((await hotAllowanceStore.find()).byTenant),
    most: (tenantId: string, wanted?: number) => mostInstances(deps, tenantId, wanted),
  };
}

describe('the number of running instances that a reactor may ask for', () => {
  it('is the usual one, and for some tenants what an operator allowed', async () => {
    const { deps, most } = aWorld();
    await allowHot(deps, 'a', 5);
    expect(await Promise.all([most('a', 5), most('b', 3)])).toEqual([5, 2]);
    await allowHot(deps, 'a', 1);
    expect(await most('a', 3)).toBe(2);
  });

  it('is not looked up for the usual number, or less', async () => {
    const { deps } = aWorld();
    const find = () => Promise.reject(new Error('a read'));
    for (const wanted of [undefined, null, 0, 2])
      expect(await mostInstances({ ...deps, hotAllowanceStore: { find } }, 'a', wanted)).toBe(2);
  });
});

describe('an allowance', () => {
  it('is taken back by 0, or with the tenant', async () => {
    const { deps, allowed } = aWorld();
    await Promise.all(['a', 'b', 'c'].map((tenantId) => allowHot(deps, tenantId, 3)));
    expect(await allowed()).toEqual({ a: 3, b: 3, c: 3 });
    await Promise.all([allowHot(deps, 'a', 0), forgetAllowance(deps, 'b'), forgetAllowance(deps, 'x')]);
    expect(await allowed()).toEqual({ c: 3 });
  });

  it('is within the budget, and for 500 tenants at most', async () => {
    const { deps } = aWorld();
    await expect(allowHot(deps, 'a', 1_001)).rejects.toMatchObject({
      errors: { instances: ['must be at most hotInstances, which is 1000'] },
    });
    const byTenant = new Map(Array.from({ length: 500 }, (_, at) => [String(at), 1]));
    await deps.hotAllowanceStore.write({ byTenant, version: 1 });
    await allowHot(deps, '7', 2);
    await expect(allowHot(deps, 'a', 1)).rejects.toMatchObject({ code: 'limit_reached' });
  });
});
