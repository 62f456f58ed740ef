import { randomUUID } from 'node:crypto';
import type { Tenant, TenantStore } from '../../src/core/tenants/tenant.ts';
import type { TenantBasicsStore } from '../../src/core/access/tenant-basics.ts';
import { anApplication } from '../support/builders/an-application.ts';
import { aTenant } from '../support/builders/a-tenant.ts';

/** Tests what every {@link TenantStore} must do together with its {@link TenantBasicsStore}. */
export function tenantStoreContract(name: string, make: () => TenantStore & TenantBasicsStore): void {
  const create = async (tenant: Tenant): Promise<Tenant> => {
    await make().create(tenant, anApplication({ tenantId: tenant.id, type: 'management' }));
    return tenant;
  };
  const basicsOf = ({ settings, roots, keyVersion }: Tenant) => ({ settings, roots, keyVersion });

  describe(`the contract of a tenant store, ${name}`, () => {
    it('returns a tenant as written, and nothing for an unknown id', async () => {
      const tenant = await create(aTenant({ recoveredAt: 7 }));
      expect(await make().find(tenant.id)).toEqual(tenant);
      expect(await make().basics(tenant.id)).toMatchObject(basicsOf(tenant));
      const unknown = randomUUID();
      expect([await make().find(unknown), await make().basics(unknown)]).toEqual([undefined, undefined]);
    });

    it('returns the deployment key of a root with the root', async () => {
      const deploymentKey = { id: randomUUID(), wrapped: Buffer.from('wrapped') };
      const roots = aTenant().roots.map((root) => ({ ...root, deploymentKey }));
      const tenant = await create(aTenant({ roots }));
      expect((await make().find(tenant.id))?.roots).toEqual(tenant.roots);
      expect((await make().basics(tenant.id))?.roots).toEqual(tenant.roots);
    });

    it('rejects a new tenant with the id of another one, which is unchanged', async () => {
      const tenant = await create(aTenant());
      await expect(create({ ...tenant, name: 'Another' })).rejects.toThrow();
      expect(await make().find(tenant.id)).toEqual(tenant);
    });

    it('replaces only the version that was read, in every copy', async () => {
      const tenant = await create(aTenant());
      const next = {
        ...tenant,
        keyVersion: 2,
        settings: { deduplicateTokens: true, ephemeralProxy: false },
        version: 2,
      };
      expect(await make().update(tenant, next)).toBe(true);
      expect(await make().update(tenant, { ...next, keyVersion: 3 })).toBe(false);
      expect(await make().find(tenant.id)).toEqual(next);
      for (let read = 0; read < 20; read += 1)
        expect(await make().basics(tenant.id)).toMatchObject(basicsOf(next));
    });

    it('removes a tenant, which cannot be written any more', async () => {
      const tenant = await create(aTenant());
      const other = await create(aTenant());
      await make().remove(tenant.id);
      expect([await make().find(tenant.id), await make().basics(tenant.id)]).toEqual([undefined, undefined]);
      expect(await make().update(tenant, { ...tenant, version: 2 })).toBe(false);
      expect(await make().find(other.id)).toEqual(other);
    });

    it('lists all tenants', async () => {
      const tenants = [await create(aTenant()), await create(aTenant())];
      const found: Tenant[] = [];
      const store = make();
      for await (const batch of store.list()) found.push(...batch);
      expect(found).toEqual(expect.arrayContaining(tenants));
    });
  });
}
