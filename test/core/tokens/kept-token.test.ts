import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity, repeatableIdentity } from '../../../src/core/shared/write-identity.ts';
import { createTokens } from '../../../src/core/tokens/create-tokens.ts';
import { deleteToken } from '../../../src/core/tokens/delete-token.ts';
import { keepToken, keepTokens, replayToken, replayTokens } from '../../../src/core/tokens/kept-token.ts';
import { keepUse, mayUseAgain } from '../../../src/core/tokens/kept-use.ts';
import { tokenize } from '../../../src/core/tokens/tokenize.ts';
import { updateToken } from '../../../src/core/tokens/update-token.ts';
import { presentResult, presentTokenized } from '../../../src/http/present-token.ts';
import { tokenInputParser } from '../../../src/http/token-input.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';

const reveal = (permissions: ('token:create' | 'token:read' | 'token:update' | 'token:use')[]) =>
  aCaller({
    tenantId: TENANT,
    permissions: [],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions }],
  });
const creator = reveal(['token:create']);
const other = aCaller({
  ...reveal(['token:create', 'token:read', 'token:update']),
  applicationId: 'other',
  credentialId: 'other',
  permissions: ['token:delete'],
});

const placed = (inputs: readonly object[]) =>
  inputs.map((input, index) => ({
    path: String(index),
    input: { type: 'token' as const, data: new Secret<Json>('first'), ...input },
  }));

describe('a replayed create', () => {
  it('tells its writer no fingerprint of what others wrote since', async () => {
    const { deps } = aWallWorld();
    const inputs = placed([{ fingerprintExpression: '{{ data | slice: -1, 1 }}' }]);
    const [created] = await createTokens(deps, creator, inputs, randomIdentity);
    if (created === undefined) throw new Error('nothing was created');
    const kept = keepToken(created);
    await updateToken(
      deps,
      other,
      { id: created.token.id, patch: { data: new Secret('PIN-6') } },
      randomIdentity,
    );
    const answer = presentResult(await replayToken(deps, creator, 'token:create', kept));
    const { id, type, containers, fingerprint } = created.token;
    expect(answer).toEqual({ id, tenant_id: TENANT, type, containers, fingerprint });
  });
});

describe('a create that is tried again after its answer was lost', () => {
  it('shows nothing that others wrote meanwhile', async () => {
    const { deps } = aWallWorld();
    const inputs = placed([{ id: 'literal-a' }, { id: 'literal-b' }]);
    const create = () => createTokens(deps, creator, inputs, repeatableIdentity(Buffer.alloc(32, 1), 0));
    const first = await create();
    await updateToken(
      deps,
      other,
      { id: 'literal-b', patch: { data: new Secret('SECRET OF ANOTHER') } },
      randomIdentity,
    );
    const again = await create();
    expect(JSON.stringify(again.map(presentResult))).not.toContain('SECRET OF ANOTHER');
    expect(again.map(({ token }) => token.fingerprint)).toEqual(first.map(({ token }) => token.fingerprint));
    await deleteToken(deps, other, 'literal-b');
    const mine = placed([{ id: 'literal-b', data: new Secret<Json>('ANOTHER TOKEN') }]);
    await createTokens(deps, other, mine, randomIdentity);
    expect(JSON.stringify((await create()).map(presentResult))).not.toContain('ANOTHER TOKEN');
  });
});

describe('a replayed tokenize', () => {
  it('has its shape, its tokens as they are now, and of one that is gone its id', async () => {
    const { deps } = aWallWorld();
    const value = {
      plain: 'one',
      nothing: null,
      whole: { type: 'token', data: { a: 1 } },
      list: ['two', 'three'],
    };
    const tokenized = await tokenize(deps, creator, value, tokenInputParser('strict'), randomIdentity);
    const first = presentTokenized(tokenized) as { plain: string; whole: { id: string }; list: string[] };
    const kept = keepTokens(tokenized);
    const replay = async () => presentTokenized(await replayTokens(deps, creator, kept));
    expect(await replay()).toEqual(first);
    await deleteToken(deps, other, first.whole.id);
    await deleteToken(deps, other, first.list[0] ?? '');
    expect(await replay()).toEqual({ ...first, whole: { id: first.whole.id } });
    const narrowed = aCaller({ tenantId: TENANT, permissions: ['token:read'] });
    await expect(replayTokens(deps, narrowed, kept)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('an answer that was made from tokens', () => {
  it('is kept as long as they are there, for who may use them', async () => {
    const world = aWallWorld();
    const { deps } = world;
    const inputs = placed([
      { id: 'used', containers: ['/a/'] },
      { id: 'mortal', expiresAtText: '2026-01-02' },
    ]);
    const uses = (await createTokens(deps, creator, inputs, randomIdentity)).map(({ token }) =>
      keepUse(token),
    );
    const user = reveal(['token:use']);
    expect(await mayUseAgain(deps, user, uses)).toBe(true);
    const elsewhere = aCaller({
      tenantId: TENANT,
      permissions: [],
      rules: [{ priority: 1, container: '/b/', transform: 'reveal', permissions: ['token:use'] }],
    });
    await expect(mayUseAgain(deps, elsewhere, uses)).rejects.toMatchObject({ code: 'forbidden' });
    world.pass(2 * 86_400_000);
    expect(await mayUseAgain(deps, user, uses)).toBe(false);
    const [used] = uses.map((use) => [use]);
    expect(await mayUseAgain(deps, user, used ?? [])).toBe(true);
    await deleteToken(deps, other, 'used');
    expect(await mayUseAgain(deps, user, used ?? [])).toBe(false);
    // Gone or not, the right is asked for.
    await expect(mayUseAgain(deps, elsewhere, used ?? [])).rejects.toMatchObject({ code: 'forbidden' });
    await createTokens(deps, creator, placed([{ id: 'used', containers: ['/a/'] }]), randomIdentity);
    expect(await mayUseAgain(deps, user, used ?? [])).toBe(false);
  });
});
