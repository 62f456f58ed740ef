import { randomUUID } from 'node:crypto';
import type { Application } from '../../src/core/applications/application.ts';
import type {
  ApplicationGrantsStore,
  ApplicationStore,
} from '../../src/core/applications/application-store.ts';
import { anApplication } from '../support/builders/an-application.ts';

type ApplicationReads = Pick<ApplicationStore, 'find' | 'findMany'> & ApplicationGrantsStore;

/** The contract of every reader of applications. `put` writes an application with an unused id. */
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
      const application = anApplication({ expiresAtMs: Date.now() + 60_000 });
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
