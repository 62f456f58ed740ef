import { randomUUID } from 'node:crypto';
import type { Caller } from '../../src/core/access/caller.ts';
import type { Permission } from '../../src/core/access/permission.ts';
import type { Invocation } from '../../src/core/reactors/invocation.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { listParked, resendParked } from '../../src/core/webhooks/parked-deliveries.ts';
import { presentParked } from '../../src/wire/parked-delivery.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { createCredentialStore } from '../../src/adapters/dynamodb/credential-store.ts';
import { createInvocationStore } from '../../src/adapters/dynamodb/invocation-store.ts';
import { createReactorStore } from '../../src/adapters/dynamodb/reactor-store.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { aStoredReactor } from '../support/builders/a-stored-reactor.ts';
import { anInvocation } from '../support/builders/an-invocation.ts';
import { invocationsIn, tablesInMemory } from '../support/stores-in-memory.ts';
import { someTenantKeys } from '../support/tenant-keys.ts';

/*
 * docs/security.md#invariants-between-callers: no caller sees or resends a delivery of another
 * tenant or of another reactor than it names. Random deliveries belong to two tenants and their
 * reactors; a naive reading of docs/contract.md says what each caller gets.
 */

const NOW = 1_000_000;
const TENANTS = [randomUUID(), randomUUID()] as const;
const REACTORS = TENANTS.flatMap((tenantId) => [aStoredReactor({ tenantId }), aStoredReactor({ tenantId })]);
const PERMISSIONS = ['reactor:read', 'reactor:update'] as const satisfies readonly Permission[];

const delivery = fc.record({
  of: fc.nat(REACTORS.length - 1),
  state: fc.constantFrom('succeeded' as const, 'failed' as const),
  delivery: fc.constantFrom(...(['parked', 'parked', 'parked', 'pending', 'delivered', 'none'] as const)),
  /** Equal times are frequent, so that only the id orders. */
  createdAt: fc.nat(3),
  dueAt: fc.constantFrom(NOW + 1, NOW + 1, NOW + 1, NOW),
});
const step = fc.record({
  kind: fc.constantFrom('list' as const, 'resend' as const),
  tenant: fc.nat(1),
  permissions: fc.subarray([...PERMISSIONS], { minLength: 1 }),
  reactor: fc.nat(REACTORS.length - 1),
  invocation: fc.nat(),
  size: fc.integer({ min: 1, max: 3 }),
});

async function codeOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
    return 'ok';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code;
  }
}

async function aWorld(deliveries: readonly (typeof delivery extends fc.Arbitrary<infer T> ? T : never)[]) {
  const all = deliveries.map(({ of, ...more }) => {
    const { tenantId, id: reactorId } = REACTORS[of] ?? aStoredReactor();
    return anInvocation({ tenantId, reactorId, attempts: 10, ...more });
  });
  const tables = tablesInMemory(() => NOW);
  const reactors = tables.table('Reactors');
  const access = tables.table('Access');
  const invocations = () => new Map(invocationsIn(tables).map((each) => [each.id, each]));
  const sent: string[] = [];
  const deps = {
    clock: () => NOW,
    tenantKeys: someTenantKeys(),
    reactorStore: createReactorStore(reactors),
    invocationStore: createInvocationStore(reactors, tables.table('Ephemeral')),
    applicationGrantsStore: createCredentialStore(access),
    deliveryQueue: { send: ({ id }: { readonly id: string }) => Promise.resolve(void sent.push(id)) },
  };
  for (const each of REACTORS) await deps.reactorStore.create(each, 100);
  for (const each of all) await deps.invocationStore.create(each);
  return { deps, all, invocations, sent };
}

describe('parked deliveries', () => {
  it('are seen and sent again by a caller of their tenant alone, under their own reactor', async () => {
    const outcomes = { listed: 0, resent: 0, hidden: 0 };
    const history = fc.array(step, { minLength: 5, maxLength: 15 });
    const run = async (
      world: Awaited<ReturnType<typeof aWorld>>,
      one: typeof step extends fc.Arbitrary<infer T> ? T : never,
    ) => {
      const { deps, all, invocations, sent } = world;
      const tenantId = TENANTS[one.tenant] ?? '';
      const reactor = REACTORS[one.reactor] ?? aStoredReactor();
      const caller: Caller = {
        tenantId,
        applicationId: 'manager',
        credentialId: 'manager',
        type: 'management',
        actsBy: 'own_key',
        permissions: one.permissions,
        rules: [],
      };
      const own = [...invocations().values()].filter(
        (each) =>
          each.tenantId === tenantId &&
          each.reactorId === reactor.id &&
          each.delivery === 'parked' &&
          each.dueAt > NOW,
      );
      const isThere = reactor.tenantId === tenantId;
      if (one.kind === 'list') {
        const seen: Invocation[] = [];
        const code = await codeOf(async () => {
          for (let cursor: string | null | undefined; cursor !== null;) {
            const { items, info } = await listParked(deps, caller, reactor.id, { size: one.size, cursor });
            expect(items.length).toBeLessThanOrEqual(one.size);
            seen.push(...items);
            cursor = info.after;
          }
        });
        const mayRead = one.permissions.includes('reactor:read');
        expect(code).toBe(!mayRead ? 'forbidden' : isThere ? 'ok' : 'not_found');
        const order = ({ createdAt, id }: Invocation) => `${String(createdAt)} ${id}`;
        const expected = code === 'ok' ? own.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) : [];
        expect(seen).toEqual(expected);
        outcomes.listed += seen.length;
        return;
      }
      const wanted = all[one.invocation % Math.max(1, all.length)];
      if (wanted === undefined) return;
      const before = invocations();
      const messages = sent.length;
      const code = await codeOf(() =>
        resendParked(
          deps,
          caller,
          { reactorId: reactor.id, invocationId: wanted.id },
          randomIdentity(machinePlatform.random),
        ),
      );
      const mayUpdate = one.permissions.includes('reactor:update');
      const isOwn = own.some(({ id }) => id === wanted.id);
      expect(code).toBe(!mayUpdate ? 'forbidden' : isOwn ? 'ok' : 'not_found');
      if (code === 'ok') {
        const found = before.get(wanted.id);
        before.set(wanted.id, {
          ...(found ?? wanted),
          delivery: 'pending',
          attempts: 0,
          dueAt: NOW,
          resentBy: expect.any(String) as string,
        });
        outcomes.resent += 1;
      } else outcomes.hidden += 1;
      expect(invocations()).toEqual(before);
      expect(sent.length - messages).toBe(code === 'ok' ? 1 : 0);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { maxLength: 12 }), history, async (deliveries, steps) => {
        const world = await aWorld(deliveries);
        for (const one of steps) await run(world, one);
      }),
      { numRuns: cases(300) },
    );
    // Enough of each happened.
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(cases(300) / 20);
  });

  it('show what happened, and nothing of the payload, the result or the address', () => {
    const invocation = anInvocation({
      state: 'succeeded',
      delivery: 'parked',
      attempts: 10,
      lastStatus: 503,
      lastReason: 'no response in time',
      createdAt: Date.UTC(2026, 0, 1),
      dueAt: Date.UTC(2026, 0, 15),
      runner: 'runner',
      resultUntil: 5,
    });
    expect(presentParked(invocation)).toEqual({
      invocation_id: invocation.id,
      status: 'succeeded',
      attempts: 10,
      last_status: 503,
      last_reason: 'no response in time',
      created_at: '2026-01-01T00:00:00+00:00',
      deleted_at: '2026-01-15T00:00:00+00:00',
    });
  });
});
