import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import type { Caller } from '../../../src/core/access/caller.ts';
import { createVault } from '../../../src/core/crypto/vault.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { repeatableIdentity } from '../../../src/core/shared/write-identity.ts';
import { openData } from '../../../src/core/tokens/open-token.ts';
import { createProvenTokenStore } from '../../../src/core/tokens/proven-token-store.ts';
import { createTokens } from '../../../src/core/tokens/create-tokens.ts';
import type { TokenInput } from '../../../src/core/tokens/token-input.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
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
  permissions: [],
  rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] }],
  type: 'private',
  actsBy: 'own_key',
} as unknown as Caller;

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

const STARTED = Date.now();

interface Circumstances {
  readonly fate?: Fate;
  readonly of?: Caller;
  readonly clock?: () => number;
}

const vault = createVault(tenantKeys, machinePlatform.random);

const depsOf = ({ fate, clock = Date.now }: Circumstances) => ({
  tokenStore: createProvenTokenStore(createTokenStore(database.tables(fate), clock), vault),
  vault,
  audit: anAudit(),
  ...machinePlatform,
  clock,
  tenantKeys,
  cvcLifetimeMs: 60_000,
  clientCompatibility: 'strict' as const,
});

/** One attempt at a request under an idempotency key: all its attempts share the seed. */
function attemptResults(seed: Buffer, inputs: readonly TokenInput[], circumstances: Circumstances = {}) {
  const { of = caller } = circumstances;
  const placed = inputs.map((input, index) => ({ path: `[${String(index)}]`, input }));
  return createTokens(depsOf(circumstances), of, placed, repeatableIdentity(seed, STARTED));
}

/** Returns the ids of an attempt, in brackets if the token is gone. */
async function attempt(...of: Parameters<typeof attemptResults>): Promise<string[]> {
  const results = await attemptResults(...of);
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

/** Opens the data of tokens, in the order of their ids. */
async function dataOf(ids: readonly string[]): Promise<readonly unknown[]> {
  const { tokenStore, vault } = depsOf({});
  return Promise.all(
    ids.map(async (id) => {
      const token = await tokenStore.find(TENANT, id);
      return token && (await openData(vault, token)).reveal();
    }),
  );
}

it('a retry finds each of its tokens by its own data, and creates none again, if their aliases collide', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (bytes) => {
      const seed = Buffer.from(bytes);
      // Others have three of ten ids, so drafts try those of others and of each other.
      const prefix = randomUUID();
      await attempt(
        randomBytes(32),
        [0, 4, 7].map((taken) => aText({ id: `${prefix}-${String(taken)}` })),
      );
      const inputs = Array.from({ length: 5 }, (_, index): TokenInput => ({
        type: 'token',
        data: new Secret(`1 of ${String(index)}`),
        id: `${prefix}-{{ data | slice: 0, 1 | alias_preserve_format }}`,
      }));
      const first = await attempt(seed, inputs);
      const before = await database.keys();
      const again = await attempt(seed, inputs);
      expect(again).toEqual(first);
      expect(await dataOf(again)).toEqual(inputs.map(({ data }) => data.reveal()));
      expect(await database.keys()).toEqual(before);
    }),
    { numRuns: cases(10), endOnFailure: true },
  );
});

describe('a retry of a request whose response was not stored, and whose content is different now', () => {
  const card = (cvc: string): TokenInput => ({
    type: 'card',
    data: new Secret({ number: '4242424242424242', expiration_month: 12, expiration_year: 2039, cvc }),
  });
  const cvcs = async (seed: Buffer, input: TokenInput) => {
    const results = await attemptResults(seed, [input]);
    return results.map((result) => {
      const data = result.shows === 'view' ? result.view.data?.reveal() : undefined;
      return (data as { readonly cvc?: string } | undefined)?.cvc;
    });
  };

  it('shows the cvc that is stored, not the one that it was sent', async () => {
    const seed = randomBytes(32);
    expect(await cvcs(seed, card('111'))).toEqual(['111']);
    expect(await cvcs(seed, card('999'))).toEqual(['111']);
  });

  const expiring = (more: Partial<TokenInput> = {}) =>
    aText({ expiresAtText: new Date(STARTED + 600_000).toISOString(), ...more });
  const later = { clock: () => STARTED + 600_001 };

  it('returns that its token is gone if that has expired, beside the others', async () => {
    const seed = randomBytes(32);
    const inputs = [expiring(), aText(), expiring({ id: ALIAS })];
    const [first = '', second = '', third = ''] = await attempt(seed, inputs);
    expect(await attempt(seed, inputs, later)).toEqual([`[${first}]`, second, `[${third}]`]);
  });

  it('is rejected if nothing was created before the token would have expired', async () => {
    const before = await database.keys();
    const tried = attempt(randomBytes(32), [aText(), expiring()], later);
    await expect(tried).rejects.toMatchObject({
      code: 'validation_failed',
      errors: { '[1].expires_at': ['must be in the future'] },
    });
    expect(await database.keys()).toEqual(before);
  });
});
