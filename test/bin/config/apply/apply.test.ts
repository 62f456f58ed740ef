import { applyPlan, type Applied } from '../../../../bin/config/apply/apply-plan.ts';
import { prepareApply } from '../../../../bin/config/apply/prepare-apply.ts';
import { leaseProblem, LeaseLost } from '../../../../bin/config/apply/lease.ts';
import { UsageError } from '../../../../bin/command-line/failures.ts';
import type { KeyTargets, NewKey } from '../../../../bin/config/keys/key-targets.ts';
import type { Desired, DesiredKey, DesiredValue, KeyTarget, Plan } from '../../../../bin/config/model.ts';
import { hasDifferences } from '../../../../bin/config/plan/outcome.ts';
import { planOf } from '../../../../bin/config/plan/plan-of.ts';
import { readLive } from '../../../../bin/config/read-live.ts';
import { CallFailed } from '../../../../bin/config/service.ts';
import { cases, fc } from '../../../../packages/test-kit/src/properties.ts';
import { AConfigService, type Around } from '../../../support/fakes/a-config-service.ts';

const SECRET = 'sk_live_0123456789abcdef';

const value = (text: string): DesiredValue => ({
  source: { kind: 'literal', text },
  public: true,
  label: `sha256:${text}`,
  labelUnknown: false,
});
const fromEnv: DesiredValue = { source: { kind: 'env', name: 'SECRET' }, public: false, labelUnknown: false };
const key = (name: string, target: string): DesiredKey => ({
  name,
  source_addresses: [],
  to: { kind: 'aws-secret', name: target },
});

interface Choice {
  readonly applications: readonly boolean[];
  readonly keys: number;
  readonly hasProxy: boolean;
  readonly hasReactor: boolean;
  readonly code: number;
  readonly region: string;
  readonly isOff: boolean;
}

/** Marks everything of a file by one letter, so that a judge sees which file a resource is from. */
function aFile(mark: string, choice: Choice): Desired {
  const { hasProxy, hasReactor } = choice;
  const through = {
    ...(hasProxy && { proxies: ['psp'] }),
    ...(hasReactor && { reactors: ['settle'] }),
  };
  const names = ['web', 'job'].filter((_, at) => choice.applications[at] === true);
  const applications = names.map(
    (name, at) =>
      [
        name,
        {
          name: `${name} of ${mark}`,
          type: 'private',
          permissions: ['token:search'],
          rules: [
            {
              priority: 1,
              container: `/${mark}/`,
              transform: 'mask',
              permissions: ['token:use'],
              ...(hasProxy || hasReactor ? { through } : {}),
            },
          ],
          keys: Array.from({ length: Math.max(choice.keys - at, 0) }, (_, of) =>
            key(`key-${String(of)}`, `${name}/${String(of)}`),
          ),
        },
      ] as const,
  );
  const [actor] = names;
  const proxy = {
    name: `psp of ${mark}`,
    destination_url: 'https://api.psp.example.com',
    configuration: new Map([
      ['REGION', value(choice.region)],
      ['SECRET', fromEnv],
    ]),
    ...(actor !== undefined && { application: actor }),
    ...(hasReactor && { response_transforms: [{ type: 'reactor', reactor: 'settle' }] }),
    keys: choice.keys > 1 ? [key('main', 'psp/main')] : [],
  };
  const reactor = {
    name: `settle of ${mark}`,
    code: `module.exports = async () => ({ raw: ${String(choice.code)} });`,
    configuration: new Map([['REGION', value(choice.region)]]),
    ...(actor !== undefined && { application: actor }),
  };
  const all = ['applications/web', 'applications/job', 'proxies/psp', 'reactors/settle'] as const;
  const present = new Set<string>([
    ...names.map((name) => `applications/${name}`),
    ...(hasProxy ? ['proxies/psp'] : []),
    ...(hasReactor ? ['reactors/settle'] : []),
  ]);
  return {
    namespace: 'shop',
    tenant: { settings: { ephemeral_proxy: !choice.isOff } },
    applications: new Map(applications),
    proxies: new Map(hasProxy ? [['psp', proxy]] : []),
    reactors: new Map(hasReactor ? [['settle', reactor]] : []),
    moved: new Map(),
    removed: [
      ...all.filter((address) => !present.has(address)),
      ...removedKeys(new Map(applications), hasProxy ? proxy.keys : undefined),
    ],
    digest: mark.repeat(64),
  };
}

