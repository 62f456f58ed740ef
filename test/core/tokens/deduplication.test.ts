import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import type { Caller } from '../../../src/core/access/caller.ts';
import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { createToken } from '../../../src/core/tokens/create-tokens.ts';
import type { UnprovenToken } from '../../../src/core/tokens/token.ts';
import type { TokenInput, TokenPatch } from '../../../src/core/tokens/token-input.ts';
import { updateToken } from '../../../src/core/tokens/update-token.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { replayToken, tokenReplayOf } from '../../../src/core/tokens/token-replay.ts';
import { presentResult } from '../../../src/wire/token.ts';
import type { Permission } from '../../../src/core/access/permission.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { created } from '../../support/created.ts';

const HOUR = 3_600_000;
const shop = aCaller({
  tenantId: TENANT,
  applicationId: 'shop',
  credentialId: 'shop',
  permissions: ['token:create', 'token:read', 'token:update'],
});
const browser: Caller = { ...shop, applicationId: 'browser', credentialId: 'browser', type: 'public' };
const session: Caller = { ...shop, type: 'session', actsBy: 'session' };

/** Another application with one rule, which shows no data. */
const rule = (...permissions: Permission[]): Caller => ({
  ...shop,
  applicationId: 'other',
  credentialId: 'other',
  permissions: [],
  rules: [{ priority: 1, container: '/', transform: 'redact', permissions }],
});

const input = (data: Json, more: Partial<TokenInput> = {}): TokenInput => ({
  type: 'token',
  data: new Secret(data),
  deduplicateToken: true,
  ...more,
});

function setUp() {
  const world = aWallWorld();
  const create = (caller: Caller, data: Json, more?: Partial<TokenInput>) =>
    createToken(world.deps, caller, input(data, more), randomIdentity(machinePlatform.random));
  const patch = (caller: Caller, id: string, raw: TokenPatch) =>
    updateToken(world.deps, caller, { id, patch: raw }, randomIdentity(machinePlatform.random));
  const stored = async (id: string): Promise<UnprovenToken> => {
    const token = await world.storedTokens.find(TENANT, id);
    if (token === undefined) throw new Error('no such token');
    return token;
  };
  const inHours = (hours: number) => new Date(world.now() + hours * HOUR).toISOString();
  return { ...world, create, patch, stored, inHours };
}

