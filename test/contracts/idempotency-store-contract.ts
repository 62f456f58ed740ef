import { randomUUID } from 'node:crypto';
import type { IdempotencyStore } from '../../src/core/idempotency/idempotency-store.ts';

const BODY = Buffer.alloc(32, 1);
const OTHER_BODY = Buffer.alloc(32, 2);
const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const AFTER_THE_LEASE = NOW + MINUTE + 1;

/** The contract of every {@link IdempotencyStore}. `make` may return the same store each time. */
export function idempotencyStoreContract(name: string, make: () => IdempotencyStore): void {
  /** A request that no other test has made. */
  function aRequest() {
    const store = make();
    const scope = { tenantId: randomUUID(), request: 'hash' };
    const claim = (now = NOW, body = BODY, others: readonly Buffer[] = []) =>
      store.claim(scope, body, { now, leaseUntil: now + MINUTE }, others);
    const claimed = async (now = NOW) => {
      const made = await claim(now);
      if (made.state !== 'claimed') throw new Error(made.state);
      return made;
    };
    const keep = (attempt: string, response: string, until?: number) =>
      store.keep(scope, attempt, Buffer.from(response), { now: NOW, ...(until !== undefined && { until }) });
    return { store, scope, claim, claimed, keep };
  }

  describe(`the contract of an idempotency store, ${name}`, () => {
    it('gives a claim to one attempt, and to the next with its seed after the lease or a release', async () => {
      const { store, scope, claim, claimed } = aRequest();
      const first = await claimed();
      expect(await claim(NOW + MINUTE - 1)).toEqual({ state: 'running', leaseUntil: NOW + MINUTE });
      const second = await claimed(AFTER_THE_LEASE);
      expect([second.seed.equals(first.seed), second.attempt === first.attempt]).toEqual([true, false]);
      expect(second.startedAt).toBe(first.startedAt);
      await store.release(scope, second.attempt, false);
      expect((await claimed(AFTER_THE_LEASE + 1)).seed).toEqual(first.seed);
    });

    it('gives a claim to one of many concurrent attempts', async () => {
      const { claim } = aRequest();
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim()));
      expect(claims.filter(({ state }) => state === 'claimed')).toHaveLength(1);
      expect(claims.filter(({ state }) => state === 'running')).toHaveLength(9);
    });

    it('separates claims by tenant and by request', async () => {
      const { store, scope, claimed } = aRequest();
      await claimed();
      for (const other of [{ tenantId: randomUUID() }, { request: 'other' }])
        expect(
          (await store.claim({ ...scope, ...other }, BODY, { now: NOW, leaseUntil: NOW + 1 })).state,
        ).toBe('claimed');
    });

    it('replays a response for a day, and starts over after that', async () => {
      const { claim, claimed, keep } = aRequest();
      const { attempt, seed } = await claimed();
      await keep(attempt, 'answer');
      expect(await claim(NOW + DAY - 1)).toEqual({
        state: 'stored',
        encryptedResponse: Buffer.from('answer'),
      });
      expect((await claimed(NOW + DAY)).seed.equals(seed)).toBe(false);
    });

    it('stores no response of an attempt that lost its claim', async () => {
      const { claim, claimed, keep } = aRequest();
      const first = await claimed();
      const second = await claimed(AFTER_THE_LEASE);
      await keep(first.attempt, 'late');
      expect((await claim(AFTER_THE_LEASE)).state).toBe('running');
      await keep(second.attempt, 'good');
      expect(await claim()).toMatchObject({ encryptedResponse: Buffer.from('good') });
    });

    it('rejects another body while the first runs, after it died, and after it succeeded', async () => {
      const { claim, claimed, keep } = aRequest();
      const { attempt } = await claimed();
      for (const now of [NOW + 1, AFTER_THE_LEASE])
        expect(await claim(now, OTHER_BODY)).toEqual({ state: 'other_body' });
      await keep(attempt, 'x');
      expect(await claim(NOW + 2, OTHER_BODY)).toEqual({ state: 'other_body' });
      expect((await claim(NOW + 2)).state).toBe('stored');
    });

    it('recognizes a body by an alternative hash of it', async () => {
      const { claim, claimed, keep } = aRequest();
      const { attempt } = await claimed();
      await keep(attempt, 'x');
      expect((await claim(NOW, OTHER_BODY, [BODY])).state).toBe('stored');
    });

    it('starts over for another body after the first was released', async () => {
      const { store, scope, claim, claimed } = aRequest();
      const first = await claimed();
      await store.release(scope, first.attempt, false);
      const second = await claim(NOW + 1, OTHER_BODY);
      if (second.state !== 'claimed') throw new Error(second.state);
      expect(second.seed.equals(first.seed)).toBe(false);
      expect(await claim(NOW + 2)).toEqual({ state: 'other_body' });
    });

    it('reports a run to every later attempt, also after the first has died or failed', async () => {
      const { store, scope, claim, claimed } = aRequest();
      const { attempt } = await claimed();
      expect(await store.beginRun(scope, attempt)).toBe(true);
      expect((await claim(NOW + 1)).state).toBe('running');
      expect(await claim(AFTER_THE_LEASE)).toEqual({ state: 'ran' });
      await store.release(scope, attempt, true);
      expect(await claim(NOW + 1)).toEqual({ state: 'ran' });
      expect(await claim(NOW + 1, OTHER_BODY)).toEqual({ state: 'other_body' });
    });

    it('marks no run under a claim that was taken over, and removes the mark on release', async () => {
      const { store, scope, claimed } = aRequest();
      const first = await claimed();
      const second = await claimed(AFTER_THE_LEASE);
      expect(await store.beginRun(scope, first.attempt)).toBe(false);
      expect(await store.beginRun(scope, second.attempt)).toBe(true);
      await store.release(scope, second.attempt, false);
      expect((await claimed(AFTER_THE_LEASE + 1)).seed).toEqual(first.seed);
    });

    it('lets an attempt run after one that failed before marking its run', async () => {
      const { store, scope, claimed } = aRequest();
      const { attempt } = await claimed();
      await store.release(scope, attempt, true);
      expect((await claimed(NOW + 1)).state).toBe('claimed');
    });

    it('replays a response until its end, and reports a run afterwards', async () => {
      const { claim, claimed, keep } = aRequest();
      const { attempt } = await claimed();
      await keep(attempt, 'answer', NOW + 1_000);
      expect((await claim(NOW + 999)).state).toBe('stored');
      expect(await claim(NOW + 1_000)).toEqual({ state: 'ran' });
    });
  });
}