/** Removes each key that the other files may have made. */
function removedKeys(
  applications: ReadonlyMap<string, { readonly keys: readonly DesiredKey[] }>,
  ofProxy: readonly DesiredKey[] | undefined,
): Desired['removed'] {
  const has = (keys: readonly DesiredKey[], name: string) => keys.some((each) => each.name === name);
  return [
    ...[...applications].flatMap(([owner, { keys }]) =>
      ['key-0', 'key-1', 'key-2']
        .filter((name) => !has(keys, name))
        .map((name) => `keys/applications/${owner}/${name}` as const),
    ),
    ...(ofProxy === undefined || has(ofProxy, 'main') ? [] : (['keys/proxies/psp/main'] as const)),
  ];
}

const aChoice = fc.record({
  applications: fc.tuple(fc.boolean(), fc.boolean()),
  keys: fc.integer({ min: 0, max: 3 }),
  hasProxy: fc.boolean(),
  hasReactor: fc.boolean(),
  code: fc.integer({ min: 0, max: 2 }),
  region: fc.constantFrom('eu', 'us'),
  isOff: fc.boolean(),
});

/** Has a tenant, and the targets of its keys. */
class World {
  readonly service = new AConfigService();

  readonly stored = new Map<string, NewKey>();

  readonly lines: string[] = [];

  targets(around: (name: string) => Promise<void> | void = () => undefined): KeyTargets {
    const { stored } = this;
    return {
      stateOf: ({ name }: KeyTarget) => {
        const found = stored.get(name);
        return Promise.resolve(
          found === undefined ? { state: 'empty' } : { state: 'stored', key_id: found.id },
        );
      },
      prove: () => Promise.resolve(),
      write: async ({ name }, made) => {
        await around('before');
        stored.set(name, made);
        await around('after');
      },
    };
  }

  clock = (): number => this.service.now;

  /** Plans and applies, as the command does. */
  async apply(
    desired: Desired,
    around?: Around,
  ): Promise<{ readonly plan: Plan; readonly applied: Applied }> {
    const service = this.service.client(around);
    const targets = this.targets((at) => around?.('createKey', at as 'before'));
    const live = await readLive({ service, targets, clock: this.clock }, desired);
    const problem = leaseProblem(live.tenant.body, desired, this.clock());
    if (problem !== undefined) throw new UsageError(problem);
    const plan = planOf(desired, live, { version: '0.1.0' });
    const places = {
      environment: { SECRET },
      folder: '/',
      secrets: { read: () => Promise.resolve(undefined) },
    };
    const prepared = await prepareApply({ ...places, targets, file: 'file' }, desired, plan);
    const tell = (line: string) => this.lines.push(line);
    const deps = {
      service,
      targets,
      clock: this.clock,
      tell: (line: string) => void tell(line),
      force: false,
    };
    return { plan, applied: await applyPlan(deps, { desired, plan, prepared }) };
  }

  /** The resources of the file without ids and times, and which keys are where. */
  state() {
    const resources = [...this.service.resources].map(
      ([id, { kind, externalId, body, values, labels, code, keys }]) => {
        const { id: _id, created_at: _at, modified_at: _modified, version: _version, ...members } = body;
        const names = keys.map((each) => JSON.stringify(each.body['name'] ?? 'no name')).toSorted();
        return { id, kind, externalId: externalId ?? '', members, values, labels, code, keys: names };
      },
    );
    return { resources, tenant: this.service.tenant };
  }

