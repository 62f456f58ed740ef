import { randomUUID } from 'node:crypto';
import type { Caller, Grantor } from '../../src/core/access/caller.ts';
import { regenerateKey } from '../../src/core/applications/change-application.ts';
import {
  createKey,
  deleteKey,
  keysOfApplication,
  updateKey,
} from '../../src/core/applications/manage-keys.ts';
import { createReactor } from '../../src/core/reactors/create-reactor.ts';
import { getResult } from '../../src/core/reactors/get-result.ts';
import { isListed } from '../../src/core/reactors/invocation.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { listParked, resendParked } from '../../src/core/webhooks/parked-deliveries.ts';
import { resendDelivery } from '../../src/core/webhooks/undelivered.ts';
import { presentFailure } from '../../src/wire/problem.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { anApplication } from '../support/builders/an-application.ts';
import { aDefinition, aManager, TENANT } from '../core/reactors/a-reactor-world.ts';
import { anInvocationWorld } from '../core/reactors/an-invocation-world.ts';

/*
 * docs/security.md#invariants-between-callers: what a revoked key started, ends. Random histories
 * of two applications create, end, delete and regenerate keys while they and their sessions invoke.
 * A key is revoked if it is deleted before its end, and this test knows no more than that.
 */

const MINUTE = 60_000;
const which = fc.nat(30);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), shop: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which,
      minutes: fc.integer({ min: 1, max: 40 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rotate' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('regenerate' as const), shop: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('start' as const), which, session: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('park' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('receive' as const), isUp: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), isBusy: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('resend' as const), which, isOperator: fc.boolean() }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Key extends Grantor {
  end: number;
  state: 'there' | 'deleted' | 'revoked';
}

async function codeOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
    return 'ok';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code;
  }
}

