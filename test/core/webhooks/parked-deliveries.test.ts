import { randomUUID } from 'node:crypto';
import type { Invocation } from '../../../src/core/reactors/invocation.ts';
import { randomIdentity, repeatableIdentity } from '../../../src/core/shared/write-identity.ts';
import { listParked, resendParked } from '../../../src/core/webhooks/parked-deliveries.ts';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { createInvocationStore } from '../../../src/adapters/dynamodb/invocation-store.ts';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aStoredReactor } from '../../support/builders/a-stored-reactor.ts';
import { anInvocation } from '../../support/builders/an-invocation.ts';
import { invocationsIn, tablesInMemory } from '../../support/stores-in-memory.ts';
import { someTenantKeys } from '../../support/tenant-keys.ts';
import { aManager, TENANT } from '../reactors/a-reactor-world.ts';

const NOW = 1_000_000;
const first = () => randomIdentity(machinePlatform.random);
/** Attempts under an idempotency key draw the same ids. */
const underKey = (key: string) => repeatableIdentity(Buffer.from(key), NOW);

async function aWorld(more: Partial<Invocation> = {}) {
  const reactor = aStoredReactor({ tenantId: TENANT });
  const parked = { tenantId: TENANT, reactorId: reactor.id, delivery: 'parked', dueAt: NOW + 1 } as const;
  const invocation = anInvocation({ ...parked, attempts: 10, lastStatus: 500, ...more });
  const tables = tablesInMemory(() => NOW);
  const reactors = tables.table('Reactors');
  const access = tables.table('Access');
  const deps = {
    clock: () => NOW,
    tenantKeys: someTenantKeys(),
    reactorStore: createReactorStore(reactors),
    invocationStore: createInvocationStore(reactors, tables.table('Ephemeral')),
    applicationGrantsStore: createCredentialStore(access),
    deliveryQueue: { send: () => Promise.reject(new Error('the message is lost')) },
  };
  await deps.reactorStore.create(reactor, 100);
  await deps.invocationStore.create(invocation);
  const input = { reactorId: reactor.id, invocationId: invocation.id };
  const stored = () => invocationsIn(tables).find(({ id }) => id === invocation.id);
  return { deps, input, invocation, stored };
}

describe('sending a parked delivery again', () => {
  it('gives it all of its attempts, even if its message is lost: the sweep finds it', async () => {
    const { deps, input, invocation, stored } = await aWorld();
    await resendParked(deps, aManager, input, first());
    const again = { delivery: 'pending', attempts: 0, dueAt: NOW, resentBy: expect.any(String) };
    expect(stored()).toEqual({ ...invocation, ...again });
  });

  it('is not found a second time, unless it is a repeat under its own idempotency key', async () => {
    const { deps, input, stored } = await aWorld();
    await resendParked(deps, aManager, input, underKey('own'));
    const pending = stored();
    for (const writes of [first(), underKey('another')])
      await expect(resendParked(deps, aManager, input, writes)).rejects.toMatchObject({ code: 'not_found' });
    await resendParked(deps, aManager, input, underKey('own'));
    expect(stored()).toEqual(pending);
  });

  it.each([
    { delivery: 'none' },
    { delivery: 'pending' },
    { delivery: 'delivered' },
    { delivery: 'parked', dueAt: NOW },
  ] as const)('is not found for a delivery with %j, also under an idempotency key', async (more) => {
    const { deps, input } = await aWorld(more);
    for (const writes of [first(), underKey('key')])
      await expect(resendParked(deps, aManager, input, writes)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is a conflict if another request changes the delivery at the same time', async () => {
    const { deps, input } = await aWorld();
    const results = await Promise.allSettled([1, 2].map(() => resendParked(deps, aManager, input, first())));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict' },
    });
  });
});

describe('a cursor of parked deliveries', () => {
  it('is refused for another reactor and for another application', async () => {
    const { deps, input, invocation } = await aWorld();
    await deps.invocationStore.create({ ...invocation, id: randomUUID() });
    const other = aStoredReactor({ tenantId: TENANT });
    await deps.reactorStore.create(other, 100);
    const { info } = await listParked(deps, aManager, input.reactorId, { size: 1, cursor: undefined });
    const next = { size: 1, cursor: info.after ?? '' };
    expect((await listParked(deps, aManager, input.reactorId, next)).items).toHaveLength(1);
    const refused = { code: 'validation_failed' };
    await expect(listParked(deps, aManager, other.id, next)).rejects.toMatchObject(refused);
    const stranger = { ...aManager, credentialId: 'another' };
    await expect(listParked(deps, stranger, input.reactorId, next)).rejects.toMatchObject(refused);
  });
});
