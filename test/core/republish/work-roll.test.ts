import { randomUUID } from 'node:crypto';
import { waveEnds } from '../../../src/core/republish/roll.ts';
import { unavailable } from '../../../src/adapters/aws/dependency-error.ts';
import { OPERATION_MS, whileNotMoved } from '../../../src/core/reactors/change-function.ts';
import type { StoredReactor } from '../../../src/core/reactors/reactor.ts';
import { moveReactor } from '../../../src/core/republish/move-reactor.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { aRollWorld, Death } from './a-roll-world.ts';

type World = ReturnType<typeof aRollWorld>;

/** Adds reactors, and returns their ids. */
async function some(world: World, count: number, tenantId?: string): Promise<string[]> {
  const ids = [];
  for (let at = 0; at < count; at += 1)
    ids.push((await world.add(tenantId === undefined ? {} : { tenantId })).id);
  return ids;
}

const generations = (world: World) =>
  world.reactors().map(({ id, layer }) => [layer?.generation, world.runs(id)]);

describe('a roll', () => {
  it('moves every reactor to the layer of the deployment, first one, then more, ten at once at most', async () => {
    const world = aRollWorld();
    await some(world, 45);
    expect(await world.start()).toMatchObject({ state: 'running', total: 45, target: { generation: 2 } });
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 45, stayed: 0 });
    expect(new Set(generations(world).map(String))).toEqual(new Set(['2,2']));
    expect(world.groups).toEqual([1, 1, 5, 10, 10, 10, 8]);
    expect(world.reactors().every(({ operation }) => operation === undefined)).toBe(true);
  });

  it.each([
    [1, [1, 2, 3]],
    [300, [1, 4, 34]],
    [50_000, [1, 501, 5_501]],
  ])('has four waves of %i reactors: one, a percent, a tenth, all', (total, ends) => {
    expect(waveEnds(total)).toEqual([...ends, Infinity]);
  });

  it('changes no reactor if the function of the service itself does not load', async () => {
    const world = aRollWorld();
    world.broken.set('own', [2]);
    await some(world, 3);
    await world.start();
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'stopped', stoppedBy: 'own_function', moved: 0 });
    expect(generations(world)).toEqual([1, 2, 3].map(() => [1, 1]));
  });

  it('leaves out reactors that loaded before and do not after, and no single tenant stops it', async () => {
    const world = aRollWorld();
    const hostile = randomUUID();
    const bad = await some(world, 20, hostile);
    for (const id of bad) world.broken.set(id, [2]);
    const good = await some(world, 20);
    await world.start();
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 20, stayed: 20 });
    expect(good.map((id) => world.runs(id))).toEqual(good.map(() => 2));
    expect(bad.map((id) => world.runs(id))).toEqual(bad.map(() => 1));
    const { id: roll } = (await world.roll()) ?? {};
    for (const reactor of world.reactors().filter(({ id }) => bad.includes(id))) {
      expect(reactor).toMatchObject({ functionVersion: '1', stayed: { roll, reason: 'not_loaded' } });
      // The sweep removes the version that was published for nothing.
      expect(reactor.tidyAt).toBeLessThanOrEqual(world.now());
    }
  });

  it('moves a reactor that did not load before either, since the layer may be what it needs', async () => {
    const world = aRollWorld();
    const [id = ''] = await some(world, 1);
    world.broken.set(id, [1, 2]);
    await world.start();
    await world.work();
    expect([world.runs(id), (await world.roll())?.moved]).toEqual([2, 1]);
  });

  it('stops after failures in three tenants, and a new one begins again', async () => {
    const world = aRollWorld();
    const ids = await some(world, 30);
    for (const id of ids) world.broken.set(id, [2]);
    await world.start();
    await world.work();
    const stopped = await world.roll();
    expect(stopped).toMatchObject({ state: 'stopped', stoppedBy: 'failures', moved: 0 });
    expect(stopped?.failedTenants.length).toBeLessThan(15);
    world.broken.clear();
    await world.start();
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 30 });
    expect(world.reactors().flatMap(({ stayed }) => stayed ?? [])).toEqual([]);
  });

  it('stops when another deployment has another layer, unless the operator named its own', async () => {
    const world = aRollWorld();
    await some(world, 2);
    await world.start();
    world.deploy(3);
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'stopped', stoppedBy: 'deployment' });
    await world.start({ generation: 2 });
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 2 });
    await expect(world.start({ generation: 9 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('moves back to a generation before, and then forward again', async () => {
    const world = aRollWorld();
    await some(world, 4);
    for (const wanted of [{}, { generation: 1 }, {}]) {
      await world.start(wanted);
      await world.work();
      const target = wanted.generation ?? 2;
      expect(new Set(generations(world).map(String))).toEqual(new Set([`${target},${target}`]));
    }
  });

  it('moves the reactors of one tenant alone', async () => {
    const world = aRollWorld();
    const tenantId = randomUUID();
    const mine = await some(world, 3, tenantId);
    const others = await some(world, 3);
    expect((await world.start({ tenantId })).total).toBe(3);
    await world.work();
    expect([...mine, ...others].map((id) => world.runs(id))).toEqual([2, 2, 2, 1, 1, 1]);
  });

  it('tries a busy reactor again, until its writer must have ended', async () => {
    const world = aRollWorld();
    await world.add({ operation: { id: 'o', until: world.now() + OPERATION_MS - 1 } });
    await world.start();
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 1, stayed: 0, pass: 3 });
  });

  it('lets the owner of a reactor wait, with 503 and never 409', async () => {
    const reactor = await aRollWorld().add();
    const find = (operation: StoredReactor['operation']) => () =>
      Promise.resolve({ ...reactor, ...(operation && { operation }) });
    const change = () => Promise.reject(new ServiceError('conflict', 'busy'));
    const codeOf = async (operation: StoredReactor['operation']) =>
      whileNotMoved({ reactorStore: { find: find(operation) } }, reactor, change).catch(
        (error: unknown) => error instanceof ServiceError && error.code,
      );
    expect(await codeOf({ id: 'o', until: 1, by: 'roll' })).toBe('dependency_unavailable');
    expect(await codeOf({ id: 'o', until: 1 })).toBe('conflict');
    expect(await codeOf(undefined)).toBe('conflict');
  });

  it('is not stopped by Lambda that is down for three tenants, and counts what it left', async () => {
    const world = aRollWorld();
    const ids = await some(world, 4);
    for (const id of ids) world.refused.set(id, unavailable(new Error('down')));
    await world.start();
    await world.work();
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 0, stayed: 4, failedTenants: [] });
  });

  it('is replaced by another one at its next step', async () => {
    const world = aRollWorld();
    await some(world, 3);
    await world.start();
    const second = await world.start({ generation: 3 });
    expect(second.version).toBeGreaterThan(1);
    await world.work();
    expect(new Set(generations(world).map(String))).toEqual(new Set(['3,3']));
  });

  it('goes on after a worker that died at any call, and ends in the same state', async () => {
    const once = aRollWorld();
    await some(once, 3);
    await once.start();
    once.dieBefore(Infinity);
    await once.work();
    const calls = once.calls();
    for (let nth = 1; nth <= calls; nth += 1) {
      const world = aRollWorld();
      await some(world, 3);
      await world.start();
      world.dieBefore(nth);
      // A reactor fails by itself, and the others go on: the process is dead only with its roll.
      await world.work().catch((error: unknown) => {
        if (!(error instanceof Death)) throw error;
      });
      world.dieBefore(Infinity);
      world.pass(OPERATION_MS);
      await world.start();
      await world.work();
      expect([nth, ...generations(world).map(String)]).toEqual([nth, '2,2', '2,2', '2,2']);
    }
  });

  it('goes on by the event of a command, which waits until the time of a dead worker has ended', async () => {
    const world = aRollWorld();
    await some(world, 2);
    await world.start();
    world.dieBefore(6);
    await world.work().catch(() => undefined);
    world.dieBefore(Infinity);
    const { until = 0 } = (await world.roll())?.runner ?? {};
    expect(until).toBeGreaterThan(world.now());
    await world.work();
    expect(world.now()).toBeGreaterThanOrEqual(until);
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 2 });
  });

  it('runs in one worker at a time', async () => {
    const world = aRollWorld();
    await some(world, 30);
    await world.start();
    await Promise.all([world.work(), world.work(), world.work()]);
    expect(await world.roll()).toMatchObject({ state: 'ended', moved: 30 });
    expect(Math.max(...world.groups)).toBe(10);
  });
});