async function aHistory() {
  const world = anInvocationWorld();
  const { applicationStore } = world;
  const page = anApplication({ tenantId: TENANT, type: 'public', permissions: ['token:create'] });
  await applicationStore.create(page);
  const deps = { ...machinePlatform, clock: world.now, applicationStore };
  const manager: Caller = { ...aManager, permissions: [...aManager.permissions, 'application:update'] };
  const applicationOf = (shop: boolean) => (shop ? world.application : page);
  const keys: Key[] = [true, false].map((shop) => {
    const {
      id: applicationId,
      keys: [first],
    } = applicationOf(shop);
    return { applicationId, keyId: first?.id ?? '', end: Infinity, state: 'there' };
  });
  const { reactor } = await createReactor(
    world.deps as never,
    aManager,
    aDefinition('one'),
    randomIdentity(machinePlatform.random),
  );
  const started: { readonly id: string; readonly by: readonly Key[]; readonly caller: Caller }[] = [];
  let isUp = true;
  let isBusy = false;
  world.receiverResponds(() => (isUp ? 204 : 500));
  world.runsEndWith(() => {
    if (isBusy) throw new ServiceError('dependency_unavailable', 'busy');
    return { outcome: 'returned', value: new Secret({ raw: 1 }) };
  });

  const isRevoked = (id: string) =>
    started.find((each) => each.id === id)?.by.some(({ state }) => state === 'revoked') === true;
  const revoke = (key: Key) => (key.state = key.end <= world.now() ? 'deleted' : 'revoked');
  const live = (shop: boolean) =>
    keys.filter(
      ({ applicationId, state, end }) =>
        applicationId === applicationOf(shop).id && state === 'there' && end > world.now(),
    );

  /** Lets minutes pass. Nothing of a revoked key may start in them. */
  async function pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      const before = world.attempts.length;
      await world.work();
      await world.sweep();
      await world.work();
      world.pass(MINUTE);
      expect(world.attempts.slice(before).filter(({ id }) => isRevoked(id))).toEqual([]);
    }
  }

  async function start(by: readonly Key[], session: boolean): Promise<void> {
    const own = { ...world.caller, keyId: by.at(-1)?.keyId ?? '' };
    const { keyId: _, ...acting } = own;
    const sessionKeys = by.map(({ applicationId, keyId }) => ({ applicationId, keyId }));
    const of = { credentialId: randomUUID(), type: 'session', actsBy: 'session', sessionKeys } as const;
    const caller: Caller = session ? { ...acting, ...of } : own;
    started.push({ id: await world.start(reactor.id, {}, caller), by, caller });
  }

  async function changeKeys(one: Step & { readonly kind: 'create' | 'end' | 'delete' | 'regenerate' }) {
    if (one.kind === 'create') {
      const owned = keysOfApplication(deps, manager, applicationOf(one.shop).id);
      const made = await codeOf(async () => {
        const { key } = await createKey(
          deps,
          owned,
          { sourceAddresses: [] },
          randomIdentity(machinePlatform.random),
        );
        keys.push({
          applicationId: applicationOf(one.shop).id,
          keyId: key.id,
          end: Infinity,
          state: 'there',
        });
      });
      expect(['ok', 'conflict']).toContain(made);
      return;
    }
    if (one.kind === 'regenerate') {
      const { id } = applicationOf(one.shop);
      const { application } = await regenerateKey(deps, manager, id);
      for (const key of keys) if (key.applicationId === id && key.state === 'there') revoke(key);
      keys.push({ applicationId: id, keyId: application.keys[0]?.id ?? '', end: Infinity, state: 'there' });
      return;
    }
    const there = keys.filter(({ state }) => state === 'there');
    const key = there[one.which % Math.max(1, there.length)];
    if (key === undefined) return;
    const owned = keysOfApplication(deps, manager, key.applicationId);
    if (one.kind === 'delete') {
      await deleteKey(deps, owned, key.keyId);
      revoke(key);
      return;
    }
    const end = world.now() + one.minutes * MINUTE;
    const code = await codeOf(() => updateKey(deps, owned, key.keyId, { expiresAtMs: end }));
    if (code === 'ok') key.end = end;
  }

  async function resend(id: string, isOperator: boolean): Promise<void> {
    const invocation = world.invocations().find((each) => each.id === id);
    const isThere = invocation !== undefined && isListed(invocation, world.now());
    const code = await codeOf(() =>
      isOperator
        ? resendDelivery(world.deps, { tenantId: TENANT, id })
        : resendParked(
            world.deps,
            manager,
            { reactorId: reactor.id, invocationId: id },
            randomIdentity(machinePlatform.random),
          ),
    );
    expect(code).toBe(!isThere ? 'not_found' : isRevoked(id) ? 'conflict' : 'ok');
  }

  async function take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'start': {
        const [shop, site] = [live(true), live(false)].map(
          (found) => found[one.which % Math.max(1, found.length)],
        );
        if (shop === undefined || (one.session && site === undefined)) return;
        return start(one.session && site !== undefined ? [site, shop] : [shop], one.session);
      }
      case 'pass':
        return pass(one.minutes);
      case 'park':
        isUp = false;
        return pass(95);
      case 'receive':
        isUp = one.isUp;
        return;
      case 'wait':
        isBusy = one.isBusy;
        return;
      case 'resend': {
        const wanted = started[one.which % Math.max(1, started.length)];
        return wanted && resend(wanted.id, one.isOperator);
      }
      case 'rotate':
        await changeKeys({ kind: 'end', which: one.which, minutes: 1 });
        await pass(2);
        return changeKeys({ kind: 'delete', which: one.which });
      case 'create':
      case 'end':
      case 'delete':
      case 'regenerate':
        return changeKeys(one);
    }
  }

  const listed = async () =>
    (await listParked(world.deps, manager, reactor.id, { size: 100, cursor: undefined })).items;
  return {
    world,
    started,
    isRevoked,
    take,
    listed,
    resend,
    pass,
    heal: () => ([isUp, isBusy] = [true, false]),
    read: (id: string, caller: Caller) =>
      getResult({ ...world.deps, presentFailure }, caller, reactor.id, id),
  };
}

describe('what a key started', () => {
  it('ends when the key is revoked, and loses nothing when it has ended before', async () => {
    const counts = { runs: 0, stopped: 0, delivered: 0 };
    const history = fc.array(step, { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const all = await aHistory();
        for (const one of steps) await all.take(one);
        all.heal();
        await all.pass(75);
        for (const { id, delivery } of await all.listed())
          if (delivery === 'parked') await all.resend(id, false);
        await all.pass(2);
        const listed = new Map((await all.listed()).map((each) => [each.id, each]));
        for (const { id, caller } of all.started) {
          const isDelivered = all.world.received.some((each) => each.id === id);
          if (all.isRevoked(id) && !isDelivered) {
            expect(listed.get(id)).toMatchObject({ delivery: 'forbidden', lastReason: 'forbidden' });
            await all.resend(id, true);
          } else {
            expect(isDelivered).toBe(true);
            expect(listed.has(id)).toBe(false);
          }
          const { status, result } = await all.read(id, caller);
          expect(['succeeded', 'failed']).toContain(status);
          const didRun = all.world.runs.has(id);
          const read = result?.reveal() as { raw?: unknown; code?: string };
          expect(read.raw).toBe(didRun ? 1 : undefined);
          if (!didRun) expect(['forbidden', 'dependency_unavailable']).toContain(read.code);
          counts.runs += didRun ? 1 : 0;
          counts[isDelivered ? 'delivered' : 'stopped'] += 1;
        }
      }),
      { numRuns: cases(60) },
    );
    // Enough of each happened.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(cases(60) / 3);
  });
});
