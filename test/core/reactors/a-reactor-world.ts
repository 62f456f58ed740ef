// Simulates one process that creates, changes or deletes a reactor, and dies at a call of a port. A
// test that fails for `n` names that call: run it with that `n` alone.
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../src/core/access/caller.ts';
import type { ChangeReactorDeps } from '../../../src/core/reactors/create-reactor.ts';
import { OPERATION_MS, TIDY_AFTER_MS } from '../../../src/core/reactors/change-function.ts';
import { IMAGES } from '../../../src/core/reactors/layer.ts';
import { repairReactor } from '../../../src/core/reactors/repair-reactor.ts';
import type { ReactorDefinition } from '../../../src/core/reactors/reactor.ts';
import type { ReactorRunner } from '../../../src/core/reactors/reactor-runner.ts';
import type { Clock } from '../../../src/core/shared/clock.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { aVault } from '../../support/builders/a-vault.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import { LAYERS, reactorFunctions, type CloudFunction } from '../../support/fakes/reactor-functions.ts';
import { anAudit } from '../../support/fakes/an-audit.ts';
import {
  itemsOf,
  keyOf,
  reactorsIn,
  tablesInMemory,
  type MemoryTables,
} from '../../support/stores-in-memory.ts';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import {
  packagePartsKey,
  parsePackagesKey,
  reactorPackagesKey,
  type ItemKey,
} from '../../../src/adapters/dynamodb/keys.ts';
import { partCountOf, partKeys } from '../../../src/adapters/dynamodb/value-parts.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

export const TENANT = randomUUID();

export const aManager: Caller = {
  tenantId: TENANT,
  applicationId: 'manager',
  credentialId: 'manager',
  type: 'management',
  actsBy: 'own_key',
  permissions: ['reactor:create', 'reactor:read', 'reactor:update', 'reactor:delete'],
  rules: [],
};

export const aDefinition = (code: string, more: Partial<ReactorDefinition> = {}): ReactorDefinition => ({
  name: 'Charge card',
  code: new Secret(code),
  configuration: new Secret({ url: 'https://example.com' }),
  ...more,
});

/** The process ends here: it does nothing afterwards. */
export class Death extends Error {}

/** Lists parts of packages that no reactor has, and those that one lacks. */
function strayParts(tables: MemoryTables): readonly string[] {
  const expected = reactorsIn(tables).flatMap(({ tenantId, id, packages }) =>
    packages === undefined
      ? []
      : [
          reactorPackagesKey(tenantId, id),
          ...partKeys(packagePartsKey(tenantId, id, packages.id), partCountOf(packages.bytes)),
        ],
  );
  const found = [...itemsOf(tables, 'Reactors')].map(keyOf).filter((key) => parsePackagesKey(key));
  const texts = (keys: readonly ItemKey[]) => keys.map(({ pk, sk }) => `${pk} ${sk}`).toSorted();
  const are = texts(found).join();
  const should = texts(expected).join();
  return are === should ? [] : [`packages are ${are}, not ${should}`];
}

/** Repairs what is due after all operations have ended. */
export async function sweep(world: ReturnType<typeof aReactorWorld>): Promise<void> {
  world.process();
  world.pass(OPERATION_MS + TIDY_AFTER_MS);
  for (const { id } of world.reactors()) await repairReactor(world.deps, TENANT, id);
}

/**
 * Runs an act in processes that die before or after each step, one after the other, and checks the
 * state after a sweep.
 */
export async function dyingAnywhere(
  prepare: (world: ReturnType<typeof aReactorWorld>) => Promise<string>,
  act: (world: ReturnType<typeof aReactorWorld>, id: string) => Promise<unknown>,
  check: (world: ReturnType<typeof aReactorWorld>, id: string) => void,
): Promise<number> {
  let died = 0;
  for (const kind of ['dieBefore', 'dieAfter'] as const) {
    for (let at = 1; ; at += 1) {
      const world = aReactorWorld();
      const id = await prepare(world);
      world.process({ [kind]: at });
      const outcome = await act(world, id).catch((error: unknown) => error);
      if (!(outcome instanceof Death)) break;
      died += 1;
      await sweep(world);
      expect({ kind, at, disorder: world.disorder() }).toEqual({ kind, at, disorder: [] });
      check(world, id);
      // A second sweep finds nothing to do.
      const before = JSON.stringify(world.reactors());
      await sweep(world);
      expect(JSON.stringify(world.reactors())).toBe(before);
    }
  }
  return died;
}

