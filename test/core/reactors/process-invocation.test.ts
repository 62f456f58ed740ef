import { createReactor } from '../../../src/core/reactors/create-reactor.ts';
import { getResult } from '../../../src/core/reactors/get-result.ts';
import { DELIVERY_TRIES, PARKED_MS, READABLE_MS } from '../../../src/core/reactors/invocation.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { deliver } from '../../../src/core/webhooks/deliver.ts';
import { listUndelivered, resendDelivery } from '../../../src/core/webhooks/undelivered.ts';
import { presentFailure } from '../../../src/wire/problem.ts';
import { cases, randomOfFile } from '../../../packages/test-kit/src/thoroughness.ts';
import { keyOf, putApplication, removeItem } from '../../support/stores-in-memory.ts';
import { aDefinition, aManager } from './a-reactor-world.ts';
import { anInvocationWorld } from './an-invocation-world.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const random = randomOfFile();

type World = ReturnType<typeof anInvocationWorld>;

const aReactor = async ({ deps }: World) =>
  (await createReactor(deps as never, aManager, aDefinition('one'), randomIdentity(machinePlatform.random)))
    .reactor.id;

const MINUTE = 60_000;

/** Lets an hour or more pass: messages arrive, and a sweep runs every minute. */
async function live(world: World, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await world.work();
    await world.sweep();
    await world.work();
    world.pass(MINUTE);
  }
}

const only = <T>(values: Iterable<T>): T => {
  const [first] = values;
  if (first === undefined) throw new Error('there is none');
  return first;
};

function removeContents({ tables, contents }: World, isRemoved: (sk: string) => boolean): void {
  for (const key of contents().map(keyOf)) if (isRemoved(key.sk)) removeItem(tables, 'Ephemeral', key);
}

const result = (world: World, reactor: string, id: string, caller = world.caller) =>
  getResult({ ...world.deps, presentFailure }, caller, reactor, id);

