import { globSync, readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { createToken } from '../../../src/core/tokens/create-tokens.ts';
import { createProvenTokenStore } from '../../../src/core/tokens/proven-token-store.ts';
import type { StoredToken, UnprovenToken } from '../../../src/core/tokens/token.ts';
import type { TokenStore } from '../../../src/core/tokens/token-store.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const caller = aCaller({ tenantId: TENANT, permissions: ['token:create', 'token:read'] });

/** An administrator of the table writes these into an item; its encrypted data stays as it is. */
const forgeries = {
  'its details removed': ({ encryptedDetails: _, ...token }: UnprovenToken) => token,
  'details that it never had': (token: UnprovenToken) => ({ ...token, encryptedDetails: randomBytes(100) }),
  'details of another size': (token: UnprovenToken) => ({ ...token, encryptedDetails: randomBytes(200_000) }),
  'another container': (token: UnprovenToken) => ({ ...token, containers: ['/public/'] }),
  'other terms': (token: UnprovenToken) => ({ ...token, terms: ['forged'] }),
  'no MAC': (token: UnprovenToken) => ({ ...token, clearMac: Buffer.alloc(0) }),
  'another creator': (token: UnprovenToken) => ({ ...token, createdBy: 'forged' }),
} as const satisfies Record<string, (token: UnprovenToken) => UnprovenToken>;

/** Data of this length is stored apart from its token. */
const LARGE = 400_000;

type Reads = Pick<TokenStore, 'find' | 'findMany' | 'findSummaries' | 'findMatches' | 'deleteIfStandalone'>;

/** Every way to read a token from the store. */
const readings: Record<string, (store: Reads, token: StoredToken) => Promise<unknown>> = {
  find: (store, { id }) => store.find(TENANT, id),
  findMany: (store, { id }) => store.findMany(TENANT, [id]),
  findSummaries: (store, { id }) => store.findSummaries(TENANT, [id]),
  findMatches: async (store, token) => {
    for await (const summaries of store.findMatches(token)) if (summaries.length > 0) return summaries;
    return undefined;
  },
  deleteIfStandalone: (store, { id }) => store.deleteIfStandalone(TENANT, id, 0),
};

async function aStore(details: boolean, size = 3) {
  const { deps, storedTokens, tokenItems } = aWallWorld();
  const { token } = await createToken(
    deps,
    caller,
    {
      type: 'token',
      data: new Secret('x'.repeat(size)),
      // A token with terms is not deleted in one call.
      ...(details && { metadata: { a: 'b' }, mask: '***', searchIndexes: ['{{ data }}'] }),
    },
    randomIdentity(machinePlatform.random),
  );
  const stored = await deps.tokenStore.find(TENANT, token.id);
  if (stored === undefined) throw new Error('nothing was stored');
  return {
    deps,
    store: deps.tokenStore,
    storedTokens,
    stored,
    forge: (forged: UnprovenToken) => tokenItems.forge(forged),
  };
}

describe.each(Object.entries(readings))('%s of the proven token store', (_name, read) => {
  it.each(Object.entries(forgeries))('rejects a token with %s', async (_title, forgery) => {
    const { store, stored, forge } = await aStore(true);
    expect(await read(store, stored)).toBeDefined();
    forge(forgery(stored));
    await expect(read(store, stored)).rejects.toThrow('encrypted record');
  });
});

describe('the proven token store', () => {
  it('rejects another size of the data, which a summary has in clear', async () => {
    const { deps, stored } = await aStore(false);
    await fc.assert(
      fc.asyncProperty(fc.nat(4_000_000), async (dataBytes) => {
        const [summary] = await deps.tokenStore.findSummaries(TENANT, [stored.id]).catch(() => []);
        const summaries = [{ ...stored, ...summary, dataBytes }];
        const store = createProvenTokenStore(
          { ...deps.tokenStore, findSummaries: () => Promise.resolve(summaries) },
          deps.vault,
        );
        const found = store.findSummaries(TENANT, [stored.id]);
        if (dataBytes === summary?.dataBytes) expect(await found).toHaveLength(1);
        else await expect(found).rejects.toThrow('encrypted record');
      }),
      { numRuns: cases(50) },
    );
  });

  it('checks a token that changed between its summary and its data', async () => {
    // Data that a summary has is not read again.
    const { store, storedTokens, stored } = await aStore(true, LARGE);
    const summaries = await store.findSummaries(TENANT, [stored.id]);
    expect(await store.readData(summaries)).toHaveLength(1);
    const { encryptedDetails: _, ...bare } = stored;
    const forged = { ...bare, version: 2, writeId: randomBytes(12), clearMac: randomBytes(34) };
    await storedTokens.update(stored, { token: forged as StoredToken });
    await expect(store.readData(summaries)).rejects.toThrow('encrypted record');
  });

  it('is the only way to its types: no other module says that a token is proven', () => {
    const product = ['src', 'functions', 'lib', 'bin', 'packages/*/src'].map((folder) => `${folder}/**/*.ts`);
    const saying = globSync(product).filter((file) =>
      /\b(?:as|is) (?:readonly )?\(?(?:StoredToken|TokenSummary|ProvenMac)\b|PROVEN\b/.test(
        readFileSync(file, 'utf8'),
      ),
    );
    expect(saying.toSorted()).toEqual([
      'src/core/tokens/encrypt-content.ts',
      'src/core/tokens/token-replay.ts',
      'src/core/tokens/token.ts',
    ]);
  });
});
