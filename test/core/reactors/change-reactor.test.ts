import { patchReactor, updateReactor } from '../../../src/core/reactors/change-reactor.ts';
import { TIDY_AFTER_MS } from '../../../src/core/reactors/change-function.ts';
import { createReactor } from '../../../src/core/reactors/create-reactor.ts';
import { deleteReactor } from '../../../src/core/reactors/delete-reactor.ts';
import { getReactor } from '../../../src/core/reactors/get-reactor.ts';
import type { Reactor, StoredReactor } from '../../../src/core/reactors/reactor.ts';
import { dueOf, repairReactor } from '../../../src/core/reactors/repair-reactor.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { anApplication } from '../../support/builders/an-application.ts';
import { putApplication, putItem } from '../../support/stores-in-memory.ts';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { reactorKey } from '../../../src/adapters/dynamodb/keys.ts';
import {
  aDefinition,
  aManager,
  aReactorWorld,
  Death,
  dyingAnywhere,
  sweep,
  TENANT,
} from './a-reactor-world.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const create = async (world: ReturnType<typeof aReactorWorld>, code = 'one') =>
  (await createReactor(world.deps, aManager, aDefinition(code), randomIdentity(machinePlatform.random)))
    .reactor.id;

/** A reactor with code and configuration, which its manager may read. */
async function wholeReactor({ deps }: ReturnType<typeof aReactorWorld>, id: string): Promise<Reactor> {
  const { reactor } = await getReactor(deps, aManager, id);
  if ('codeDigest' in reactor) throw new Error('a manager sees no code');
  return reactor;
}