describe('an asynchronous invocation', () => {
  it('runs once, is delivered once, and can be read', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    const id = await world.start(reactor);
    expect(await result(world, reactor, id)).toEqual({ id, status: 'queued' });
    await live(world, 3);
    expect(world.runs.get(id)).toBe(1);
    const sender = { reactor_id: reactor, application_id: world.caller.applicationId };
    expect(world.received).toEqual([{ id, body: { raw: { ok: true }, ...sender } }]);
    const read = await result(world, reactor, id);
    expect([read.status, read.result?.reveal()]).toEqual(['succeeded', { raw: { ok: true } }]);
  });

  it('can be read by its caller, for its own reactor, for 24 hours', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    const id = await world.start(reactor);
    await live(world, 2);
    const missing = { code: 'not_found' };
    await expect(result(world, 'another', id)).rejects.toMatchObject(missing);
    await expect(
      result(world, reactor, id, { ...world.caller, credentialId: 'another' }),
    ).rejects.toMatchObject(missing);
    await expect(result(world, reactor, id, { ...world.caller, tenantId: 'another' })).rejects.toMatchObject(
      missing,
    );
    world.pass(READABLE_MS);
    await expect(result(world, reactor, id)).rejects.toMatchObject(missing);
    await world.sweep();
    expect([world.invocations().length, world.contents().length]).toEqual([0, 0]);
  });

  it('runs without an address, sends nothing, and is read by its caller for 24 hours', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    const id = await world.startWithoutCallback(reactor);
    await live(world, 3);
    expect([world.runs.get(id), world.received, world.attempts.length]).toEqual([1, [], 1]);
    const read = await result(world, reactor, id);
    expect([read.status, read.result?.reveal()]).toEqual(['succeeded', { raw: { ok: true } }]);
    await expect(resendDelivery(world.deps, only(world.invocations()))).rejects.toMatchObject({
      code: 'not_found',
    });
    world.pass(READABLE_MS);
    await world.sweep();
    expect([world.invocations().length, world.contents().length]).toEqual([0, 0]);
  });

  it('carries nothing but ids in its messages', async () => {
    const world = anInvocationWorld();
    await world.start(await aReactor(world), { secret: 'planted' });
    expect(world.messages.map(({ id }) => Object.keys(id))).toEqual([['tenantId', 'id']]);
  });

  it.each([
    [402, { title: 'Payment Required', status: 402, code: 'payment_required', detail: 'declined' }],
    [
      null,
      {
        title: 'Reactor Runtime Error',
        status: 500,
        code: 'reactor_failed',
        detail: 'The code threw an Oops at line 2, column 9.',
      },
    ],
  ])('delivers the error object of an error with status %j', async (status, body) => {
    const world = anInvocationWorld();
    world.runsEndWith(() => ({
      outcome: 'threw',
      error: new Secret({ class: 'Oops', line: 2, column: 9, message: 'declined', status, errors: null }),
    }));
    const reactor = await aReactor(world);
    const id = await world.start(reactor);
    await live(world, 2);
    const sender = { reactor_id: reactor, application_id: world.caller.applicationId };
    expect(world.received).toEqual([{ id, body: { ...body, ...sender } }]);
    expect(only(world.invocations()).state).toBe('failed');
  });

  it('waits while no instance can be started, and then runs once', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    let busy = true;
    world.runsEndWith(() => {
      if (busy) throw new ServiceError('dependency_unavailable', 'busy');
      return { outcome: 'returned', value: new Secret({}) };
    });
    const id = await world.start(reactor);
    await live(world, 10);
    expect([world.runs.get(id), world.received]).toEqual([undefined, []]);
    busy = false;
    await live(world, 3);
    expect([world.runs.get(id), world.received.length]).toEqual([1, 1]);
  });

  it('reports its waiting time each time that it is queued again', async () => {
    const world = anInvocationWorld();
    let busy = true;
    world.runsEndWith(() => {
      if (busy) throw new ServiceError('dependency_unavailable', 'busy');
      return { outcome: 'returned', value: new Secret({}) };
    });
    await world.start(await aReactor(world));
    await live(world, 7);
    expect(world.waits).toEqual([0, 1, 2, 3, 4, 5, 6].map((minutes) => minutes * MINUTE));
    busy = false;
    await live(world, 3);
    expect(world.waits).toHaveLength(7);
  });

  it('fails with an error when it cannot be started for an hour', async () => {
    const world = anInvocationWorld();
    world.runsEndWith(() => {
      throw new ServiceError('dependency_unavailable', 'busy');
    });
    const id = await world.start(await aReactor(world));
    await live(world, 65);
    expect(world.received).toMatchObject([{ id, body: { status: 503 } }]);
  });

  it('fails without a delivery when its application is deleted before the run', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    const id = await world.start(reactor);
    await world.applicationStore.delete(world.application);
    await live(world, 2);
    expect([world.runs.size, world.received]).toEqual([0, []]);
    expect(only(world.invocations())).toMatchObject({ state: 'failed', delivery: 'forbidden' });
    expect((await result(world, reactor, id)).result?.reveal()).toMatchObject({ code: 'forbidden' });
  });

  it('fails, and is delivered as failed, when its application expires before the run', async () => {
    const world = anInvocationWorld();
    const { application, applicationStore } = world;
    const expiring = { ...application, expiresAtMs: world.now() + 1_000, version: application.version + 1 };
    await applicationStore.update(application, expiring);
    const id = await world.start(await aReactor(world));
    world.pass(2_000);
    await applicationStore.delete(expiring);
    await live(world, 2);
    expect(world.runs.size).toBe(0);
    expect(world.received).toMatchObject([{ id, body: { status: 401 } }]);
  });

  it('fails as interrupted when its worker dies in the middle of the run', async () => {
    const world = anInvocationWorld();
    const id = await world.start(await aReactor(world));
    let steps = 0;
    // find, payload, claim, reactor: the worker dies between these steps.
    world.diesWhen(() => world.runs.size > 0 && (steps += 1) === 1);
    await live(world, 5);
    expect(world.runs.get(id)).toBe(1);
    expect(world.received).toMatchObject([
      {
        id,
        body: { status: 500, detail: 'The run was interrupted; it is not known how far the code came.' },
      },
    ]);
  });
});

