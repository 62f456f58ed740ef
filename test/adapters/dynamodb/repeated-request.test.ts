import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import type { Caller } from '../../../src/core/access/caller.ts';
import { createVault } from '../../../src/core/crypto/vault.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { repeatableIdentity } from '../../../src/core/shared/write-identity.ts';
import { createTokens } from '../../../src/core/tokens/create-tokens.ts';
import type { TokenInput } from '../../../src/core/tokens/token-input.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { tenantKeysFrom } from '../../support/tenant-keys.ts';
import { changed, TENANT } from '../../support/builders/a-stored-token.ts';
import { anAudit } from '../../support/fakes/an-audit.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const key = createSecretKey(randomBytes(32));
const tenantKeys = tenantKeysFrom(() => key);
const caller = {
  tenantId: TENANT,
  applicationId: randomUUID(),
  credentialId: randomUUID(),
  permissions: ['token:create', 'token:read'],
  rules: [],
} as unknown as Caller;

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

/**
 * One attempt at a request under an idempotency key: all its attempts share the seed. Returns the
 * ids, in brackets if the token is gone.
 */
async function attempt(
  seed: Buffer,
  inputs: readonly TokenInput[],
  { fate, of = caller }: { readonly fate?: Fate; readonly of?: Caller } = {},
): Promise<string[]> {
  const deps = {
    tokenStore: createTokenStore(database.tables(fate), Date.now),
    vault: createVault(tenantKeys, machinePlatform.random),
    audit: anAudit(),
    ...machinePlatform,
    clock: Date.now,
    tenantKeys,
    cvcLifetimeMs: 60_000,
    clientCompatibility: 'strict' as const,
  };
  const placed = inputs.map((input, index) => ({ path: `[${String(index)}]`, input }));
  const results = await createTokens(deps, of, placed, repeatableIdentity(seed, 0));
  return results.map((result) => {
    if (result.shows === 'gone') return `[${result.id}]`;
    if (result.shows !== 'view' || result.deduplicated) throw new Error('a duplicate of itself');
    return result.view.id;
  });
}

const aText = (more: Partial<TokenInput> = {}): TokenInput => ({
  type: 'token',
  data: new Secret(`some text ${randomUUID()}`),
  ...more,
});
const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${String(at)}`, 'v']));

const ALIAS = '{{ data | alias_preserve_length }}';

async function remove(id: string): Promise<void> {
  const store = createTokenStore(database.tables(), Date.now);
  const token = await store.find(TENANT, id);
  if (token === undefined) throw new Error('the token is missing');
  expect(await store.deleteVersion(token)).toBe(true);
}

describe('a retry of a request whose tokens were deleted meanwhile', () => {
  it.each<[string, TokenInput]>([
    ['without an id', aText()],
    ['with a literal id', aText({ id: 'literal-and-deleted' })],
    ['with an alias as its id', aText({ id: ALIAS })],
    ['deduplicated', aText({ deduplicateToken: true })],
  ])('creates none again, and returns that its token is gone: %s', async (_title, input) => {
    const seed = randomBytes(32);
    const [id = ''] = await attempt(seed, [input]);
    await remove(id);
    const before = await database.keys();
    expect(await attempt(seed, [input])).toEqual([`[${id}]`]);
    expect(await database.keys()).toEqual(before);
  });

  it('knows its token after a change, in one call as well', async () => {
    const seed = randomBytes(32);
    const inputs = [aText({ id: ALIAS })];
    const [id = ''] = await attempt(seed, inputs);
    const store = createTokenStore(database.tables(), Date.now);
    const token = await store.find(TENANT, id);
    if (token === undefined) throw new Error('the token is missing');
    const next = changed(token, { createWriteId: token.writeId });
    expect(await store.update(token, { token: next })).toBe('written');
    expect(await store.deleteIfStandalone(TENANT, id, Date.now())).toBe('deleted');
    expect(await attempt(seed, inputs)).toEqual([`[${id}]`]);
  });

  it.each<[readonly number[], Partial<TokenInput>]>([
    [[0], {}],
    [[1], {}],
    [[2], {}],
    [[0, 1, 2], {}],
    [[1], { metadata }],
  ])('returns the other tokens of the request: without %j, %#', async (deleted, more) => {
    const seed = randomBytes(32);
    const inputs = [aText({ id: ALIAS, ...more }), aText(more), aText({ deduplicateToken: true, ...more })];
    const ids = await attempt(seed, inputs);
    for (const index of deleted) await remove(ids[index] ?? '');
    const before = await database.keys();
    const expected = ids.map((id, index) => (deleted.includes(index) ? `[${id}]` : id));
    expect(await attempt(seed, inputs)).toEqual(expected);
    expect(await database.keys()).toEqual(before);
  });
});

it('a retry does not take the token of another request for its own, which has the next alias', async () => {
  const seed = randomBytes(32);
  const inputs = [aText(), aText({ id: ALIAS })];
  // Aliases depend on the seed and not on the tenant.
  const [, alias = ''] = await attempt(seed, inputs, { of: { ...caller, tenantId: randomUUID() } });
  expect(await attempt(randomBytes(32), [aText({ id: alias })])).toEqual([alias]);
  const first = await attempt(seed, inputs);
  expect(first).not.toContain(alias);
  expect(await attempt(seed, inputs)).toEqual(first);
});

describe('a retry of a request whose response was not stored', () => {
  it.each<[string, readonly TokenInput[]]>([
    ['without an id', [aText()]],
    ['with a literal id', [aText({ id: 'literal-id' })]],
    ['with an alias as its id', [aText({ id: '{{ data | alias_preserve_length }}' })]],
    ['deduplicated', [aText({ deduplicateToken: true })]],
    [
      'of several tokens',
      [aText(), aText({ id: '{{ data | alias_preserve_format }}' }), aText({ deduplicateToken: true })],
    ],
    [
      'too large for a transaction',
      [aText({ metadata }), aText({ metadata, id: '{{ data | alias_preserve_length }}' })],
    ],
  ])('finds the tokens of the first attempt: %s', async (_title, inputs) => {
    const before = (await database.keys()).length;
    const seed = randomBytes(32);
    const first = await attempt(seed, inputs);
    const written = (await database.keys()).length;
    expect(await attempt(seed, inputs)).toEqual(first);
    expect((await database.keys()).length).toBe(written);
    expect(written).toBeGreaterThan(before);
  });

  it('continues where an attempt died between its writes', async () => {
    const seed = randomBytes(32);
    const inputs = [aText({ metadata }), aText({ metadata, id: '{{ data | alias_preserve_length }}' })];
    for (const last of [2, 3, 4, 5, 6]) {
      const dying: Fate = (_operation, nth) => (nth >= last ? 'die' : undefined);
      await attempt(seed, inputs, { fate: dying }).catch(() => undefined);
    }
    const ids = await attempt(seed, inputs);
    expect(await attempt(seed, inputs)).toEqual(ids);
    const tokens = (await database.keys()).filter((item) => ids.some((id) => item.includes(id)));
    expect(tokens).toHaveLength(2);
  });
});