describe('a reactor', () => {
  it('exists once its function can run, and not before', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    expect(world.disorder()).toEqual([]);
    const reactor = await wholeReactor(world, id);
    expect(reactor.code.reveal()).toBe('one');
    expect(reactor.configuration.reveal()).toEqual({ url: 'https://example.com' });
  });

  it('waits for running instances when it is made, and not for other code', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    const { heat } = world.reactor(id) ?? {};
    expect(heat?.state).toBe('waiting');
    world.pass(1_000);
    await updateReactor(world.deps, aManager, id, aDefinition('two'));
    await sweep(world);
    expect(world.reactor(id)?.heat).toEqual(heat);
  });

  it('is refused where the tenant has as many as it may have, until one is deleted', async () => {
    const world = aReactorWorld();
    const deps = { ...world.deps, reactorsPerTenant: 2 };
    const make = () =>
      createReactor(deps, aManager, aDefinition('one'), randomIdentity(machinePlatform.random));
    const first = await make();
    await make();
    await expect(make()).rejects.toMatchObject({ code: 'limit_reached' });
    expect([world.reactors().length, world.functions.size]).toEqual([2, 2]);
    await deleteReactor(deps, aManager, first.reactor.id);
    await make();
    await expect(make()).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('does not change its function when its code is the same', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    const before = world.functions.get(id)?.latest;
    await updateReactor(
      world.deps,
      aManager,
      id,
      aDefinition('one', { name: 'Another', configuration: new Secret({}) }),
    );
    expect(world.functions.get(id)?.latest).toBe(before);
    expect((await getReactor(world.deps, aManager, id)).reactor.name).toBe('Another');
  });

  it('a reactor with a missing function is never due, and gets a hot one by a PUT of the same code', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    world.functions.delete(id);
    await sweep(world);
    await sweep(world);
    const record = () => world.reactor(id);
    expect(record() && dueOf(record() as StoredReactor)).toBeUndefined();
    await patchReactor(world.deps, aManager, id, { name: 'Another' });
    expect(world.functions.has(id)).toBe(false);
    await updateReactor(world.deps, aManager, id, aDefinition('one'));
    expect(world.disorder()).toEqual([]);
    expect(record()?.heat?.state).toBe('waiting');
  });

  it('a reactor with a missing function gets one by a PUT, or by the next one if the process dies', async () => {
    for (const kind of ['dieBefore', 'dieAfter'] as const)
      for (let step = 1; ; step += 1) {
        const world = aReactorWorld();
        const id = await create(world);
        world.functions.delete(id);
        world.process({ [kind]: step });
        const outcome = await updateReactor(world.deps, aManager, id, aDefinition('one')).catch(
          (error: unknown) => error,
        );
        await sweep(world);
        await updateReactor(world.deps, aManager, id, aDefinition('one'));
        expect({ kind, step, disorder: world.disorder() }).toEqual({ kind, step, disorder: [] });
        if (!(outcome instanceof Death)) break;
      }
  });

  it('a reactor with a function newer than its record is repaired by a PUT of the same code', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    const restored = world.tables.dynamodb.item('Reactors', reactorKey(TENANT, id)) ?? {};
    await updateReactor(world.deps, aManager, id, aDefinition('two'));
    await sweep(world);
    putItem(world.tables, 'Reactors', restored);
    await updateReactor(world.deps, aManager, id, aDefinition('one'));
    expect(world.disorder()).toEqual([]);
  });

  it('has its old version for runs that have started, and deletes it later', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    await updateReactor(world.deps, aManager, id, aDefinition('two'));
    expect([...(world.functions.get(id)?.versions.keys() ?? [])]).toEqual(['1', '2']);
    await sweep(world);
    expect([...(world.functions.get(id)?.versions.keys() ?? [])]).toEqual(['2']);
    expect(world.disorder()).toEqual([]);
  });

  it('loses no change when two requests change it concurrently', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    await Promise.all([
      patchReactor(world.deps, aManager, id, { configuration: new Secret({ a: '1' }) }),
      patchReactor(world.deps, aManager, id, { configuration: new Secret({ b: '2' }) }),
      patchReactor(world.deps, aManager, id, { code: new Secret('two') }),
      patchReactor(world.deps, aManager, id, { name: 'Renamed' }),
    ]);
    const reactor = await wholeReactor(world, id);
    expect(reactor.configuration.reveal()).toEqual({ url: 'https://example.com', a: '1', b: '2' });
    expect([reactor.code.reveal(), reactor.name]).toEqual(['two', 'Renamed']);
    expect(world.disorder()).toEqual([]);
  });

  it('runs the recorded code after any number of concurrent updates', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    await Promise.all(
      ['two', 'three', 'four'].map((code) => updateReactor(world.deps, aManager, id, aDefinition(code))),
    );
    expect(world.disorder()).toEqual([]);
    await sweep(world);
    expect(world.functions.get(id)?.versions.size).toBe(1);
  });

  it('is immediately missing when it is deleted, with its function', async () => {
    const world = aReactorWorld();
    const id = await create(world);
    await deleteReactor(world.deps, aManager, id);
    expect([world.reactors().length, world.functions.size]).toEqual([0, 0]);
    await expect(getReactor(world.deps, aManager, id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a process that dies at any step', () => {
  it('a process that dies at any step of a creation leaves nothing behind, or the whole reactor', async () => {
    const died = await dyingAnywhere(
      () => Promise.resolve(''),
      (world) => create(world),
      (world) => {
        expect(world.functions.size).toBe(world.reactors().length);
      },
    );
    expect(died).toBeGreaterThanOrEqual(6);
  });

  it('a process that dies at any step of an update leaves the old reactor or the new one', async () => {
    const died = await dyingAnywhere(
      create,
      (world, id) => updateReactor(world.deps, aManager, id, aDefinition('two')),
      (world, id) => {
        expect(world.reactor(id)).toBeDefined();
        expect(world.functions.get(id)?.versions.size).toBe(1);
      },
    );
    expect(died).toBeGreaterThanOrEqual(10);
  });

  it('a process that dies at any step of a deletion leaves the reactor or nothing', async () => {
    const died = await dyingAnywhere(
      create,
      (world, id) => deleteReactor(world.deps, aManager, id),
      (world) => {
        expect(world.functions.size).toBe(world.reactors().length);
      },
    );
    expect(died).toBeGreaterThanOrEqual(8);
  });

  it('a process that dies at any step of a repair leaves the rest to the next repair', async () => {
    await dyingAnywhere(
      async (world) => {
        const id = await create(world);
        await updateReactor(world.deps, aManager, id, aDefinition('two'));
        world.pass(TIDY_AFTER_MS);
        return id;
      },
      (world, id) => repairReactor(world.deps, TENANT, id),
      (world, id) => {
        expect(world.functions.get(id)?.versions.size).toBe(1);
      },
    );
  });
});

describe('the application of a reactor', () => {
  it('must be one of the tenant, and public or private', async () => {
    const world = aReactorWorld();
    const manager = anApplication({ tenantId: TENANT, type: 'management' });
    const expired = anApplication({ tenantId: TENANT, expiresAtMs: 1 });
    for (const each of [manager, expired]) putApplication(world.tables, each);
    for (const applicationId of ['missing', manager.id, expired.id])
      await expect(
        createReactor(
          world.deps,
          aManager,
          aDefinition('one', { applicationId }),
          randomIdentity(machinePlatform.random),
        ),
      ).rejects.toMatchObject({
        code: 'validation_failed',
        errors: { 'application.id': [expect.any(String)] },
      });
    expect(world.reactors().length).toBe(0);
  });

  it('is unchanged by a patch without it, and removed by null and by PUT', async () => {
    const world = aReactorWorld();
    const application = anApplication({ tenantId: TENANT });
    putApplication(world.tables, application);
    const { reactor } = await createReactor(
      world.deps,
      aManager,
      aDefinition('one', { applicationId: application.id }),
      randomIdentity(machinePlatform.random),
    );
    const current = async () => (await getReactor(world.deps, aManager, reactor.id)).application?.id;
    await patchReactor(world.deps, aManager, reactor.id, { name: 'Renamed' });
    expect(await current()).toBe(application.id);
    await patchReactor(world.deps, aManager, reactor.id, { applicationId: null });
    expect(await current()).toBeUndefined();
    await patchReactor(world.deps, aManager, reactor.id, { applicationId: application.id });
    expect(await current()).toBe(application.id);
    await updateReactor(world.deps, aManager, reactor.id, aDefinition('one'));
    expect(await current()).toBeUndefined();
  });

  it('is absent after it was deleted', async () => {
    const world = aReactorWorld();
    const application = anApplication({ tenantId: TENANT });
    putApplication(world.tables, application);
    const { reactor } = await createReactor(
      world.deps,
      aManager,
      aDefinition('one', { applicationId: application.id }),
      randomIdentity(machinePlatform.random),
    );
    await createApplicationStore(world.tables.table('Access')).delete(application);
    expect(await getReactor(world.deps, aManager, reactor.id)).not.toHaveProperty('application');
  });
});

describe('code with a syntax error', () => {
  const BROKEN = 'let a; let a';
  const warnings = [expect.stringMatching(/^code has a syntax error at line 1, column 12: /)];

  it('is rejected, and nothing is stored', async () => {
    const world = aReactorWorld();
    await expect(create(world, BROKEN)).rejects.toMatchObject({ code: 'validation_failed' });
    expect([world.reactors().length, world.functions.size]).toEqual([0, 0]);
  });

  it('is stored under lenient, and every write that names it returns a warning', async () => {
    const world = aReactorWorld();
    const deps = { ...world.deps, clientCompatibility: 'lenient' as const };
    const made = await createReactor(
      deps,
      aManager,
      aDefinition(BROKEN),
      randomIdentity(machinePlatform.random),
    );
    expect([made.warnings, made.reactor.code.reveal()]).toEqual([warnings, BROKEN]);
    const { id } = made.reactor;
    const update = async (code: string) =>
      (await updateReactor(deps, aManager, id, aDefinition(code))).warnings;
    expect([await update(BROKEN), await update('one'), await update(BROKEN)]).toEqual([
      warnings,
      [],
      warnings,
    ]);
    // A patch of something else is no write of the code.
    await patchReactor(deps, aManager, id, { name: 'other' });
    expect(world.disorder()).toEqual([]);
  });
});
