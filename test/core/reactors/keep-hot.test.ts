import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { waiting } from '../../../src/core/reactors/change-function.ts';
import type { StoredReactor } from '../../../src/core/reactors/reactor.ts';
import { aHeatWorld, DAY_MS, HOUR_MS, MINUTE_MS } from './a-heat-world.ts';

type World = ReturnType<typeof aHeatWorld>;

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

  it('are as many as the owner of a reactor asks for, and count so in the budget', async () => {
    const world = aHeatWorld({ hotInstances: 8, hotConcurrency: 2 });
    await world.allow(A, 5);
    const large = await world.create(A, 4);
    const none = await world.create(A, 0);
    const one = await world.create(B, 1);
    const usual = await world.create(B);
    const late = await world.create(B);
    await world.minutes(1);
    // One is left, which is too little for the last one. Lambda is asked for few before many.
    expect([...world.running]).toEqual([
      [one, 1],
      [usual, 2],
      [large, 4],
    ]);
    await world.call(none);
    expect(world.find(none)?.heat).toBeUndefined();
    await world.want(usual, 0);
    await world.want(one, 2);
    world.pass(HOUR_MS);
    await world.minutes(3);
    expect([...world.running].toSorted()).toEqual(
      [
        [one, 2],
        [large, 4],
        [late, 2],
      ].toSorted(),
    );
    expect(world.find(usual)?.heat).toBeUndefined();
    await world.want(usual, undefined);
    expect(world.find(usual)?.heat?.state).toBe('waiting');
  });

  it('are refused to the reactor that asks for too many, and to no other', async () => {
    const world = aHeatWorld({ hotInstances: 50 });
    await world.allow(A, 10);
    world.quota(5);
    const large = await world.create(A, 10);
    const others = [await world.create(B), await world.create(B)];
    await world.minutes(3);
    expect([...world.running].toSorted()).toEqual([[large, 1], ...others.map((id) => [id, 1])].toSorted());
    world.quota(50);
    world.pass(HOUR_MS);
    await world.minutes(2);
    expect(world.running.get(large)).toBe(10);
  });

  it('are more than usual only as long as an operator allows it to the tenant', async () => {
    const world = aHeatWorld();
    const ofA = await world.create(A, 3);
    const ofB = await world.create(B, 3);
    await world.allow(A, 2);
    await world.minutes(1);
    expect([world.running.get(ofA), world.running.get(ofB)]).toEqual([2, 1]);
    await world.allow(A, 3);
    await world.minutes(60);
    expect([world.running.get(ofA), world.running.get(ofB)]).toEqual([3, 1]);
    await world.allow(A, 0);
    await world.minutes(1);
    expect([world.running.get(ofA), world.find(ofA)?.heat?.state]).toEqual([1, 'hot']);
    const calls = world.controlCalls();
    await world.minutes(120);
    expect(world.controlCalls()).toBe(calls);
  });

  it('are for allowed tenants alone where a reactor has none by the setting', async () => {
    const world = aHeatWorld({ hotInstances: 8, hotConcurrency: 0 });
    const cold = await world.create(B, 1);
    const usual = await world.create(A);
    const wanting = await world.create(A, 2);
    await world.minutes(61);
    expect([world.instances(), world.find(usual)?.heat?.state]).toEqual([0, 'waiting']);
    await world.allow(A, 2);
    await world.minutes(2);
    expect([...world.running]).toEqual([[wanting, 2]]);
    expect([cold, usual].map((id) => world.find(id)?.heat)).toEqual([undefined, undefined]);
  });

  it('stay one of a reactor that asks for more while others wait and its tenant has its share', async () => {
    const world = aHeatWorld({ hotInstances: 8 });
    await world.allow(A, 8);
    const [first = '', ...others] = await many(2, () => world.create(A));
    for (const tenant of TENANTS.slice(1)) await many(2, () => world.create(tenant));
    await world.minutes(2);
    await world.want(first, 3);
    for (const id of others) await world.delete(id);
    await world.minutes(61);
    expect(world.running.get(first)).toBe(1);
    for (const { id } of world.reactors()) if (!world.running.has(id)) await world.delete(id);
    for (const id of [...world.running.keys()].slice(-3)) await world.delete(id);
    await world.minutes(61);
    expect(world.running.get(first)).toBe(3);
  });

  it('never exceed the budget, and settle, whatever happens', async () => {
    const warm = fc.option(fc.nat(4), { nil: undefined });
    const happening = fc.oneof(
      fc.record({
        do: fc.constant('create' as const),
        tenant: fc.nat(5),
        count: fc.integer({ min: 1, max: 6 }),
        warm,
      }),
      fc.record({ do: fc.constantFrom('call' as const, 'delete' as const), reactor: fc.nat() }),
      fc.record({ do: fc.constant('want' as const), reactor: fc.nat(), warm }),
      fc.record({ do: fc.constant('allow' as const), tenant: fc.nat(5), instances: fc.nat(4) }),
      fc.record({
        do: fc.constant('pass' as const),
        ms: fc.constantFrom(MINUTE_MS, HOUR_MS, DAY_MS, 8 * DAY_MS),
      }),
      fc.record({ do: fc.constant('run' as const), before: fc.option(fc.nat(20), { nil: undefined }) }),
      fc.record({ do: fc.constantFrom('die' as const, 'twice' as const), after: fc.nat(20) }),
      fc.record({ do: fc.constant('quota' as const), instances: fc.nat(12) }),
      fc.record({ do: fc.constant('budget' as const), hotInstances: fc.nat(12), hotConcurrency: fc.nat(2) }),
    );
    type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

    async function happen(world: World, each: Happening): Promise<void> {
      const { id = '' } = world.reactors()['reactor' in each ? each.reactor % 8 : 0] ?? {};
      const tenant = TENANTS['tenant' in each ? each.tenant : 0] ?? A;
      if (each.do === 'create') await many(each.count, () => world.create(tenant, each.warm));
      if (each.do === 'call') await world.call(id);
      if (each.do === 'delete') await world.delete(id);
      if (each.do === 'want') await world.want(id, each.warm);
      if (each.do === 'allow') await world.allow(tenant, each.instances);
      if (each.do === 'pass') world.pass(each.ms);
      if (each.do === 'quota') world.quota(each.instances);
      if (each.do === 'run') await world.run({ ...(each.before !== undefined && { before: each.before }) });
      if (each.do === 'twice') await Promise.all([world.run(), world.run()]);
      if (each.do === 'die') await world.run({ after: each.after });
    }

    function expectSettled(world: World): void {
      const { hotInstances, hotConcurrency } = world.budget;
      const wanted = ({ tenantId, warmConcurrency = hotConcurrency }: StoredReactor) =>
        Math.min(warmConcurrency, Math.max(hotConcurrency, world.allowed.get(tenantId) ?? 0));
      const free = hotInstances - world.instances();
      const share = Math.max(1, hotConcurrency, Math.floor(hotInstances / 4));
      const counts = world.perTenant();
      let waitsBelow = false;
      for (const reactor of world.reactors()) {
        const running = world.running.get(reactor.id) ?? 0;
        const most = wanted(reactor);
        expect(running).toBeLessThanOrEqual(most);
        if (running > 0) expect(reactor.heat?.state).toBe('hot');
        if (running > 0 || most === 0) continue;
        expect([reactor.heat?.state, free < most]).toEqual(['waiting', true]);
        waitsBelow ||= (counts[reactor.tenantId] ?? 0) + most <= share;
      }
      if (waitsBelow) expect(Object.values(counts).every((count) => count <= share)).toBe(true);
    }

    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 25 }), async (story) => {
        const world = aHeatWorld({ hotInstances: 8 });
        let most = 8;
        for (const each of story) {
          if (each.do === 'budget') {
            const { do: _, ...budget } = each;
            Object.assign(world.budget, budget);
            // Instances of a larger budget end with the next runs.
            most = Math.max(world.instances(), budget.hotInstances);
          }
          await happen(world, each);
          expect(world.instances()).toBeLessThanOrEqual(most);
        }
        world.quota(Infinity);
        world.pass(DAY_MS);
        for (const { id } of world.reactors()) await world.call(id);
        await world.minutes(150);
        expectSettled(world);
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
