import type { Caller } from '../../../src/core/applications/application.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { createToken, createTokens } from '../../../src/core/tokens/create-tokens.ts';
import type { StoredToken } from '../../../src/core/tokens/token.ts';
import type { TokenInput } from '../../../src/core/tokens/token-input.ts';
import { updateToken, type TokenPatch } from '../../../src/core/tokens/update-token.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';

const HOUR = 3_600_000;
const shop = aCaller({
  tenantId: TENANT,
  applicationId: 'shop',
  credentialId: 'shop',
  permissions: ['token:create', 'token:read', 'token:update'],
});
const browser: Caller = { ...shop, applicationId: 'browser', credentialId: 'browser', type: 'public' };
const session: Caller = { ...shop, type: 'session', actsBy: 'session' };

const input = (data: Json, more: Partial<TokenInput> = {}): TokenInput => ({
  type: 'token',
  data: new Secret(data),
  deduplicateToken: true,
  ...more,
});

function setUp() {
  const world = aWallWorld();
  const create = (caller: Caller, data: Json, more?: Partial<TokenInput>) =>
    createToken(world.deps, caller, input(data, more), randomIdentity);
  const patch = (caller: Caller, id: string, raw: TokenPatch) =>
    updateToken(world.deps, caller, { id, patch: raw }, randomIdentity);
  const stored = (id: string): StoredToken => {
    const token = world.tokens.get(`${TENANT}/${id}`);
    if (token === undefined) throw new Error('no such token');
    return token;
  };
  const inHours = (hours: number) => new Date(world.now() + hours * HOUR).toISOString();
  return { ...world, create, patch, stored, inHours };
}

describe('deduplication', () => {
  it('makes one token of concurrent creates', async () => {
    const { create, tokens } = setUp();
    const results = await Promise.all(
      [shop, browser, session, shop, browser].map((caller) => create(caller, 'one')),
    );
    expect(new Set(results.map(({ token }) => token.id)).size).toBe(1);
    expect(tokens.size).toBe(1);
    expect(results.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
  });

  it('marks a token as shared for another caller, but not for its creator', async () => {
    const { create, stored } = setUp();
    const { token } = await create(shop, 'one');
    await create(shop, 'one');
    expect(stored(token.id).isShared).toBe(false);
    const before = stored(token.id);
    await create(session, 'one');
    const { isShared, version, writeId, modifiedAt } = stored(token.id);
    expect([isShared, version, modifiedAt]).toEqual([true, before.version + 1, before.modifiedAt]);
    // The content is unchanged, and so is a replay.
    expect(writeId.equals(before.writeId)).toBe(true);
  });

  it.each([
    ['by its own key', shop, false],
    ['by a public key', browser, true],
    ['through a session', session, true],
  ])('of equal values in one request, sent %s, is shared: %#', async (_title, caller, isShared) => {
    const { deps, stored, inHours } = setUp();
    const raw = ['one', 'two', 'one'].map((data, index) => ({
      path: String(index),
      input: input(data, index === 0 ? { expiresAtText: inHours(1) } : {}),
    }));
    const results = await createTokens(deps, caller, raw, randomIdentity);
    const [first, second, third] = results.map(({ token }) => token.id);
    expect(first).toBe(third);
    expect(results.map(({ deduplicated }) => deduplicated)).toEqual([true, false, false]);
    // The one that expires last is used for both.
    expect(stored(first ?? '').expiration).toBeUndefined();
    expect([stored(first ?? '').isShared, stored(second ?? '').isShared]).toEqual([isShared, false]);
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

  it('of a card compares only its number, so that its month may change', async () => {
    const { create, patch } = setUp();
    const card = (month: number): Json => ({ number: '4242424242424242', expiration_month: month });
    const { token } = await create(shop, card(1), { type: 'card' });
    expect((await create(browser, card(2), { type: 'card' })).token.id).toBe(token.id);
    await patch(browser, token.id, { data: new Secret<Json>({ expiration_month: 3 }) });
    await expect(
      patch(browser, token.id, { data: new Secret<Json>({ number: '5555555555554444' }) }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });
});
