import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity, repeatableIdentity } from '../../../src/core/shared/write-identity.ts';
import { createTokens } from '../../../src/core/tokens/create-tokens.ts';
import { deleteToken } from '../../../src/core/tokens/delete-token.ts';
import {
  tokenReplayOf,
  tokenizeReplayOf,
  replayToken,
  replayTokens,
} from '../../../src/core/tokens/token-replay.ts';
import { tokenUseOf, mayUseAgain } from '../../../src/core/tokens/token-use.ts';
import { tokenize } from '../../../src/core/tokens/tokenize.ts';
import { updateToken } from '../../../src/core/tokens/update-token.ts';
import { presentResult, presentTokenized } from '../../../src/wire/token.ts';
import { tokenInputParser } from '../../../src/http/parse-token-input.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { created } from '../../support/created.ts';

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
  it('does not reveal the fingerprint of later content by other callers', async () => {
    const { deps } = aWallWorld();
    const inputs = placed([{ fingerprintExpression: '{{ data | slice: -1, 1 }}' }]);
    const [first] = await created(deps, creator, inputs, randomIdentity(machinePlatform.random));
    if (first === undefined) throw new Error('nothing was created');
    const replayData = tokenReplayOf(first);
    await updateToken(
      deps,
      other,
      { id: first.token.id, patch: { data: new Secret('PIN-6') } },
      randomIdentity(machinePlatform.random),
    );
    const response = presentResult(await replayToken(deps, creator, 'token:create', replayData));
    const { id, type, containers, fingerprint } = first.token;
    expect(response).toEqual({ id, tenant_id: TENANT, type, containers, fingerprint });
  });
});

describe('a create that is retried after its response was lost', () => {
  it('shows nothing that other callers wrote meanwhile', async () => {
    const { deps } = aWallWorld();
    const inputs = placed([{ id: 'literal-a' }, { id: 'literal-b' }]);
    const writes = () => repeatableIdentity(Buffer.alloc(32, 1), 0);
    const create = () => created(deps, creator, inputs, writes());
    const first = await create();
    await updateToken(
      deps,
      other,
      { id: 'literal-b', patch: { data: new Secret('SECRET OF ANOTHER') } },
      randomIdentity(machinePlatform.random),
    );
    const again = await create();
    expect(JSON.stringify(again.map(presentResult))).not.toContain('SECRET OF ANOTHER');
    expect(again.map(({ token }) => token.fingerprint)).toEqual(first.map(({ token }) => token.fingerprint));
    await deleteToken(deps, other, 'literal-b');
    const mine = placed([{ id: 'literal-b', data: new Secret<Json>('ANOTHER TOKEN') }]);
    // The id of the deleted token names no other one, not even for the retry of its creator.
    await expect(
      createTokens(deps, other, mine, randomIdentity(machinePlatform.random)),
    ).rejects.toMatchObject({ code: 'conflict' });
    const last = await createTokens(deps, creator, inputs, writes());
    expect(last[0]).toMatchObject({ shows: 'view', token: { id: 'literal-a' } });
    expect(last[1]).toEqual({ shows: 'gone', id: 'literal-b', neededOn: ['/general/high/'] });
  });
});

describe('a replayed tokenize', () => {
  it('has its shape, the current tokens, and only the id of a deleted one', async () => {
    const { deps } = aWallWorld();
    const value = {
      plain: 'one',
      nothing: null,
      whole: { type: 'token', data: { a: 1 } },
      list: ['two', 'three'],
    };
    const tokenized = await tokenize(
      deps,
      creator,
      value,
      tokenInputParser('strict'),
      randomIdentity(machinePlatform.random),
    );
    const first = presentTokenized(tokenized) as { plain: string; whole: { id: string }; list: string[] };
    const replayData = tokenizeReplayOf(tokenized);
    const replay = async () => presentTokenized(await replayTokens(deps, creator, replayData));
    expect(await replay()).toEqual(first);
    await deleteToken(deps, other, first.whole.id);
    await deleteToken(deps, other, first.list[0] ?? '');
    expect(await replay()).toEqual({ ...first, whole: { id: first.whole.id } });
    const narrowed = aCaller({ tenantId: TENANT, permissions: ['token:read'] });
    await expect(replayTokens(deps, narrowed, replayData)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a response that was made from tokens', () => {
  it('is stored as long as they exist, for callers that may use them', async () => {
    const world = aWallWorld();
    const { deps } = world;
    const inputs = placed([
      { id: 'used', containers: ['/a/'] },
      { id: 'mortal', expiresAtText: '2026-01-02' },
    ]);
    const uses = (await created(deps, creator, inputs, randomIdentity(machinePlatform.random))).map(
      ({ token }) => tokenUseOf(token),
    );
    const user = reveal(['token:use']);
    expect(await mayUseAgain(deps, user, 'named_by_caller', uses)).toBe(true);
    const elsewhere = aCaller({
      tenantId: TENANT,
      permissions: [],
      rules: [{ priority: 1, container: '/b/', transform: 'reveal', permissions: ['token:use'] }],
    });
    await expect(mayUseAgain(deps, elsewhere, 'named_by_caller', uses)).rejects.toMatchObject({
      code: 'forbidden',
    });
    world.pass(2 * 86_400_000);
    expect(await mayUseAgain(deps, user, 'named_by_caller', uses)).toBe(false);
    const [used] = uses.map((use) => [use]);
    expect(await mayUseAgain(deps, user, 'named_by_caller', used ?? [])).toBe(true);
    await deleteToken(deps, other, 'used');
    expect(await mayUseAgain(deps, user, 'named_by_caller', used ?? [])).toBe(false);
    // The permission is checked whether the token exists or not.
    await expect(mayUseAgain(deps, elsewhere, 'named_by_caller', used ?? [])).rejects.toMatchObject({
      code: 'forbidden',
    });
    const again = placed([{ id: 'used', containers: ['/a/'] }]);
    await expect(
      createTokens(deps, creator, again, randomIdentity(machinePlatform.random)),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