  /** The problems of keys: each living key of the file is in one target, and no other one lives. */
  keyProblems(desired: Desired): readonly string[] {
    const wanted = new Map(
      [...desired.applications, ...desired.proxies].flatMap(([, { keys }]) =>
        keys.map(({ name = '', to }) => [to?.name ?? '', name] as const),
      ),
    );
    const own = [...this.service.resources].filter(([, { externalId = '' }]) =>
      externalId.startsWith('shop/'),
    );
    const living = own.flatMap(([, { keys }]) => keys.map(({ body, text }) => ({ id: body['id'], text })));
    const problems: string[] = [];
    for (const target of wanted.keys()) {
      const made = this.stored.get(target);
      const found = living.find(({ id }) => id === made?.id);
      if (found === undefined || found.text !== made?.key.reveal())
        problems.push(`${target} has no living key`);
    }
    if (living.length !== wanted.size) problems.push(`${String(living.length)} keys live`);
    return problems;
  }
}

class Stop extends Error {}

/** Counts calls, and stops at one of them. */
function stopAt(count: number, at: 'before' | 'after'): { around: Around; seen: () => number } {
  let seen = 0;
  return {
    seen: () => seen,
    around: (_call, when) => {
      if (when !== at) return;
      seen += 1;
      if (seen === count) throw new Stop();
    },
  };
}

/** The members that a file has, with its own ids in place of those of the service. */
function shapeOf(world: World): string {
  const { resources, tenant } = world.state();
  const own = resources.filter(({ externalId }) => externalId.startsWith('shop/'));
  const text = JSON.stringify({
    own: own
      .map(({ id: _id, ...each }) => each)
      .toSorted((a, b) => (`${a.kind}${a.externalId}` < `${b.kind}${b.externalId}` ? -1 : 1)),
    settings: tenant.settings,
  });
  return own
    .reduce((made, { id, externalId }) => made.replaceAll(id, externalId), text)
    .replaceAll(/019ab4c2-0000-7000-8000-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/"(created_at|modified_at|hint|created_by)":"[^"]*",?/g, '');
}

async function fresh(desired: Desired): Promise<string> {
  const world = new World();
  await world.apply(desired);
  return shapeOf(world);
}

const WHOLE: Choice = {
  applications: [true, true],
  keys: 2,
  hasProxy: true,
  hasReactor: true,
  code: 0,
  region: 'eu',
  isOff: false,
};

/** Calls `act` before the creation of this number. */
function atCreation(number: number, act: () => void): Around {
  let calls = 0;
  return (call, at) => {
    if (call !== 'create' || at !== 'before') return;
    calls += 1;
    if (calls === number) act();
  };
}

