import { randomUUID } from 'node:crypto';
import type { Application } from '../../src/core/applications/application.ts';
import type {
  ApplicationGrantsStore,
  ApplicationStore,
} from '../../src/core/applications/application-store.ts';
import { aKey, anApplication } from '../support/builders/an-application.ts';

type ApplicationReads = Pick<ApplicationStore, 'find' | 'findMany' | 'update' | 'delete'> &
  ApplicationGrantsStore;

/** A time that is later than the clock of any store. */
const LATER_MS = 4_000_000_000_000;

/**
 * The contract of every store of applications, as their readers see it. `put` writes an application
 * with an unused id.
 */
export function applicationReadsContract(
  name: string,
  make: () => {
    readonly reads: ApplicationReads;
    readonly put: (application: Application) => Promise<unknown>;
  },
): void {
  describe(`the contract of the reads of applications, ${name}`, () => {
    it('returns each application and its grants once, as written, and none for unknown ids', async () => {
      const { reads, put } = make();
      const application = anApplication({ expiresAtMs: LATER_MS });
      await put(application);
      const { id, tenantId, type, permissions, rules, expiresAtMs } = application;
      const ids = [id, randomUUID(), id];
      expect(await reads.find(tenantId, id)).toEqual(application);
      expect(await reads.findMany(tenantId, ids)).toEqual([application]);
      const keys = application.keys.map((key) => ({ id: key.id }));
      expect(await reads.grants(tenantId, ids)).toEqual([
        { id, tenantId, type, permissions, rules, expiresAtMs, keys },
      ]);
      expect(await reads.find(tenantId, randomUUID())).toBeUndefined();
    });

    it('remembers of each deleted key whether it had ended, also after its application is deleted', async () => {
      const { reads, put } = make();
      const ends = [undefined, 1, LATER_MS];
      const left = ends.map((expiresAtMs) => aKey(expiresAtMs === undefined ? {} : { expiresAtMs }));
      const other = aKey();
      const application = anApplication({ keys: [other, ...left] });
      const { tenantId, version } = application;
      await put(application);
      const ids = [other, ...left].map(({ id }) => id);
      expect(await reads.deletedKeys(tenantId, ids)).toEqual([]);
      const next = { ...application, keys: [other], version: version + 1 };
      expect(await reads.update(application, next)).toBe(true);
      const found = await reads.deletedKeys(tenantId, [...ids, ...ids]);
      expect(new Map(found.map(({ keyId, hadEnded }) => [keyId, hadEnded]))).toEqual(
        new Map(left.map(({ id }, index) => [id, index === 1])),
      );
      expect(await reads.deletedKeys(randomUUID(), ids)).toEqual([]);
      expect(await reads.delete(next)).toBe(true);
      expect(await reads.deletedKeys(tenantId, [other.id])).toMatchObject([{ hadEnded: false }]);
    });

    it('remembers that a key had ended with its application', async () => {
      const { reads, put } = make();
      const application = anApplication({ expiresAtMs: 1 });
      await put(application);
      expect(await reads.delete(application)).toBe(true);
      const ids = application.keys.map(({ id }) => id);
      expect(await reads.deletedKeys(application.tenantId, ids)).toMatchObject([{ hadEnded: true }]);
    });

    it('hides applications, and their grants, from other tenants', async () => {
      const { reads, put } = make();
      const { id, ...application } = anApplication();
      await put({ id, ...application });
      const stranger = randomUUID();
      expect(await reads.find(stranger, id)).toBeUndefined();
      expect(await reads.findMany(stranger, [id])).toEqual([]);
      expect(await reads.grants(stranger, [id])).toEqual([]);
    });
  });
}