describe('the delivery of a result', () => {
  it('is attempted ten times with doubling pauses, then parked, then sent again by an operator', async () => {
    const world = anInvocationWorld();
    const at: number[] = [];
    world.receiverResponds(() => {
      at.push(world.now());
      return 500;
    });
    const id = await world.start(await aReactor(world));
    await live(world, 2);
    expect(await listUndelivered(world.deps, 10)).toMatchObject([
      { id, delivery: 'pending', lastStatus: 500 },
    ]);
    for (let second = 0; second < 6_000; second += 5) {
      await world.work();
      if (second % 60 === 0) await world.sweep();
      world.pass(5_000);
    }
    expect(at).toHaveLength(DELIVERY_TRIES);
    const pauses = at.slice(1).map((time, index) => (time - (at[index] ?? 0)) / 1000);
    pauses.forEach((pause, index) => {
      const least = 10 * 2 ** index;
      expect(pause).toBeGreaterThanOrEqual(least);
      expect(pause).toBeLessThanOrEqual(least + 65);
    });
    const parked = await listUndelivered(world.deps, 10);
    expect(parked.map((each) => [each.id, each.attempts, each.lastStatus])).toEqual([[id, 10, 500]]);

    world.receiverResponds(() => 204);
    await resendDelivery(world.deps, only(parked));
    await live(world, 2);
    expect(world.received).toHaveLength(1);
    expect(await listUndelivered(world.deps, 10)).toEqual([]);
    await expect(resendDelivery(world.deps, only(parked))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is an error once the rules do not permit its address, also without a token', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    const { application, applicationStore } = world;
    const through = { proxies: [], reactors: [reactor], callbacks: ['https://example.com/hook'] };
    const rule = { priority: 1, container: '/', transform: 'reveal', permissions: ['token:use'] } as const;
    const granted = { ...application, permissions: [], rules: [{ ...rule, through }], version: 8 };
    putApplication(world.tables, granted);
    const ids = [await world.start(reactor), await world.start(reactor)];
    await live(world, 1);
    const { callbacks: _, ...narrower } = through;
    const next = { ...granted, rules: [{ ...rule, through: narrower }], version: 9 };
    world.receiverResponds(() => 500);
    const late = await world.start(reactor);
    await world.work();
    await applicationStore.update(granted, next);
    world.receiverResponds(() => 200);
    await live(world, 3);
    expect(world.received.map(({ id, body }) => [id, (body as { code?: string }).code])).toEqual([
      ...ids.map((id) => [id, undefined]),
      [late, 'forbidden'],
    ]);
  });

  it('is parked at once after 410, and can be sent again', async () => {
    const world = anInvocationWorld();
    world.receiverResponds(() => 410);
    const reactor = await aReactor(world);
    const id = await world.start(reactor);
    await live(world, 100);
    expect(world.attempts.map(({ kind }) => kind)).toEqual(['run', 'send']);
    const parked = await listUndelivered(world.deps, 10);
    expect(parked).toMatchObject([{ id, delivery: 'parked', attempts: 1, lastStatus: 410 }]);
    world.receiverResponds(() => 204);
    await resendDelivery(world.deps, only(parked));
    await live(world, 2);
    expect(world.received).toHaveLength(1);
  });

  it.each([
    ['nothing', [], 10],
    ['less than the pause', [['retry-after', '3']], 10],
    ['a minute', [['Retry-After', '60']], 60],
    ['a day', [['retry-after', '86400']], 3_600],
    ['a time of the next century', [['retry-after', 'Sun, 06 Nov 2101 08:49:37 GMT']], 3_600],
    ['a time that has passed', [['retry-after', 'Sun, 06 Nov 1994 08:49:37 GMT']], 10],
    ['a number below zero', [['retry-after', '-60']], 10],
    ['a date of another form', [['retry-after', '2100-01-01']], 10],
  ] as const)('waits for as long as a receiver asks that says %s', async (_title, headers, seconds) => {
    const world = anInvocationWorld();
    world.receiverResponds(() => ({ status: 503, headers }));
    await world.start(await aReactor(world));
    await world.work();
    await world.work();
    expect(only(world.invocations()).dueAt - world.now()).toBe(seconds * 1_000);
  });

  it('counts an unreachable receiver as an attempt, and is deleted with its content after parking', async () => {
    const world = anInvocationWorld();
    world.receiverResponds(() => {
      const cause = Object.assign(new Error('planted'), { code: 'ECONNREFUSED' });
      throw new ServiceError('destination_unreachable', 'down', { cause });
    });
    await world.start(await aReactor(world));
    await live(world, 120);
    expect(only(await listUndelivered(world.deps, 10))).toMatchObject({
      delivery: 'parked',
      attempts: 10,
      lastReason: 'connection refused',
    });
    expect(only(world.invocations())).not.toHaveProperty('lastStatus');
    world.pass(PARKED_MS);
    await world.sweep();
    expect([world.invocations().length, world.contents().length]).toEqual([0, 0]);
  });

  it('is retried after an internal error', async () => {
    const world = anInvocationWorld();
    let down = true;
    world.receiverResponds(() => {
      if (down) throw new ServiceError('dependency_unavailable', 'our store');
      return 200;
    });
    await world.start(await aReactor(world));
    await world.work();
    await expect(world.work()).rejects.toMatchObject({ code: 'dependency_unavailable' });
    down = false;
    await live(world, 5);
    expect(world.received).toHaveLength(1);
  });
});

describe('an invocation whose content is missing', () => {
  it.each(['payload', 'result'])(
    'ends without a delivery and is not parked, without its %s',
    async (content) => {
      const world = anInvocationWorld();
      await world.start(await aReactor(world));
      await world.work();
      removeContents(world, (sk) => sk.startsWith(content));
      await live(world, 120);
      expect(world.received).toEqual([]);
      expect(await listUndelivered(world.deps, 10)).toEqual([]);
      expect(only(world.invocations())).toMatchObject({
        state: 'succeeded',
        delivery: 'none',
        attempts: 1,
      });
      expect(world.failures).toEqual([new Error('deliver: its content is missing')]);
      world.pass(READABLE_MS);
      await world.sweep();
      expect([world.invocations().length, world.contents().length]).toEqual([0, 0]);
    },
  );

  it('fails after an hour when it was still queued, without a delivery', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    const id = await world.start(reactor);
    removeContents(world, () => true);
    await live(world, 59);
    expect(await result(world, reactor, id)).toEqual({ id, status: 'queued' });
    await live(world, 120);
    expect([world.runs.size, world.received]).toEqual([0, []]);
    expect(only(world.invocations())).toMatchObject({ state: 'failed', delivery: 'none' });
    expect(world.failures).toEqual([new Error('deliver: its content is missing')]);
    const read = await result(world, reactor, id);
    expect([read.status, read.result?.reveal()]).toMatchObject(['failed', { status: 503 }]);
  });

  it('is delivered late when its content was unreadable for a while', async () => {
    const world = anInvocationWorld();
    await world.start(await aReactor(world));
    await world.work();
    const { invocationStore } = world.deps;
    const down = () => Promise.reject(new ServiceError('dependency_unavailable', 'the store'));
    const deps = { ...world.deps, invocationStore: { ...invocationStore, content: down } };
    const { id } = only(world.messages);
    await expect(deliver(deps, id)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await live(world, 5);
    expect(world.received).toHaveLength(1);
    expect(world.failures).toEqual([]);
  });
});

describe('any number of invocations, with workers, senders and sweeps that die at any step and messages that get lost', () => {
  it('run at most once each, and every one ends in a delivery, or can be read', async () => {
    const world = anInvocationWorld();
    const reactor = await aReactor(world);
    const ids: string[] = [];
    const unsent: string[] = [];
    for (let count = 0; count < cases(300); count += 1) ids.push(await world.start(reactor));
    for (let count = 0; count < cases(50); count += 1) unsent.push(await world.startWithoutCallback(reactor));
    world.diesWhen(() => random() < 0.05);
    world.losesMessagesWhen(() => random() < 0.2);
    await live(world, 60);
    world.diesWhen(() => false);
    await live(world, 30);
    expect([...world.runs.values()].every((count) => count === 1)).toBe(true);
    const delivered = new Set(world.received.map(({ id }) => id));
    expect(ids.filter((id) => !delivered.has(id))).toEqual([]);
    for (const id of unsent) {
      expect(delivered.has(id)).toBe(false);
      expect((await result(world, reactor, id)).status).toMatch(/^(succeeded|failed)$/);
    }
    // Some were interrupted, and all of those report it.
    const interrupted = world.received.filter(({ body }) => (body as { status?: number }).status === 500);
    expect(interrupted.length).toBeGreaterThan(5);
    expect(new Set(interrupted.map(({ body }) => (body as { detail: string }).detail)).size).toBe(1);
  });
});
