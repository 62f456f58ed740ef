import { NOW } from '../support/now.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type { StoredToken } from '../../src/core/tokens/token.ts';
import type { CandidateQuery, UnprovenTokenStore } from '../../src/core/tokens/token-store.ts';
import { aCvc, aStoredToken, changed, terms } from '../support/builders/a-stored-token.ts';

/**
 * The contract of every {@link UnprovenTokenStore}. `make` returns an empty store, or another
 * client of one; no two suites share a tenant.
 */
export function tokenStoreContract(name: string, make: () => UnprovenTokenStore): void {
  function aTenantsTokens() {
    const store = make();
    const tenantId = randomUUID();
    const aToken = (more: Partial<StoredToken> = {}) => aStoredToken({ tenantId, ...more });
    const candidates = async (wanted: Partial<CandidateQuery> = {}, of = tenantId) => {
      const found = [];
      for await (const batch of store.candidates(of, { terms: [], expected: 10, ...wanted }))
        found.push(...batch);
      return found;
    };
    const idsOf = async (wanted: Partial<CandidateQuery> = {}, of = tenantId) =>
      (await candidates(wanted, of)).map(({ id }) => id);
    const create = async (...tokens: readonly StoredToken[]) => {
      for (const token of tokens) expect(await store.create([{ token }])).toBe('written');
    };
    return { store, tenantId, aToken, candidates, idsOf, create };
  }

  describe(`the contract of a token store, ${name}`, () => {
    it('returns tokens as written, each once, and none for unknown ids', async () => {
      const { store, tenantId, aToken } = aTenantsTokens();
      const token = aToken({ encryptedDetails: randomBytes(9), createdBy: 'x' });
      const other = aToken();
      expect(await store.create([{ token }, { token: other }])).toBe('written');
      expect(await store.find(tenantId, token.id)).toEqual(token);
      const ids = [token.id, randomUUID(), '', 'x'.repeat(3_000), token.id];
      expect(await store.findMany(tenantId, ids)).toEqual([token]);
      for (const id of ids.slice(1, 4)) expect(await store.find(tenantId, id)).toBeUndefined();
    });

    it('hides tokens, and everything that belongs to them, from other tenants', async () => {
      const { store, aToken, idsOf } = aTenantsTokens();
      const token = aToken({ type: 'card', terms: ['t'], holdsLock: true, cvcUntil: NOW + 60_000 });
      await store.create([{ token, cvc: aCvc() }]);
      const stranger = randomUUID();
      const theirs = { ...token, tenantId: stranger };
      expect(await store.find(stranger, token.id)).toBeUndefined();
      expect(await store.findMany(stranger, [token.id])).toEqual([]);
      expect(await store.findSummaries(stranger, [token.id])).toEqual([]);
      expect((await store.findCvcs(stranger, [token.id])).size).toBe(0);
      expect([await idsOf({}, stranger), await idsOf({ terms: ['t'] }, stranger)]).toEqual([[], []]);
      expect(await idsOf({ fingerprint: token.fingerprint }, stranger)).toEqual([]);
      for await (const summaries of store.findMatches(theirs)) expect(summaries).toEqual([]);
      expect(await store.update(theirs, { token: changed(theirs) })).toBe('changed');
      expect(await store.deleteIfStandalone(stranger, token.id, NOW)).toEqual({
        remaining: undefined,
      });
      expect(await store.create([{ token: aStoredToken({ ...theirs, id: token.id }) }])).toBe('written');
      expect(await store.find(token.tenantId, token.id)).toEqual(token);
    });

    it('writes none of several new tokens when the id of one is in use', async () => {
      const { store, aToken, idsOf } = aTenantsTokens();
      const taken = aToken();
      await store.create([{ token: taken }]);
      const outcome = await store.create([{ token: aToken() }, { token: aToken({ id: taken.id }) }]);
      expect(outcome).toEqual({ idTakenBy: { id: taken.id, writeId: taken.writeId } });
      expect(await idsOf()).toEqual([taken.id]);
    });

    it('never lets a second token have the id that a caller chose for a deleted one', async () => {
      const { store, tenantId, aToken, idsOf } = aTenantsTokens();
      const parts = { encryptedData: randomBytes(800_000), terms: terms(3), holdsLock: true };
      const many = { terms: terms(120) };
      for (const more of [{}, parts, many]) {
        const chosen = aToken({ id: `chosen-${randomUUID()}`, ...more });
        expect(await store.create([{ token: chosen }])).toBe('written');
        expect(await store.deleteVersion(chosen)).toBe(true);
        expect(await store.find(tenantId, chosen.id)).toBeUndefined();
        expect(await store.findSummaries(tenantId, [chosen.id])).toEqual([]);
        const again = aToken({ id: chosen.id });
        expect(await store.create([{ token: again }])).toEqual({
          idTakenBy: { id: chosen.id, writeId: chosen.writeId },
        });
        expect(await store.deleteVersion(chosen)).toBe(false);
        expect(await store.update(chosen, { token: changed(chosen) })).toBe('changed');
      }
      expect(await idsOf()).toEqual([]);
    });

    it('remembers the id of a plain token that one call deletes', async () => {
      const { store, tenantId, aToken } = aTenantsTokens();
      const chosen = aToken({ id: randomUUID() });
      await store.create([{ token: chosen }]);
      expect(await store.deleteIfStandalone(tenantId, chosen.id, 0)).toBe('deleted');
      expect(await store.deleteIfStandalone(tenantId, chosen.id, 0)).toEqual({ remaining: undefined });
      expect(await store.create([{ token: aToken({ id: chosen.id }) }])).toEqual({
        idTakenBy: { id: chosen.id, writeId: chosen.writeId },
      });
    });

    it('knows of a deleted token which create made it, also if an update changed it before', async () => {
      const { store, tenantId, aToken, create } = aTenantsTokens();
      const deletions = {
        'in one call': async (token: StoredToken) => {
          expect(await store.deleteIfStandalone(tenantId, token.id, 0)).toBe('deleted');
        },
        'in its version': async (token: StoredToken) => {
          expect(await store.deleteVersion(token)).toBe(true);
        },
      };
      for (const remove of Object.values(deletions))
        for (const first of [aToken(), aToken({ id: `chosen-${randomUUID()}` })]) {
          const second = changed(first, { createWriteId: first.writeId });
          await create(first);
          expect(await store.update(first, { token: second })).toBe('written');
          expect(await store.findDeleted(tenantId, [first.id])).toEqual(new Map());
          await remove(second);
          expect(await store.findDeleted(tenantId, ['other', first.id])).toEqual(
            new Map([[first.id, first.writeId]]),
          );
          expect(await store.create([{ token: first }])).toEqual({
            idTakenBy: { id: first.id, writeId: first.writeId },
          });
        }
    });

    it('finds the ids that a token has or had, and no others', async () => {
      const { store, tenantId, aToken, create } = aTenantsTokens();
      const present = aToken();
      const deleted = aToken({ id: `chosen-${randomUUID()}` });
      for (const token of [present, deleted]) await create(token);
      await store.deleteIfStandalone(tenantId, deleted.id, 0);
      expect(await store.findTaken(tenantId, ['free', present.id, deleted.id, '\u0000'])).toEqual(
        new Set([present.id, deleted.id]),
      );
      expect(await store.findTaken(randomUUID(), [present.id, deleted.id])).toEqual(new Set());
    });

    it('forgets the ids of a tenant that is destroyed, and no others', async () => {
      const destroyed = aTenantsTokens();
      const other = aTenantsTokens();
      for (const { store, aToken } of [destroyed, other])
        for (let index = 0; index < 3; index += 1) {
          const token = aToken({ id: `id-${String(index)}` });
          await store.create([{ token }]);
          await store.deleteVersion(token);
        }
      const living = destroyed.aToken({ id: 'living' });
      await destroyed.store.create([{ token: living }]);
      await destroyed.store.deleteTombstonesOf(destroyed.tenantId, ['id-1', 'living', 'none']);
      expect(await destroyed.store.find(destroyed.tenantId, 'living')).toEqual(living);
      let deleted = 0;
      for (let step = -1; step !== 0; deleted += step)
        step = await destroyed.store.deleteTombstones(destroyed.tenantId, 2);
      expect(deleted).toBe(2);
      expect(await other.store.create([{ token: other.aToken({ id: 'id-0' }) }])).toMatchObject({
        idTakenBy: { id: 'id-0' },
      });
    });

    it('replaces only the version that a token was made from, with its index entries', async () => {
      const { store, tenantId, aToken, idsOf } = aTenantsTokens();
      const first = aToken({ terms: terms(2) });
      await store.create([{ token: first }]);
      const second = changed(first, { terms: terms(2, 'other') });
      expect(await store.update(first, { token: second })).toBe('written');
      expect(await store.update(first, { token: changed(first) })).toBe('changed');
      expect(await store.deleteVersion(first)).toBe(false);
      expect(await store.find(tenantId, first.id)).toEqual(second);
      expect([await idsOf({ terms: ['term0'] }), await idsOf({ terms: ['other0'] })]).toEqual([
        [],
        [first.id],
      ]);
    });

    it('does not update a deleted token', async () => {
      const { store, tenantId, aToken, idsOf } = aTenantsTokens();
      const token = aToken({ terms: ['t'] });
      await store.create([{ token }]);
      expect(await store.deleteVersion(token)).toBe(true);
      expect(await store.update(token, { token: changed(token) })).toBe('changed');
      expect(await store.find(tenantId, token.id)).toBeUndefined();
      expect([await idsOf(), await idsOf({ terms: ['t'] })]).toEqual([[], []]);
    });

    it('preserves, replaces and removes a cvc, and deletes it with its token', async () => {
      const { store, tenantId, aToken } = aTenantsTokens();
      const first = aToken({ type: 'card', cvcUntil: 1 });
      const cvc = aCvc();
      const next = aCvc();
      const cvcOf = async () => (await store.findCvcs(tenantId, [first.id, randomUUID()])).get(first.id);
      await store.create([{ token: first, cvc }]);
      expect(await cvcOf()).toEqual(cvc);
      const second = changed(first);
      await store.update(first, { token: second });
      expect(await cvcOf()).toEqual(cvc);
      const third = changed(second);
      await store.update(second, { token: third, cvc: next });
      expect(await cvcOf()).toEqual(next);
      const { cvcUntil: _, ...without } = changed(third);
      await store.update(third, { token: without, cvc: 'removed' });
      expect(await cvcOf()).toBeUndefined();
      const last = changed(without, { cvcUntil: 1 });
      await store.update(without, { token: last, cvc });
      await store.deleteVersion(last);
      expect(await cvcOf()).toBeUndefined();
    });

    it('gives the lock of a match hash to one token, and to the next when that is deleted', async () => {
      const { store, tenantId, aToken } = aTenantsTokens();
      const [first, second] = [1, 2].map(() => aToken({ matchHash: 'f', holdsLock: true })) as [
        StoredToken,
        StoredToken,
      ];
      await store.create([{ token: first }]);
      expect(await store.create([{ token: second }])).toEqual({ lockedBy: first.id });
      expect(await store.find(tenantId, second.id)).toBeUndefined();
      const without = { ...second, holdsLock: false };
      await store.create([{ token: without }]);
      const locking = changed(second);
      expect(await store.update(without, { token: locking })).toEqual({ lockedBy: first.id });
      await store.deleteVersion(first);
      expect(await store.update(without, { token: locking })).toBe('written');
    });

    it('moves a lock with its token to another match hash, and releases it', async () => {
      const { store, aToken, create } = aTenantsTokens();
      const locked = (matchHash: string) => aToken({ matchHash, holdsLock: true });
      const first = locked('f');
      await create(first);
      const moved = changed(first, { matchHash: 'g' });
      expect(await store.update(first, { token: moved })).toBe('written');
      await create(locked('f'));
      expect(await store.create([{ token: locked('g') }])).toEqual({ lockedBy: first.id });
      expect(await store.update(moved, { token: changed(moved, { holdsLock: false }) })).toBe('written');
      await create(locked('g'));
    });

    it('lets a new token take over a lock only from the token that it names', async () => {
      const { store, aToken } = aTenantsTokens();
      const locked = () => aToken({ matchHash: 'f', holdsLock: true });
      const first = locked();
      const heir = locked();
      await store.create([{ token: first }]);
      expect(await store.create([{ token: heir, lockOf: randomUUID() }])).toEqual({ lockedBy: first.id });
      expect(await store.create([{ token: heir, lockOf: first.id }])).toBe('written');
      expect(await store.deleteVersion(first)).toBe(true);
      expect(await store.create([{ token: locked() }])).toEqual({ lockedBy: heir.id });
    });

    it('returns summaries without large data, and reads the data by summaries, also when it has changed', async () => {
      const { store, tenantId, aToken, create } = aTenantsTokens();
      const small = aToken();
      const large = aToken({ encryptedData: randomBytes(400_000) });
      const gone = aToken();
      await create(small, large, gone);
      const ids = [small.id, large.id, gone.id];
      const summaries = (await store.findSummaries(tenantId, ids)).toSorted(
        (a, b) => ids.indexOf(a.id) - ids.indexOf(b.id),
      );
      expect(summaries.map(({ encryptedData }) => encryptedData?.length)).toEqual([80, undefined, 80]);
      expect(summaries[1]?.dataBytes).toBe((summaries[0]?.dataBytes ?? 0) + 400_000 - 80);
      await store.update(large, { token: changed(large, { encryptedData: randomBytes(500_000) }) });
      const [, summary] = summaries;
      const read = summary && (await store.readData([summary]));
      expect(read?.map(({ encryptedData, version }) => [encryptedData.length, version])).toEqual([
        [500_000, 2],
      ]);
      await store.deleteVersion((await store.find(tenantId, large.id)) ?? large);
      expect(summary && (await store.readData([summary]))).toEqual([]);
    });

    it('returns the matches that last long enough, by expiration', async () => {
      const { store, tenantId, aToken, create } = aTenantsTokens();
      const now = NOW;
      const of = (at: number | undefined, createdAt = now) =>
        aToken({
          fingerprint: tenantId,
          matchHash: 'm',
          createdAt,
          ...(at !== undefined && { expiration: { at: now + at, offsetMinutes: 0 } }),
        });
      const planted = Array.from({ length: 30 }, (_, index) => of(1_000 + index));
      const good = [of(50_000), of(60_000), of(undefined, now - 5), of(undefined)];
      const others = [
        aToken({ fingerprint: tenantId, matchHash: 'n' }),
        aToken({ fingerprint: 'g', matchHash: 'm' }),
      ];
      await create(...planted, ...good.toReversed(), ...others);
      const found = async (at: number | undefined) => {
        const ids: string[] = [];
        const expiration = at === undefined ? {} : { expiration: { at: now + at, offsetMinutes: 0 } };
        const wanted = { tenantId, fingerprint: tenantId, matchHash: 'm', ...expiration };
        for await (const summaries of store.findMatches(wanted)) ids.push(...summaries.map(({ id }) => id));
        return ids;
      };
      const ids = good.map(({ id }) => id);
      expect(await found(50_000)).toEqual(ids);
      expect(await found(50_001)).toEqual(ids.slice(1));
      expect(await found(undefined)).toEqual(ids.slice(2));
      expect(await found(0)).toHaveLength(34);
    });

    it('returns the candidates of a fingerprint newest first, for any terms, after any position', async () => {
      const { tenantId, aToken, candidates, create } = aTenantsTokens();
      const now = NOW;
      const tokens = [1, 2, 3].map((at) =>
        aToken({
          fingerprint: tenantId,
          createdAt: now + at,
          hasMask: at === 2,
          terms: at === 3 ? [] : ['t'],
        }),
      );
      await create(...tokens);
      const found = async (of: readonly string[], after?: string) => {
        const wanted = { terms: of, fingerprint: tenantId, ...(after !== undefined && { after }) };
        return (await candidates(wanted)).map(({ id, hasMask }) => [id, hasMask]);
      };
      const [first, second, third] = tokens.map(({ id, hasMask }) => [id, hasMask]);
      expect(await found([])).toEqual([third, second, first]);
      expect(await found(['t'])).toEqual([second, first]);
      expect(await found([], tokens[1]?.position)).toEqual([first]);
      expect(await found(['none'])).toEqual([]);
    });

    it('reports the mask of a candidate under a term, but not from the list of all', async () => {
      const { aToken, candidates, create } = aTenantsTokens();
      const now = NOW;
      const tokens = [true, false].map((hasMask, at) =>
        aToken({
          hasMask,
          createdAt: now - at,
          terms: ['t'],
          expiration: { at: now + at, offsetMinutes: 60 },
        }),
      );
      await create(...tokens);
      const shown = ({ id, position, type, containers, expiration }: StoredToken) => ({
        id,
        position,
        type,
        containers,
        expiration,
      });
      expect(await candidates()).toEqual(tokens.map(shown));
      expect(await candidates({ terms: ['t'] })).toEqual(
        tokens.map((token) => ({ ...shown(token), hasMask: token.hasMask })),
      );
    });

    it('deletes in one call a token that has not expired and has nothing with it', async () => {
      const { store, tenantId, aToken, create } = aTenantsTokens();
      const more = { containers: ['/a/b/', '/c/'], expiration: { at: 1_000, offsetMinutes: 0 } } as const;
      const token = aToken(more);
      await create(token);
      const remove = (now: number) => store.deleteIfStandalone(tenantId, token.id, now);
      expect(await remove(1_000)).toEqual({ remaining: token });
      expect(await remove(999)).toBe('deleted');
      expect(await store.find(tenantId, token.id)).toBeUndefined();
      expect(await remove(999)).toEqual({ remaining: undefined });
    });

    it.each<[string, Partial<StoredToken>]>([
      ['a cvc', { type: 'card', cvcUntil: 9 }],
      ['entries', { terms: ['t'] }],
      ['a lock', { holdsLock: true }],
      ['large data', { encryptedData: randomBytes(400_000) }],
    ])('does not delete in one call a token that has %s', async (_, more) => {
      const { store, tenantId, aToken } = aTenantsTokens();
      const token = aToken(more);
      await store.create([{ token, ...(token.cvcUntil !== undefined && { cvc: aCvc() }) }]);
      const outcome = await store.deleteIfStandalone(tenantId, token.id, 0);
      expect(outcome).toMatchObject({ remaining: { id: token.id, version: 1 } });
      expect((await store.find(tenantId, token.id))?.version).toBe(1);
    });
  });
}
