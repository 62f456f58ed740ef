import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { waiting } from '../../../src/core/reactors/change-function.ts';
import { aHeatWorld, DAY_MS, HOUR_MS, MINUTE_MS } from './a-heat-world.ts';

const TENANTS = ['a', 'b', 'c', 'd', 'e', 'f'].map(
  (letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`,
);
const [A = '', B = ''] = TENANTS;

const many = async (count: number, make: () => Promise<string>): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await make());
  return ids;
};

describe('running instances', () => {
  it('are for the reactors that have waited longest, as many as the budget pays for', async () => {
    const world = aHeatWorld({ hotInstances: 7, hotConcurrency: 2 });
    const ids = await many(5, () => world.create(A));
    await world.minutes(2);
    expect([...world.running]).toEqual(ids.slice(0, 3).map((id) => [id, 2]));
    await world.delete(ids[1] ?? '');
    await world.minutes(61);
    expect([...world.running.keys()].toSorted()).toEqual([ids[0], ids[2], ids[3]].toSorted());
    expect(await world.coldCount()).toBe(0);
  });

  it('are lost by a reactor that was not called for 7 days, until its next call', async () => {
    const world = aHeatWorld({ hotInstances: 1 });
    const [used = '', other = ''] = await many(2, () => world.create(A));
    await world.minutes(1);
    expect([...world.running.keys()]).toEqual([used]);
    await world.call(used);
    world.pass(7 * DAY_MS + 23 * HOUR_MS);
    await world.call(other);
    await world.minutes(1);
    expect([...world.running.keys()]).toEqual([used]);
    world.pass(HOUR_MS);
    await world.minutes(1);
    expect([[...world.running.keys()], world.find(used)?.heat]).toEqual([[other], undefined]);
    await world.call(used);
    expect(world.find(used)?.heat?.state).toBe('waiting');
    await world.delete(other);
    await world.minutes(61);
    expect([...world.running.keys()]).toEqual([used]);
  });

  it('are never for a reactor that waited unused for 7 days', async () => {
    const world = aHeatWorld({ hotInstances: 1 });
    const [first = '', second = ''] = await many(2, () => world.create(A));
    await world.minutes(1);
    world.pass(8 * DAY_MS);
    await world.call(first);
    await world.delete(first);
    const young = await world.create(A);
    await world.minutes(2);
    expect([[...world.running.keys()], world.find(second)?.heat]).toEqual([[young], undefined]);
  });

  it('go to one tenant as long as no other waits, and a quarter of them stays with it then', async () => {
    const world = aHeatWorld({ hotInstances: 8 });
    const first = await many(10, () => world.create(A));
    await world.minutes(1);
    expect(world.perTenant()).toEqual({ [A]: 8 });
    await many(3, () => world.create(B));
    await world.minutes(62);
    // Only two of B have a share, and the third waits beside those of A.
    expect(world.perTenant()).toEqual({ [A]: 6, [B]: 2 });
    expect([...world.running.keys()].slice(0, 6)).toEqual(first.slice(0, 6));
    for (const tenant of TENANTS.slice(2)) await many(2, () => world.create(tenant));
    await world.minutes(62);
    expect(Object.values(world.perTenant())).toEqual([2, 2, 2, 2]);
  });

  it('cost eight calls of Lambda in a day for 300 reactors that the quota leaves cold', async () => {
    const world = aHeatWorld();
    for (const tenant of TENANTS) await many(50, () => world.create(tenant));
    world.quota(0);
    await world.minutes(24 * 60);
    // The pauses are 10, 20, 40 ... 1,280 minutes.
    expect(world.controlCalls()).toBe(8);
    expect([world.instances(), await world.coldCount()]).toEqual([0, 100]);
    world.quota(1_000);
    await world.minutes(24 * 60 + 10);
    expect([world.instances(), await world.coldCount()]).toEqual([100, 0]);
  });

  it('stay with a tenant that has many while places are free for others', async () => {
    const world = aHeatWorld({ hotInstances: 8 });
    await many(5, () => world.create(A));
    await world.minutes(1);
    world.pass(HOUR_MS);
    await world.create(B);
    await world.minutes(1);
    expect([world.perTenant(), world.controlCalls()]).toEqual([{ [A]: 5, [B]: 1 }, 6]);
  });

  it('are requested at once with another budget, whatever was refused', async () => {
    const world = aHeatWorld({ hotInstances: 2 });
    await many(3, () => world.create(A));
    world.quota(0);
    await world.minutes(600);
    world.quota(100);
    Object.assign(world.budget, { hotInstances: 3 });
    await world.minutes(1);
    expect(world.instances()).toBe(3);
  });

  it('are no more if two runs happen at once', async () => {
    const world = aHeatWorld({ hotInstances: 2 });
    await many(3, () => world.create(A));
    await Promise.all([world.run(), world.run()]);
    await world.minutes(1);
    expect(world.instances()).toBe(2);
    await many(3, () => world.create(B));
    world.pass(HOUR_MS);
    await Promise.all([world.run(), world.run(), world.run()]);
    await world.minutes(2);
    expect(world.perTenant()).toEqual({ [A]: 1, [B]: 1 });
  });

  it('begin again for a function that was made again', async () => {
    const world = aHeatWorld();
    const id = await world.create(A);
    await world.minutes(1);
    world.running.delete(id);
    await world.change(id, (reactor) => waiting(reactor, world.now()));
    await world.minutes(61);
    expect([world.running.has(id), world.find(id)?.heat?.state]).toEqual([true, 'hot']);
  });

  it('leave a reactor alone that its owner changes', async () => {
    const world = aHeatWorld();
    const id = await world.create(A);
    world.throttle(true);
    await world.minutes(1);
    const operation = { id: 'x', until: world.now() + 2 * MINUTE_MS };
    await world.change(id, (reactor) => ({ ...reactor, operation }));
    world.throttle(false);
    const before = world.find(id);
    await world.minutes(1);
    expect(world.find(id)).toEqual(before);
    await world.minutes(2);
    expect(world.find(id)?.heat?.state).toBe('hot');
  });

  it.each([
    ['a function that is always being changed', 'skipped' as const],
    ['a function that fails', new Error('unexpected')],
  ])('reach the others despite %s', async (_, answer) => {
    const world = aHeatWorld({ hotInstances: 8 });
    const [bad = '', ...others] = await many(5, () => world.create(A));
    world.answers.set(bad, answer);
    await world.minutes(3);
    expect([...world.running.keys()]).toEqual(others);
    world.answers.clear();
    await world.minutes(1);
    expect(world.running.has(bad)).toBe(true);
  });

  it.each([
    ['that cannot be read', { heat: 'x' }],
    ['that belong to no reactor', { state: 'creating' }],
  ])('reach the others despite entries of the queue %s', async (_, forged) => {
    const world = aHeatWorld({ hotInstances: 8 });
    for (const id of await many(40, () => world.create(B))) world.forge(id, forged);
    const good = await world.create(A);
    await world.minutes(2);
    expect([...world.running.keys()]).toEqual([good]);
  });

  it('wait while the control plane has no time', async () => {
    const world = aHeatWorld();
    await many(2, () => world.create(A));
    world.throttle(true);
    await world.minutes(3);
    expect([world.controlCalls(), world.instances()]).toEqual([3, 0]);
    world.throttle(false);
    await world.minutes(1);
    expect(world.instances()).toBe(2);
  });

  it.each([
    [{ hotConcurrency: 0 }, 0],
    [{ hotInstances: 0 }, 0],
    [{ hotInstances: 3 }, 3],
    [{ hotConcurrency: 2 }, 10],
  ])('follow the settings %j', async (settings, instances) => {
    const world = aHeatWorld({ hotInstances: 10 });
    await many(12, () => world.create(A));
    await world.minutes(1);
    expect(world.instances()).toBe(10);
    Object.assign(world.budget, settings);
    await world.minutes(3);
    expect(world.instances()).toBe(instances);
  });

  it('never exceed the budget, and settle, whatever happens', async () => {
    const happening = fc.oneof(
      fc.record({
        do: fc.constant('create' as const),
        tenant: fc.nat(5),
        count: fc.integer({ min: 1, max: 6 }),
      }),
      fc.record({ do: fc.constantFrom('call' as const, 'delete' as const), reactor: fc.nat() }),
      fc.record({
        do: fc.constant('pass' as const),
        ms: fc.constantFrom(MINUTE_MS, HOUR_MS, DAY_MS, 8 * DAY_MS),
      }),
      fc.record({ do: fc.constant('run' as const), before: fc.option(fc.nat(20), { nil: undefined }) }),
      fc.record({ do: fc.constantFrom('die' as const, 'twice' as const), after: fc.nat(20) }),
      fc.record({ do: fc.constant('quota' as const), instances: fc.nat(12) }),
      fc.record({ do: fc.constant('budget' as const), hotInstances: fc.nat(12), hotConcurrency: fc.nat(2) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 25 }), async (story) => {
        const world = aHeatWorld({ hotInstances: 8 });
        let most = 8;
        for (const each of story) {
          const { id = '' } = world.reactors()['reactor' in each ? each.reactor % 8 : 0] ?? {};
          if (each.do === 'create') await many(each.count, () => world.create(TENANTS[each.tenant] ?? A));
          if (each.do === 'call') await world.call(id);
          if (each.do === 'delete') await world.delete(id);
          if (each.do === 'pass') world.pass(each.ms);
          if (each.do === 'quota') world.quota(each.instances);
          if (each.do === 'budget') {
            const { do: _, ...budget } = each;
            Object.assign(world.budget, budget);
            // Instances of a larger budget end with the next runs.
            most = Math.max(world.instances(), budget.hotInstances);
          }
          if (each.do === 'run')
            await world.run({ ...(each.before !== undefined && { before: each.before }) });
          if (each.do === 'twice') await Promise.all([world.run(), world.run()]);
          if (each.do === 'die') await world.run({ after: each.after });
          expect(world.instances()).toBeLessThanOrEqual(most);
        }
        world.quota(Infinity);
        world.pass(DAY_MS);
        for (const { id } of world.reactors()) await world.call(id);
        await world.minutes(150);
        const { hotInstances, hotConcurrency } = world.budget;
        const capacity = hotConcurrency === 0 ? 0 : Math.floor(hotInstances / hotConcurrency);
        const reactors = world.reactors();
        expect(world.running.size).toBe(Math.min(capacity, reactors.length));
        expect([...world.running.values()].every((count) => count === hotConcurrency)).toBe(true);
        for (const { id, heat } of reactors)
          expect(heat?.state).toBe(world.running.has(id) ? 'hot' : 'waiting');
        const share = Math.max(1, Math.floor(capacity / 4));
        const counts = world.perTenant();
        const waitsBelow = reactors.some(
          ({ id, tenantId }) => !world.running.has(id) && (counts[tenantId] ?? 0) < share,
        );
        if (waitsBelow) expect(Object.values(counts).every((count) => count <= share)).toBe(true);
      }),
      { numRuns: cases(60) },
    );
  });
});

describe('the note of a call', () => {
  it('is the last day, and leaves what is due where the sweep finds it', async () => {
    const world = aHeatWorld();
    const id = await world.create(A);
    await world.change(id, ({ heat: _, ...reactor }) => ({ ...reactor, tidyAt: world.now() }));
    const stale = world.find(id);
    if (stale === undefined) throw new Error('unreachable');
    await world.note(stale, '2026-01-06');
    await world.note(world.find(id) ?? stale, '2026-01-05');
    expect(world.find(id)?.calledOn).toBe('2026-01-06');
    expect(await world.due()).toEqual([id]);
  });
});
