import { changeProxy } from '../../../src/core/stored-proxies/change-proxy.ts';
import { createProxy } from '../../../src/core/stored-proxies/create-proxy.ts';
import { deleteProxy } from '../../../src/core/stored-proxies/delete-proxy.ts';
import { revertProxy } from '../../../src/core/stored-proxies/revert-proxy.ts';
import { reencrypted } from '../../../src/core/stored-proxies/reencrypt-proxy.ts';
import { listProxyVersions } from '../../../src/core/stored-proxies/get-proxy.ts';
import type { StoredProxy } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { createProxyStore } from '../../../src/adapters/dynamodb/proxy-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aVault } from '../../support/builders/a-vault.ts';
import { aDatabase, type Database } from '../../support/a-database.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

/** A step of a caller. Numbers choose among the versions that the proxy has. */
interface Change {
  /** Absent for a change that leaves the definition as it is. */
  readonly name?: string | undefined;
  readonly revertTo?: number | undefined;
  readonly keep?: boolean | undefined;
  readonly free?: readonly number[] | undefined;
}

const keep = fc.constantFrom(undefined, undefined, true, true, false);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), keep }) },
  { weight: 2, arbitrary: fc.record({ keep }) },
  { weight: 2, arbitrary: fc.record({ revertTo: fc.nat(30), keep }) },
  { weight: 1, arbitrary: fc.record({ free: fc.array(fc.nat(30), { maxLength: 5 }), keep }) },
);

/** The versions that the contract promises, newest first. */
function aModel() {
  const names = new Map([[1, 'a']]);
  let retained: readonly number[] = [];
  return {
    shown: () =>
      [...names].toReversed().map(([version, name]) => [version, name, retained.includes(version)]),
    versions: () => [...names.keys()].toReversed(),
    nameOf: (version: number) => names.get(version),
    change(name: string | undefined, keeps: boolean | undefined, free: readonly number[]): boolean {
      const newest = Math.max(...names.keys());
      const version = name === undefined || name === names.get(newest) ? newest : newest + 1;
      const others = retained.filter((each) => !free.includes(each) && each !== version);
      const isRetained = keeps ?? (retained.includes(version) && !free.includes(version));
      if (isRetained && keeps === true && others.length >= 5 && !retained.includes(version)) return false;
      retained = isRetained ? [...others, version] : others;
      names.set(version, name ?? names.get(newest) ?? '');
      for (const each of names.keys())
        if (each <= version - 20 && !retained.includes(each)) names.delete(each);
      return true;
    },
  };
}

const caller = aCaller({
  type: 'management',
  permissions: ['proxy:create', 'proxy:read', 'proxy:update', 'proxy:delete'],
});
const place = { traceId: 't', ownHosts: [], isReserved: () => false };
const definition = {
  name: 'a',
  destinationUrl: 'https://destination.example.com',
  requestTransforms: [],
  responseTransforms: [],
  requireAuth: true,
  sourceAddresses: [],
  timeoutSeconds: 25,
};

async function aWorld() {
  const proxyStore = createProxyStore(database.table('Access'));
  const deps = {
    ...machinePlatform,
    vault: aVault(),
    proxyStore,
    reactorStore: { findMany: () => Promise.resolve([]) },
    egressAllowList: [],
    audit: { changes: () => undefined },
    onSecretsForgotten: () => undefined,
  } as unknown as Parameters<typeof changeProxy>[0];
  const input = { draft: definition, configuration: new Secret({}) };
  const { proxy } = await createProxy(deps, caller, input, place, randomIdentity(machinePlatform.random));
  const { id, tenantId } = proxy.stored;
  const perform = ({ name, keep: keeps, free }: Change, revertTo: number | undefined) => {
    const marks = { ...(keeps !== undefined && { keep: keeps }), ...(free && { freeVersions: free }) };
    const more = { ...marks, replacesConfiguration: false };
    return revertTo === undefined
      ? changeProxy(
          deps,
          caller,
          id,
          { ...more, apply: (previous) => ({ ...previous, name: name ?? previous.name }) },
          place,
        )
      : revertProxy(deps, caller, id, { ...more, version: revertTo }, place);
  };
  return {
    perform,
    shown: async () =>
      (await listProxyVersions(deps, caller, id)).map((each) => [
        each.version,
        each.definition.name,
        each.isRetained,
      ]),
    async reencrypt() {
      const stored = (await proxyStore.find(tenantId, id)) as StoredProxy;
      const again = await reencrypted(deps, stored, await proxyStore.versions(stored));
      expect(await proxyStore.update(stored, again.next, again.versions)).toBe(true);
      return again.versions.map(({ version }) => version);
    },
    async left() {
      await deleteProxy(deps, caller, id);
      return (await database.keys()).filter((key) => key.includes(`#${id}`) && !key.includes('retired#'));
    },
  };
}

describe('the versions of a proxy', () => {
  it('are the last twenty and up to five retained ones after any history of changes', async () => {
    const seen = { refused: 0, old: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 40, maxLength: 50 }), async (history) => {
        const model = aModel();
        const world = await aWorld();
        for (const each of history) {
          const versions = model.versions();
          const of = (index: number) => versions[index % versions.length] ?? 1;
          const revertTo = each.revertTo === undefined ? undefined : of(each.revertTo);
          const free = each.free?.map(of);
          const name = revertTo === undefined ? each.name : model.nameOf(revertTo);
          const isDone = await world.perform({ ...each, free }, revertTo).then(
            () => true,
            (error: unknown) => {
              if (error instanceof ServiceError && error.code === 'conflict') return false;
              throw error;
            },
          );
          expect(isDone).toBe(model.change(name, each.keep, free ?? []));
          seen.refused += isDone ? 0 : 1;
        }
        expect(await world.shown()).toEqual(model.shown());
        expect(await world.reencrypt()).toEqual(model.versions());
        expect(await world.shown()).toEqual(model.shown());
        seen.old += model.versions().length > 20 ? 1 : 0;
        expect(await world.left()).toEqual([]);
      }),
      { numRuns: cases(4) },
    );
    expect([seen.refused > 0, seen.old > 0]).toEqual([true, true]);
  });
});
