import { NOW } from '../support/now.ts';
import { randomUUID } from 'node:crypto';
import type { InvocationStore } from '../../src/core/reactors/invocation-store.ts';
import { positionOf, type Invocation } from '../../src/core/reactors/invocation.ts';
import { anInvocation } from '../support/builders/an-invocation.ts';

const end = () => ({ until: NOW + 60_000, isSwept: false });

async function parkedOf(
  store: InvocationStore,
  reactor: Pick<Invocation, 'tenantId' | 'reactorId'>,
  after?: string,
): Promise<readonly Invocation[]> {
  const found: Invocation[] = [];
  for await (const batch of store.parked(reactor, after, 2)) {
    expect(batch.length).toBeLessThanOrEqual(2);
    found.push(...batch);
  }
  return found;
}

/** Tests what every {@link InvocationStore} must do. */
export function invocationStoreContract(name: string, make: () => InvocationStore): void {
  describe(`the contract of an invocation store, ${name}`, () => {
    it('writes a new invocation once, and hides it from other tenants', async () => {
      const invocation = anInvocation();
      const stranger = { ...invocation, tenantId: randomUUID() };
      expect(await make().create(invocation)).toBe(true);
      expect(await make().create(invocation)).toBe(false);
      expect(await make().find(invocation)).toEqual(invocation);
      expect(await make().find(stranger)).toBeUndefined();
      expect(await make().update(stranger, { ...stranger, state: 'running' })).toBe(false);
      expect(await make().find({ ...invocation, id: 'x' })).toBeUndefined();
    });

    it.each<[string, Partial<Invocation>, Partial<Invocation>]>([
      ['workers claim it', {}, { state: 'running', runUntil: 5, dueAt: 5 }],
      ['senders make an attempt', { state: 'succeeded', delivery: 'pending' }, { attempts: 1, dueAt: 9 }],
    ])('lets one writer win when many %s in the same millisecond', async (_, before, claim) => {
      const invocation = anInvocation(before);
      await make().create(invocation);
      const claims = Array.from({ length: 20 }, () => ({
        ...invocation,
        ...claim,
        [claim.state === 'running' ? 'runner' : 'sender']: randomUUID(),
      }));
      const store = make();
      const won = await Promise.all(claims.map((next) => store.update(invocation, next)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.find(invocation)).toEqual(claims[won.indexOf(true)]);
    });

    it.each<Partial<Invocation>>([
      { state: 'running' },
      { runner: 'another' },
      { sender: 'another' },
      { delivery: 'pending' },
      { attempts: 1 },
      { dueAt: 7 },
    ])('does not replace an invocation that has changed in %j', async (change) => {
      const invocation = anInvocation();
      const changed = { ...invocation, ...change };
      await make().create(changed);
      expect(await make().update(invocation, { ...invocation, state: 'failed' })).toBe(false);
      expect(await make().find(invocation)).toEqual(changed);
      expect(await make().update(changed, { ...changed, state: 'failed' })).toBe(true);
    });

    it('replaces content that is written again, and shows it to no other tenant', async () => {
      const invocation = anInvocation();
      expect(await make().content(invocation, 'result')).toBeUndefined();
      for (const text of ['a longer first', 'second'])
        await make().putContent(invocation, 'result', Buffer.from(text), end());
      expect((await make().content(invocation, 'result'))?.toString()).toBe('second');
      expect(await make().content(invocation, 'payload')).toBeUndefined();
      expect(await make().content({ ...invocation, tenantId: randomUUID() }, 'result')).toBeUndefined();
    });

    it('removes an invocation with all of its content, also a second time', async () => {
      const invocation = anInvocation();
      await make().create(invocation);
      for (const content of ['payload', 'result'] as const)
        await make().putContent(invocation, content, Buffer.from('x'), end());
      for (let times = 0; times < 2; times += 1) await make().remove(invocation);
      expect(await make().find(invocation)).toBeUndefined();
      for (const content of ['payload', 'result'] as const)
        expect(await make().content(invocation, content)).toBeUndefined();
      expect(await make().update(invocation, { ...invocation, state: 'failed' })).toBe(false);
    });

    it.each(['parked', 'pending'] as const)(
      'returns %s deliveries that failed, the next one first',
      async (state) => {
        const tenantId = randomUUID();
        const failed = { tenantId, state: 'failed', attempts: 9, lastReason: 'connection refused' } as const;
        const other = state === 'parked' ? 'pending' : 'parked';
        for (const dueAt of [3, 1, 2])
          await make().create(anInvocation({ ...failed, delivery: state, dueAt }));
        await make().create(anInvocation({ ...failed, delivery: other }));
        await make().create(anInvocation({ tenantId, state: 'failed', delivery: 'pending', attempts: 0 }));
        // Its first attempt is still being made.
        const first = { delivery: 'pending', attempts: 1, sender: 'one' } as const;
        await make().create(anInvocation({ tenantId, state: 'failed', ...first }));
        const found: Invocation[] = [];
        for await (const batch of make().undelivered(state)) found.push(...batch);
        const own = found.filter((each) => each.tenantId === tenantId);
        expect(own.map(({ dueAt, lastReason }) => [dueAt, lastReason])).toEqual([
          [1, 'connection refused'],
          [2, 'connection refused'],
          [3, 'connection refused'],
        ]);
      },
    );

    it('returns the parked deliveries of one reactor, the oldest first, from a position on', async () => {
      const of = { tenantId: randomUUID(), reactorId: randomUUID() };
      const parked = { ...of, state: 'succeeded', delivery: 'parked', attempts: 10 } as const;
      const times = [5, 3, 4, 4, 1].map((time) => 1_700_000_000_000 + time);
      const all = times.map((createdAt) => anInvocation({ ...parked, createdAt, dueAt: 1 }));
      const others = [
        anInvocation({ ...parked, tenantId: randomUUID() }),
        anInvocation({ ...parked, reactorId: randomUUID() }),
        ...(['none', 'pending', 'delivered'] as const).map((delivery) =>
          anInvocation({ ...parked, delivery }),
        ),
      ];
      for (const invocation of [...all, ...others]) await make().create(invocation);
      const found = (after?: string) => parkedOf(make(), of, after);
      const sorted = all.toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
      expect(await found()).toEqual(sorted);
      for (const [index, each] of sorted.entries())
        expect(await found(positionOf(each))).toEqual(sorted.slice(index + 1));
    });

    it('returns a parked delivery no longer once it is sent again, which one of many does', async () => {
      const parked = anInvocation({ state: 'failed', delivery: 'parked', attempts: 10, lastStatus: 500 });
      await make().create(parked);
      const pending = (dueAt: number) => ({ ...parked, delivery: 'pending', attempts: 0, dueAt }) as const;
      const store = make();
      const resent = await Promise.all([7, 8, 9].map((dueAt) => store.resend(parked, pending(dueAt))));
      expect(resent.filter(Boolean)).toHaveLength(1);
      expect(await make().find(parked)).toEqual(pending(resent.indexOf(true) + 7));
      expect(await parkedOf(make(), parked)).toEqual([]);
    });
  });
}