describe('an apply', () => {
  it('goes on after a failure with what does not need it, and deletes nothing then', async () => {
    const world = new World();
    await world.apply(aFile('a', { ...WHOLE, hasProxy: false, hasReactor: false }));
    const file = aFile('b', { ...WHOLE, applications: [true, false] });
    const failing = atCreation(2, () => {
      throw new CallFailed(400, 'validation_failed', '400 refused');
    });
    const { applied } = await world.apply(file, failing);
    expect(applied).toMatchObject({ created: 1, deleted: 0, failed: 1 });
    expect(world.lines).toEqual(
      expect.arrayContaining([
        'created  reactors/settle',
        'failed   proxies/psp: 400 refused',
        'skipped  applications/web: it needs proxies/psp',
        'skipped  applications/job: deletions wait until everything else is done',
      ]),
    );
    expect(world.service.tenant.revision).toMatch(/^stopped shop b{64} /);
    await world.apply(file);
    expect(shapeOf(world)).toBe(await fresh(file));
  });

  it('that takes long renews its lease', async () => {
    const world = new World();
    const slow = atCreation(2, () => {
      world.service.now += 360_000;
    });
    await world.apply(aFile('a', WHOLE), slow);
    const leases = world.service.writes.filter((write) => write.includes('applying'));
    expect(leases).toHaveLength(2);
    expect(world.service.tenant.revision).toMatch(/^applied /);
  });

  it('ends in the state of the file from any state, and a second one writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(aChoice, aChoice, async (first, second) => {
        const world = new World();
        await world.apply(aFile('a', first));
        const file = aFile('b', second);
        await world.apply(file);
        expect(shapeOf(world)).toBe(await fresh(file));
        expect(world.keyProblems(file)).toEqual([]);
        const writes = world.service.writes.length;
        const { plan } = await world.apply(file);
        expect([hasDifferences(plan), world.service.writes.length]).toEqual([false, writes]);
      }),
      { numRuns: cases(40) },
    );
  });

  it('that stops at any call is repaired by running it again', async () => {
    await fc.assert(
      fc.asyncProperty(
        aChoice,
        aChoice,
        fc.constantFrom('before' as const, 'after' as const),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (first, second, at, counts, areKeysLost) => {
          const world = new World();
          await world.apply(aFile('a', first));
          if (areKeysLost) world.stored.clear();
          const file = aFile('b', second);
          for (const count of counts)
            await world.apply(file, stopAt(count, at).around).catch((error: unknown) => {
              if (!(error instanceof Stop)) throw error;
            });
          await world.apply(file);
          expect(world.keyProblems(file)).toEqual([]);
          expect(shapeOf(world)).toBe(await fresh(file));
        },
      ),
      { numRuns: cases(60) },
    );
  });

  it('touches nothing outside its file', async () => {
    await fc.assert(
      fc.asyncProperty(aChoice, aChoice, async (first, second) => {
        const world = new World();
        const private_ = { name: 'By hand', type: 'private', permissions: ['token:read'] };
        const others = [
          world.service.byHand('applications', private_),
          world.service.byHand('applications', { ...private_, external_id: 'other/web' }),
          world.service.byHand('applications', { ...private_, external_id: 'shop-2/web' }),
          world.service.byHand('proxies', {
            name: 'x',
            destination_url: 'https://x.example.com',
            external_id: 'psp',
          }),
        ].map(({ id }) => id);
        const seen = () => JSON.stringify(others.map((id) => world.service.resources.get(id)));
        const before = seen();
        await world.apply(aFile('a', first));
        await world.apply(aFile('b', second));
        expect(seen()).toBe(before);
      }),
      { numRuns: cases(20) },
    );
  });

  it('shows no value and no key in its lines, its plan and its errors', async () => {
    await fc.assert(
      fc.asyncProperty(aChoice, aChoice, fc.integer({ min: 1, max: 60 }), async (first, second, count) => {
        const world = new World();
        const plans = [(await world.apply(aFile('a', first))).plan];
        let failures = '';
        let seen = 0;
        const failing: Around = (_call, at) => {
          seen += 1;
          if (at === 'after' && seen >= count) throw new CallFailed(500, 'internal', 'unavailable');
        };
        await world.apply(aFile('b', second), failing).catch((error: unknown) => {
          failures = String(error);
        });
        plans.push((await world.apply(aFile('b', second))).plan);
        const shown = JSON.stringify([plans, world.lines, failures]);
        for (const secret of [
          SECRET,
          'module.exports',
          ...[...world.stored.values()].map(({ key: made }) => made.reveal()),
        ])
          expect(shown).not.toContain(secret);
      }),
      { numRuns: cases(20) },
    );
  });
});

/** Lets several applies go on in turns, one call each, in an order that the case draws. */
class Turns {
  readonly #order: readonly number[];

  #at = 0;

  readonly #waiting = new Map<number, () => void>();

  #running: number;

  constructor(order: readonly number[], count: number) {
    this.#order = order;
    this.#running = count;
  }

  around(who: number): Around {
    return async () => {
      await new Promise<void>((resolve) => {
        this.#waiting.set(who, resolve);
        this.#next();
      });
    };
  }

  end(): void {
    this.#running -= 1;
    this.#next();
  }

