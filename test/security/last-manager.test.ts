import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { createVault } from '../../packages/testing/src/index.ts';
import { createApplicationStore } from '../../src/adapters/dynamodb/application-store.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import type { Application } from '../../src/core/applications/application.ts';
import {
  deleteApplication,
  regenerateKey,
  updateApplication,
} from '../../src/core/applications/change-application.ts';
import { isManager } from '../../src/core/applications/last-manager.ts';
import { deleteKey, keysOfApplication, updateKey } from '../../src/core/applications/manage-keys.ts';
import type { Permission } from '../../src/core/access/permission.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { aKey, anApplication } from '../support/builders/an-application.ts';
import { inSteps, type Step } from '../support/fakes/in-steps.ts';
import { tablesInMemory } from '../support/stores-in-memory.ts';

const NOW = 1_900_000_000_000;
const TENANT = '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11';
const ENDS = { never: undefined, past: NOW - 1, future: NOW + 1_000 };
const CHANGES = ['delete key', 'delete application', 'take the right', 'end key', 'regenerate'] as const;

/** An application of any rights, whose keys may have ended. */
const anApplicationModel = fc.record({
  manages: fc.boolean(),
  ends: fc.constantFrom('never' as const, 'future' as const, 'past' as const),
  keys: fc.array(fc.constantFrom('never' as const, 'future' as const, 'past' as const), { maxLength: 2 }),
});
type ApplicationModel = typeof anApplicationModel extends fc.Arbitrary<infer T> ? T : never;

/** A living manager, so that there is one to lose. */
const MANAGER: ApplicationModel = { manages: true, ends: 'never', keys: ['never'] };

const aChange = fc.record({
  what: fc.constantFrom(...CHANGES),
  by: fc.nat(3),
  on: fc.nat(3),
  key: fc.nat(1),
  mayBeLast: fc.boolean(),
});
type Change = typeof aChange extends fc.Arbitrary<infer T> ? T : never;

const applicationOf = ({ manages, ends, keys }: ApplicationModel): Application =>
  anApplication({
    tenantId: TENANT,
    type: 'management',
    permissions: manages ? ['application:update'] : ['application:read'],
    keys: keys.map((end) => aKey(ENDS[end] === undefined ? {} : { expiresAtMs: ENDS[end] })),
    ...(ENDS[ends] !== undefined && { expiresAtMs: ENDS[ends] }),
  });

const ALL: readonly Permission[] = ['application:read', 'application:update', 'application:delete'];

/** Tenants of these applications, whose store is called in the steps of a scheduler. */
async function aTenant(models: readonly ApplicationModel[], step: Step) {
  const store = createApplicationStore(tablesInMemory(() => NOW).table('Access'));
  const applications = models.map(applicationOf);
  for (const application of applications) await store.create(application);
  const at = (index: number) => applications[index % applications.length] ?? applicationOf(MANAGER);
  const deps = {
    ...machinePlatform,
    clock: () => NOW,
    pause: () => Promise.resolve(),
    egressAllowList: [],
    applicationStore: inSteps(store, step),
  };

  async function change({ what, by, on, key, mayBeLast }: Change): Promise<void> {
    const { id: applicationId, keys } = at(by);
    // A session or a reactor has no key of its own.
    const { keyId: _, ...caller } = aCaller({
      tenantId: TENANT,
      applicationId,
      type: 'management',
      permissions: ALL,
    });
    const [own] = keys;
    const as = own === undefined ? caller : { ...caller, keyId: own.id };
    const { id, keys: theirs } = at(on);
    const keyId = theirs[key]?.id ?? 'none';
    const owned = keysOfApplication(deps, as, id, mayBeLast);
    if (what === 'delete key') await deleteKey(deps, owned, keyId);
    if (what === 'end key') await updateKey(deps, owned, keyId, { expiresAtMs: NOW + 60_000 });
    if (what === 'delete application') await deleteApplication(deps, as, id, mayBeLast);
    if (what === 'regenerate') await regenerateKey(deps, as, id);
    const less = { name: 'x', permissions: ['application:read' as const], rules: [], mayBeLast };
    if (what === 'take the right') await updateApplication(deps, as, id, less);
  }

  async function managers(): Promise<number> {
    let count = 0;
    for await (const all of store.list(TENANT, undefined))
      count += all.filter((each) => isManager(each, NOW)).length;
    return count;
  }
  return { change, managers };
}

const atOnce: Step = async (act) => await act();
const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

describe('the last manager of a tenant', () => {
  const models = fc.array(anApplicationModel, { maxLength: 3 });

  it('remains, whichever changes whichever callers make at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        models,
        fc.array(aChange, { minLength: 2, maxLength: 4 }),
        fc.scheduler(),
        async (others, changes, scheduler) => {
          const step: Step = async (act) => {
            await scheduler.schedule(Promise.resolve());
            return await act();
          };
          const { change, managers } = await aTenant([MANAGER, ...others], step);
          const made = Promise.allSettled(changes.map((each) => change({ ...each, mayBeLast: false })));
          const outcomes = await scheduler.waitFor(made);
          const codes = outcomes.flatMap((each) => (each.status === 'rejected' ? [codeOf(each.reason)] : []));
          expect(['conflict', 'last_manager', 'not_found', 'unauthenticated']).toEqual(
            expect.arrayContaining(codes),
          );
          expect(await managers()).toBeGreaterThan(0);
        },
      ),
      { numRuns: cases(150) },
    );
  });

  it('goes only by force, and no change is refused that leaves another one', async () => {
    await fc.assert(
      fc.asyncProperty(models, fc.array(aChange, { minLength: 1, maxLength: 4 }), async (others, changes) => {
        const { change, managers } = await aTenant([MANAGER, ...others], atOnce);
        for (const each of changes) {
          const before = await managers();
          const code = await change(each).then(() => undefined, codeOf);
          const after = await managers();
          if (code === 'last_manager') expect([each.mayBeLast, before, after]).toEqual([false, 1, 1]);
          else if (before > 0 && after === 0) expect([each.mayBeLast, code]).toEqual([true, undefined]);
        }
      }),
      { numRuns: cases(150) },
    );
  });

  it('goes without force where clients in the field know no limit, and by the option of the SDK', async () => {
    for (const [clientCompatibility, options] of [
      ['lenient', {}],
      ['strict', { force: true }],
    ] as const) {
      const vault = await createVault({ clientCompatibility });
      const client = vault.client({ apiKey: vault.managementKey });
      const { id } = await client.applications.retrieveByKey();
      if (clientCompatibility === 'strict')
        await expect(client.applications.delete(id)).rejects.toMatchObject({ code: 'last_manager' });
      await client.applications.delete(id, options);
      await expect(client.applications.retrieveByKey()).rejects.toHaveProperty('status', 401);
    }
  });
});