describe('rolls of two images', () => {
  /** Adds reactors with an outdated layer of each image, all of one tenant. */
  async function ofBoth(world: World, count: number) {
    const tenantId = randomUUID();
    const ofNode16 = await some(world, count, tenantId);
    const ofNode24: string[] = [];
    for (let at = 0; at < count; at += 1) ofNode24.push((await world.add({ tenantId }, 1, 'node24')).id);
    return { tenantId, ofNode16, ofNode24 };
  }

  it('go on where a command that names no image asks for other ones', async () => {
    const world = aRollWorld();
    const { ofNode16 } = await ofBoth(world, 3);
    const running = await world.start({ generation: 1 });
    const found = await world.startAll(randomUUID());
    expect(found.map(({ id }) => id)).toEqual([running.id]);
    expect(await world.roll('node16')).toEqual(running);
    expect(ofNode16.map(world.runs)).toEqual([1, 1, 1]);
  });

  it('move each reactor to the layer of its image, one roll after the other', async () => {
    const world = aRollWorld();
    const { ofNode16, ofNode24 } = await ofBoth(world, 30);
    world.deploy(3, 'node24');
    expect((await world.startAll()).map(({ target, total }) => [target.image, total])).toEqual([
      ['node16', 30],
      ['node24', 30],
    ]);
    await Promise.all(world.events.map((image) => world.work(image)));
    expect(await world.roll('node16')).toMatchObject({ state: 'ended', moved: 30, stayed: 0 });
    expect(await world.roll('node24')).toMatchObject({ state: 'ended', moved: 30, stayed: 0 });
    expect(world.published.toSorted()).toEqual(
      [
        ...ofNode16.map((id) => [id, 'node16'] as const),
        ...ofNode24.map((id) => [id, 'node24'] as const),
      ].toSorted(),
    );
    expect([ofNode16, ofNode24].map((ids) => [...new Set(ids.map(world.runs))])).toEqual([[2], [3]]);
    // There are never more at once than in one roll.
    expect([world.proven, Math.max(...world.groups)]).toEqual([['node16', 'node24'], 10]);
    expect(await world.startAll()).toEqual([]);
  });

  it.each(['node16', 'node24'] as const)('leave the other image alone if only %s moves', async (image) => {
    const world = aRollWorld();
    const { tenantId, ofNode16, ofNode24 } = await ofBoth(world, 3);
    for (const wanted of [{ image }, { image, tenantId, generation: 1 }, { image, tenantId }]) {
      await world.start(wanted);
      await world.work(image);
    }
    expect(new Set(world.published.map(([, moved]) => moved))).toEqual(new Set([image]));
    const own = image === 'node16' ? ofNode16 : ofNode24;
    expect([...ofNode16, ...ofNode24].filter((id) => world.runs(id) === 2)).toEqual(own);
  });

  it('do not move a reactor that its owner takes to another image meanwhile', async () => {
    const world = aRollWorld();
    const reactor = await world.add();
    const roll = await world.start();
    const layer = { image: 'node24' as const, generation: 1, hash: 'a'.repeat(64) };
    await world.update({ ...reactor, layer, version: reactor.version + 1 });
    expect(await moveReactor(world.deps(), roll, reactor)).toBe('done');
    expect(world.published).toEqual([]);
  });
});