  #next(): void {
    if (this.#waiting.size < this.#running || this.#waiting.size === 0) return;
    const all = [...this.#waiting.keys()].toSorted();
    const chosen = all[(this.#order[this.#at % this.#order.length] ?? 0) % all.length] ?? 0;
    this.#at += 1;
    const go = this.#waiting.get(chosen);
    this.#waiting.delete(chosen);
    go?.();
  }
}

describe('two applies', () => {
  it('never mix two files, whenever each of them plans', async () => {
    let both = 0;
    await fc.assert(
      fc.asyncProperty(
        aChoice,
        aChoice,
        aChoice,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 1, max: 90 })), {
          minLength: 1,
          maxLength: 8,
        }),
        async (start, first, second, stretches) => {
          const order = stretches.flatMap(([who, length]) => Array.from({ length }, () => who));
          const world = new World();
          await world.apply(aFile('a', start));
          const files = [aFile('b', first), aFile('c', second)];
          const turns = new Turns(order, files.length);
          const ended = await Promise.allSettled(
            files.map(async (file, who) => {
              try {
                await world.apply(file, turns.around(who));
              } finally {
                turns.end();
              }
            }),
          );
          for (const each of ended)
            if (each.status === 'rejected' && !(each.reason instanceof CallFailed))
              expect(each.reason).toBeInstanceOf(UsageError);
          const done = ended.filter(({ status }) => status === 'fulfilled').length;
          both += done > 1 ? 1 : 0;
          expect(done).toBeGreaterThan(0);
          // The last one that wrote is the whole state.
          const { revision } = world.service.tenant;
          const last = files.find(({ digest }) => revision?.includes(digest)) ?? files[0];
          if (last === undefined) throw new Error('no apply wrote');
          if (hasDifferences((await world.apply(last)).plan))
            throw new Error(`a difference to ${last.digest}`);
          expect(shapeOf(world)).toBe(await fresh(last));
          expect(world.keyProblems(last)).toEqual([]);
        },
      ),
      { numRuns: cases(60) },
    );
    expect(both).toBeGreaterThan(0);
  });

  it('leave a state of one file that a third one completes, with no key lost or double', async () => {
    await fc.assert(
      fc.asyncProperty(
        aChoice,
        aChoice,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 1, max: 30 })), {
          minLength: 1,
          maxLength: 12,
        }),
        async (start, choice, stretches) => {
          const order = stretches.flatMap(([who, length]) => Array.from({ length }, () => who));
          const world = new World();
          await world.apply(aFile('a', start));
          const file = aFile('b', choice);
          const turns = new Turns(order, 2);
          const ended = await Promise.allSettled(
            [0, 1].map(async (who) => {
              try {
                await world.apply(file, turns.around(who));
              } finally {
                turns.end();
              }
            }),
          );
          for (const each of ended)
            if (each.status === 'rejected')
              expect(['UsageError', 'CallFailed', 'LeaseLost']).toContain((each.reason as Error).name);
          await world.apply(file);
          expect(world.keyProblems(file)).toEqual([]);
          expect(shapeOf(world)).toBe(await fresh(file));
        },
      ),
      { numRuns: cases(40) },
    );
  });

  it('write one after the other if one pauses for longer than its lease: it stops', async () => {
    const world = new World();
    const choice = WHOLE;
    let calls = 0;
    const pause: Around = async (call, at) => {
      if (call !== 'create' || at !== 'before') return;
      calls += 1;
      if (calls !== 2) return;
      world.service.now += 601_000;
      await world.apply(aFile('b', choice));
    };
    const writes = () => world.service.writes.length;
    let during = 0;
    await expect(
      world.apply(aFile('a', choice), async (call, at) => {
        await pause(call, at);
        during = writes();
      }),
    ).rejects.toThrow(LeaseLost);
    expect(during).toBeGreaterThan(0);
    expect((await world.apply(aFile('b', choice))).plan.problems).toEqual([]);
  });
});