describe('deduplication', () => {
  it('makes one token of concurrent creates', async () => {
    const { create, tokenItems } = setUp();
    const results = await Promise.all(
      [shop, browser, session, shop, browser].map((caller) => create(caller, 'one')),
    );
    expect(new Set(results.map(({ token }) => token.id)).size).toBe(1);
    expect(tokenItems.count()).toBe(1);
    expect(results.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
  });

  it('marks a token as shared for another caller, but not for its creator', async () => {
    const { create, stored } = setUp();
    const { token } = await create(shop, 'one');
    await create(shop, 'one');
    expect((await stored(token.id)).isShared).toBe(false);
    const before = await stored(token.id);
    await create(session, 'one');
    const { isShared, version, writeId, modifiedAt } = await stored(token.id);
    expect([isShared, version, modifiedAt]).toEqual([true, before.version + 1, before.modifiedAt]);
    // The content is unchanged, and so is a replay.
    expect(writeId.equals(before.writeId)).toBe(true);
  });

  it.each([
    ['by its own key', shop, false],
    ['by a public key', browser, true],
    ['through a session', session, true],
  ])('a token of equal values in one request, sent %s, is shared: %#', async (_title, caller, isShared) => {
    const { deps, stored, inHours } = setUp();
    const raw = ['one', 'two', 'one'].map((data, index) => ({
      path: String(index),
      input: input(data, index === 0 ? { expiresAtText: inHours(1) } : {}),
    }));
    const results = await created(deps, caller, raw, randomIdentity(machinePlatform.random));
    const [first, second, third] = results.map(({ token }) => token.id);
    expect(first).toBe(third);
    expect(results.map(({ deduplicated }) => deduplicated)).toEqual([true, false, false]);
    // The one that expires last is used for both.
    const used = await stored(first ?? '');
    const other = await stored(second ?? '');
    expect(used.expiration).toBeUndefined();
    expect([used.isShared, other.isShared]).toEqual([isShared, false]);
  });

  it('does not use a token whose match an administrator of the tables has changed', async () => {
    const { create, stored, tokenItems } = setUp();
    const wanted = await create(shop, 'one');
    const planted = await create(browser, 'another');
    const { matchHash, fingerprint } = await stored(wanted.token.id);
    tokenItems.remove(wanted.token);
    tokenItems.forge({ ...(await stored(planted.token.id)), matchHash, fingerprint, isShared: true });
    // Under redact no later step opens the data.
    const rule = { priority: 1, container: '/', transform: 'redact', permissions: ['token:create'] } as const;
    await expect(create({ ...shop, permissions: [], rules: [rule] }, 'one')).rejects.toThrow();
  });

  it('does not use a token that ends earlier, and passes the lock to the one that lives longer', async () => {
    const { create, inHours } = setUp();
    const short = await create(shop, 'one', { expiresAtText: inHours(1) });
    const long = await create(shop, 'one', { expiresAtText: inHours(3) });
    expect(long.token.id).not.toBe(short.token.id);
    const between = await create(browser, 'one', { expiresAtText: inHours(2) });
    expect(between.token.id).toBe(long.token.id);
    const forever = await create(browser, 'one');
    expect([short.token.id, long.token.id]).not.toContain(forever.token.id);
  });

  it('prevents the creator of a shared token from changing the description', async () => {
    const { create, patch } = setUp();
    const { token } = await create(shop, 'one');
    await patch(shop, token.id, { searchIndexes: ['{{ data }}'] });
    await create(browser, 'one');
    for (const description of [
      { searchIndexes: null },
      { mask: null },
      { fingerprintExpression: null },
      { containers: token.containers },
    ])
      await expect(patch(shop, token.id, description)).rejects.toMatchObject({ code: 'forbidden' });
    await patch(shop, token.id, { metadata: { seen: 'yes' } });
    await expect(patch(shop, token.id, { data: new Secret('two') })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(patch(shop, token.id, { expiresAtText: '1/1/2030' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('does not use a token that changed while it was marked', async () => {
    const { create, patch, deps } = setUp();
    const { token } = await create(shop, 'one');
    const update = deps.tokenStore.update.bind(deps.tokenStore);
    let isFirst = true;
    deps.tokenStore.update = async (previous, next) => {
      if (isFirst) {
        isFirst = false;
        await patch(shop, token.id, { data: new Secret('two') });
      }
      return update(previous, next);
    };
    const found = await create(browser, 'one');
    expect([found.deduplicated, found.token.id === token.id]).toEqual([false, false]);
  });

  it('the month and year of a card are compared by deduplication as well', async () => {
    const { create } = setUp();
    const card = (more: JsonObject): Json => ({ number: '4242424242424242', ...more });
    const { token } = await create(shop, card({ expiration_month: 1 }), { type: 'card' });
    for (const other of [{}, { expiration_month: 2 }, { expiration_month: 1, expiration_year: 2030 }])
      expect((await create(browser, card(other), { type: 'card' })).token.id).not.toBe(token.id);
    const same = await create(browser, card({ expiration_month: '01' }), { type: 'card' });
    expect(same.token.id).toBe(token.id);
  });

  it('deduplication of a card lets a private application renew its month and year by its own key, and nothing else', async () => {
    const { create, patch } = setUp();
    const card = (month: number): Json => ({ number: '4242424242424242', expiration_month: month });
    const { token } = await create(shop, card(1), { type: 'card' });
    await create(browser, card(1), { type: 'card' });
    await expect(
      patch(browser, token.id, { data: new Secret<Json>({ expiration_month: 3 }) }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    await patch(shop, token.id, { data: new Secret<Json>({ expiration_month: 3 }) });
    expect((await create(browser, card(3), { type: 'card' })).token.id).toBe(token.id);
    await expect(
      patch(browser, token.id, { data: new Secret<Json>({ number: '5555555555554444' }) }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a caller who may update but not see the data', () => {
  const blind = rule('token:update');
  const refused = { code: 'forbidden' };

  it('learns nothing by a patch of a shared token that changes nothing', async () => {
    const { create, patch, deps } = setUp();
    const update = jest.spyOn(deps.tokenStore, 'update');
    await fc.assert(
      fc.asyncProperty(fc.nat(9), fc.nat(9), fc.boolean(), async (pin, guess, isWhole) => {
        const { token } = await create(shop, { pin, name: 'one' });
        await create(browser, { pin, name: 'one' });
        update.mockClear();
        const data = new Secret<Json>(isWhole ? { pin: guess, name: 'one' } : { pin: guess });
        await expect(patch(blind, token.id, { data })).rejects.toMatchObject(refused);
        expect(update).not.toHaveBeenCalled();
      }),
      { numRuns: cases(40) },
    );
  });

  it.each([undefined, { expiration_month: 1 }, { number: '4242424242424242' }])(
    'cannot confirm the rest of a card by a match: %j',
    async (data) => {
      const { create, patch } = setUp();
      const card = (month: number): Json => ({
        number: '4242424242424242',
        expiration_month: month,
        expiration_year: 2040,
      });
      const first = await create(shop, card(1), { type: 'card' });
      const second = await create(shop, card(2), { type: 'card' });
      const guess = { ...(data && { data: new Secret<Json>(data) }), deduplicateToken: true };
      await expect(patch(blind, second.token.id, guess)).rejects.toMatchObject(refused);
      const known = { data: new Secret(card(1)), deduplicateToken: true };
      expect((await patch(blind, second.token.id, known)).token.id).toBe(first.token.id);
    },
  );
});

describe('a cvc that is sent with a card that exists', () => {
  const withCvc = (cvc: string): Json => ({ number: '4242424242424242', cvc });
  const reading = (permissions: readonly Permission[]): Caller => ({
    ...shop,
    applicationId: 'other',
    credentialId: 'other',
    permissions: [],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions }],
  });

  it('is stored for a new lifetime by who may update the card', async () => {
    const world = setUp();
    const { create } = world;
    const { token } = await create(shop, withCvc('111'), { type: 'card' });
    world.pass(1_000);
    const updater = reading(['token:create', 'token:read', 'token:update']);
    const result = await create(updater, withCvc('222'), { type: 'card' });
    expect(presentResult(result)).toMatchObject({
      id: token.id,
      data: withCvc('222'),
      _extras: { deduplicated: true },
    });
    expect(presentResult(result)['_extras']).not.toHaveProperty('not_stored');
    const stored = await world.deps.tokenStore.find(TENANT, token.id);
    expect(stored?.cvcUntil).toBe((token.cvcUntil ?? 0) + 1_000);
    expect(stored).toMatchObject({ isSolelyOwn: false, modifiedBy: 'other', version: 3 });
  });

  it('is not stored by who may only create, and the answer says so', async () => {
    const world = setUp();
    const { create } = world;
    const { token } = await create(shop, withCvc('111'), { type: 'card' });
    const result = await create(reading(['token:create', 'token:read']), withCvc('222'), { type: 'card' });
    expect(presentResult(result)).toMatchObject({
      id: token.id,
      data: withCvc('111'),
      _extras: { deduplicated: true, not_stored: ['data.cvc'] },
    });
    const stored = await world.deps.tokenStore.find(TENANT, token.id);
    expect(stored?.cvcUntil).toBe(token.cvcUntil);
    const replayed = await replayToken(
      world.deps,
      reading(['token:create', 'token:read']),
      'token:create',
      tokenReplayOf(result),
    );
    expect(presentResult(replayed)['_extras']).toEqual(presentResult(result)['_extras']);
  });

  it('is named as not stored when another token of the same request has another one', async () => {
    const world = setUp();
    const inputs = ['111', '222', '111'].map((cvc, index) => ({
      path: String(index),
      input: { type: 'card' as const, data: new Secret(withCvc(cvc)), deduplicateToken: true },
    }));
    const results = await created(world.deps, shop, inputs, randomIdentity(machinePlatform.random));
    expect(results.map(({ notStored }) => notStored)).toEqual([undefined, ['data.cvc'], undefined]);
  });
});

describe('an earlier expiry', () => {
  it('needs token:delete, except by the creator with its own key', async () => {
    const { create, patch, inHours } = setUp();
    const { token } = await create(shop, 'one', { expiresAtText: inHours(3) });
    const earlier = { expiresAtText: inHours(2) };
    for (const caller of [rule('token:update'), { ...rule('token:update'), type: 'public' as const }])
      await expect(patch(caller, token.id, earlier)).rejects.toMatchObject({ code: 'forbidden' });
    await patch(rule('token:update'), token.id, { expiresAtText: inHours(3) });
    await patch(rule('token:update'), token.id, { expiresAtText: inHours(4) });
    await patch(rule('token:update', 'token:delete'), token.id, earlier);
    await patch(shop, token.id, { expiresAtText: inHours(1) });
    await patch(rule('token:update'), token.id, { expiresAtText: null });
    await expect(patch(rule('token:update'), token.id, earlier)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
