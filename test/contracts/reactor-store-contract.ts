import { randomUUID } from 'node:crypto';
import { PACKAGE_LIMITS } from '../../src/core/reactors/package-bundle.ts';
import type { ReactorStore } from '../../src/core/reactors/reactor-store.ts';
import { orderedId } from '../../src/core/shared/ordered-id.ts';
import { aStoredReactor } from '../support/builders/a-stored-reactor.ts';

/** Tests what every {@link ReactorStore} must do. */
export function reactorStoreContract(name: string, make: () => ReactorStore): void {
  describe(`the contract of a reactor store, ${name}`, () => {
    it('returns a reactor as written, and the existing one instead of a new one', async () => {
      const reactor = aStoredReactor({ applicationId: randomUUID(), tidyAt: 5 });
      expect(await make().create(reactor, 100)).toBe('created');
      expect(await make().find(reactor.tenantId, reactor.id)).toEqual(reactor);
      expect(await make().create({ ...reactor, name: 'Another' }, 100)).toEqual(reactor);
      expect(await make().find(reactor.tenantId, reactor.id)).toEqual(reactor);
    });

    it('returns each reactor of a list of ids once, and none for unknown ids', async () => {
      const reactor = aStoredReactor();
      await make().create(reactor, 100);
      const ids = [reactor.id, randomUUID(), 'x', reactor.id];
      expect(await make().findMany(reactor.tenantId, ids)).toEqual([reactor]);
    });

    it('hides reactors from other tenants, and accepts any text as an id', async () => {
      const reactor = aStoredReactor();
      const stranger = randomUUID();
      await make().create(reactor, 100);
      expect(await make().find(stranger, reactor.id)).toBeUndefined();
      expect(await make().findMany(stranger, [reactor.id])).toEqual([]);
      for await (const batch of make().list(stranger, undefined)) expect(batch).toEqual([]);
      expect(await make().update({ ...reactor, tenantId: stranger, version: 2 })).toBe(false);
      await make().delete({ ...reactor, tenantId: stranger });
      expect(await make().find(reactor.tenantId, reactor.id)).toEqual(reactor);
      for (const id of ['', '#', 'x'.repeat(5_000), '../..'])
        expect(await make().find(reactor.tenantId, id)).toBeUndefined();
    });

    it('replaces only the previous version', async () => {
      const reactor = aStoredReactor();
      await make().create(reactor, 100);
      expect(await make().update({ ...reactor, name: 'Next', version: 2 })).toBe(true);
      expect(await make().update({ ...reactor, name: 'Late', version: 2, modifiedAt: 7 })).toBe(false);
      expect((await make().find(reactor.tenantId, reactor.id))?.name).toBe('Next');
    });

    it('lets one of many writers of the same millisecond win', async () => {
      const reactor = aStoredReactor();
      await make().create(reactor, 100);
      const writers = Array.from({ length: 20 }, (_, at) => ({
        ...reactor,
        modifiedAt: 7,
        version: 2,
        encryptedConfiguration: Buffer.from(`encrypted ${String(at)}`),
      }));
      const store = make();
      const won = await Promise.all(writers.map((next) => store.update(next)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.find(reactor.tenantId, reactor.id)).toEqual(writers[won.indexOf(true)]);
    });

    it('deletes only the version that was read, and accepts that it is deleted already', async () => {
      const reactor = aStoredReactor();
      await make().create(reactor, 100);
      expect(await make().delete({ ...reactor, version: 2 })).toBe(false);
      expect(await make().delete(reactor)).toBe(true);
      expect(await make().find(reactor.tenantId, reactor.id)).toBeUndefined();
      expect(await make().delete(reactor)).toBe(true);
      expect(await make().update({ ...reactor, version: 2 })).toBe(false);
    });

    it('writes packages with their reactor or not at all, and reads those that the record names', async () => {
      const packages = (id: string, bytes: number) => ({
        digest: id,
        image: 'node16' as const,
        dependencies: { lodash: '1.0.0' },
        id,
        bytes,
      });
      const bytes = (fill: number) => Buffer.alloc(800_000, fill);
      const first = aStoredReactor({ packages: packages('first', 800_000) });
      const store = make();
      await store.create(first, 100, { encrypted: bytes(1), locked: ['lodash@1.0.0'] });
      expect(await store.find(first.tenantId, first.id)).toEqual(first);
      expect(await store.findPackages(first)).toEqual(bytes(1));
      const second = { ...first, version: 2, packages: packages('second', 3) };
      const replacement = { before: first.packages, now: { encrypted: Buffer.from('abc') } };
      expect(await store.update({ ...second, version: 3 }, replacement)).toBe(false);
      expect(await store.findPackages(first)).toEqual(bytes(1));
      expect(await store.update(second, replacement)).toBe(true);
      expect(await store.findPackages(first)).toBeUndefined();
      expect(await store.findPackages(second)).toEqual(Buffer.from('abc'));
      const other = aStoredReactor({ tenantId: first.tenantId });
      expect(await store.findLocked([other, first])).toEqual([[], ['lodash@1.0.0']]);
      const { packages: _, ...third } = { ...second, version: 3 };
      expect(await store.update(third, { before: second.packages, now: undefined })).toBe(true);
      expect(await store.findPackages(second)).toBeUndefined();
      expect(await store.findLocked([first])).toEqual([[]]);
    });

    it('replaces the largest packages of the largest reactor', async () => {
      const bytes = PACKAGE_LIMITS.zippedBytes + 100;
      const packages = (id: string) => ({
        digest: id,
        image: 'node16' as const,
        dependencies: {},
        id,
        bytes,
      });
      const stored = {
        encrypted: Buffer.alloc(bytes),
        locked: Array.from({ length: 500 }, () => 'x'.repeat(200)),
      };
      const content = { encryptedCode: Buffer.alloc(200_100), encryptedConfiguration: Buffer.alloc(180_100) };
      const reactor = aStoredReactor({ packages: packages('first'), ...content });
      await make().create(reactor, 100, stored);
      const next = { ...reactor, version: 2, packages: packages('second') };
      expect(await make().update(next, { before: reactor.packages, now: stored })).toBe(true);
      expect(await make().delete(next)).toBe(true);
    });

    it('deletes packages with their reactor', async () => {
      const packages = { digest: 'd', image: 'node16' as const, dependencies: {}, id: 'one', bytes: 3 };
      const reactor = aStoredReactor({ packages });
      await make().create(reactor, 100, { encrypted: Buffer.from('abc'), locked: [] });
      expect(await make().delete({ ...reactor, version: 2 })).toBe(false);
      expect(await make().findPackages(reactor)).toEqual(Buffer.from('abc'));
      expect(await make().delete(reactor)).toBe(true);
      expect(await make().findPackages(reactor)).toBeUndefined();
    });

    it('lists the reactors of a tenant newest first, after any id', async () => {
      const tenantId = randomUUID();
      const ids = [1, 2, 3, 4, 5].map((at) => orderedId(at, randomUUID()));
      for (const id of [...ids.slice(2), ...ids.slice(0, 2)])
        await make().create(aStoredReactor({ tenantId, id }), 100);
      const listed = async (after?: string) => {
        const found: string[] = [];
        for await (const batch of make().list(tenantId, after)) found.push(...batch.map(({ id }) => id));
        return found;
      };
      expect(await listed()).toEqual(ids.toReversed());
      expect(await listed(ids[3])).toEqual(ids.slice(0, 3).toReversed());
    });
  });
}