/**
 * Reactors and their functions in memory. The process dies before the nth call of any port
 * (`dieAt(n)`) or after it, so that the call is done and its result lost (`dieAfter(n)`).
 */
export function aReactorWorld(clockOfAll?: Clock) {
  const clock = clockOfAll ?? (() => now);
  const tables = tablesInMemory(clock);
  const reactors = () => reactorsIn(tables);
  const functions = new Map<string, CloudFunction>();
  let calls = 0;
  let dieBefore = Infinity;
  let dieAfterCall = Infinity;
  let now = 1_000_000;
  /** An operator lets tenants ask for so many running instances. */
  const allowed = new Map<string, number>();

  const step: Step = async (act) => {
    calls += 1;
    // A dead process does nothing.
    if (calls >= dieBefore) throw new Death();
    const result = await act();
    if (calls >= dieAfterCall) {
      dieBefore = 0;
      throw new Death();
    }
    return result;
  };

  const deps: ChangeReactorDeps = {
    ...machinePlatform,
    clock,
    vault: aVault(),
    audit: anAudit(),
    clientCompatibility: 'strict',
    reactorPackages: 'allowed',
    applicationStore: createApplicationStore(tables.table('Access')),
    reactorStore: inSteps(createReactorStore(tables.table('Reactors')), step),
    reactorsPerTenant: 100,
    images: { default: 'node16', open: IMAGES },
    presentLayers: LAYERS,
    hotConcurrency: 1,
    hotAllowanceStore: {
      find: () => Promise.resolve({ byTenant: allowed, version: 1 }),
    },
    proxyPins: { of: () => Promise.resolve([]) },
    reactorFunctions: inSteps(reactorFunctions(functions), step),
  };

  /**
   * Instances run the code they have, if its hash is the requested one. The response is that hash.
   */
  const reactorRunner: ReactorRunner = {
    run: ({ reactorId, functionVersion, codeHash }) => {
      const target = functions.get(reactorId);
      const code = target?.versions.get(functionVersion ?? target.live ?? '');
      if (code === undefined) return Promise.resolve({ outcome: 'gone' });
      return Promise.resolve(
        code === codeHash ? { outcome: 'returned', value: new Secret({ raw: code }) } : { outcome: 'stale' },
      );
    },
  };

  return {
    allowed,
    deps,
    reactorRunner,
    tables,
    reactors,
    reactor: (id: string) => reactors().find((each) => each.id === id),
    functions,
    calls: () => calls,
    /** Another process, which may die. */
    process: (fate: { readonly dieBefore?: number; readonly dieAfter?: number } = {}) => {
      calls = 0;
      dieBefore = fate.dieBefore ?? Infinity;
      dieAfterCall = fate.dieAfter ?? Infinity;
    },
    pass: (ms: number) => {
      now += ms;
    },
    /**
     * Lists mismatches of records, packages and functions: no function and no part of a package may
     * exist without a reactor, and `live` must run the recorded version.
     */
    disorder: (): readonly string[] => [
      ...strayParts(tables),
      ...[...functions.keys()]
        .filter((id) => !reactors().some((reactor) => reactor.id === id))
        .map((id) => `function without reactor ${id}`),
      ...reactors().flatMap((reactor) => {
        const target = functions.get(reactor.id);
        if (reactor.state !== 'ready') return [`${reactor.state} reactor`];
        if (reactor.operation !== undefined) return ['an operation without an end'];
        if (target?.live === undefined) return ['reactor without a function'];
        return target.versions.get(target.live) === reactor.codeHash ? [] : ['live runs other code'];
      }),
    ],
  };
}
