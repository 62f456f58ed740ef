import { randomBytes } from 'node:crypto';
import { cases, fc } from '../../../packages/local-aws/test/properties.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { createToken } from '../../../src/core/tokens/create-tokens.ts';
import { createProvenTokenStore } from '../../../src/core/tokens/proven-token-store.ts';
import type { StoredToken } from '../../../src/core/tokens/token.ts';
import type { TokenStore } from '../../../src/core/tokens/token-store.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';

const caller = aCaller({ tenantId: TENANT, permissions: ['token:create', 'token:read'] });

/** What an administrator of the table writes into an item; its sealed data stays as it is. */
const forgeries = {
  'its details removed': ({ sealedDetails: _, ...token }: StoredToken) => token,
  'details that it never had': (token: StoredToken) => ({ ...token, sealedDetails: randomBytes(100) }),
  'details of another size': (token: StoredToken) => ({ ...token, sealedDetails: randomBytes(200_000) }),
  'another container': (token: StoredToken) => ({ ...token, containers: ['/public/'] }),
  'other terms': (token: StoredToken) => ({ ...token, terms: ['forged'] }),
  'no MAC': (token: StoredToken) => ({ ...token, headMac: Buffer.alloc(0) }),
  'another creator': (token: StoredToken) => ({ ...token, createdBy: 'forged' }),
} as const satisfies Record<string, (token: StoredToken) => StoredToken>;

type Reads = Pick<TokenStore, 'find' | 'findMany' | 'findHeads' | 'findMatches' | 'deleteIfStandalone'>;

/** Every way to read a token from the store. */
const readings: Record<string, (store: Reads, token: StoredToken) => Promise<unknown>> = {
  find: (store, { id }) => store.find(TENANT, id),
  findMany: (store, { id }) => store.findMany(TENANT, [id]),
  findHeads: (store, { id }) => store.findHeads(TENANT, [id]),
  findMatches: async (store, token) => {
    for await (const heads of store.findMatches(token)) if (heads.length > 0) return heads;
    return undefined;
  },
  deleteIfStandalone: (store, { id }) => store.deleteIfStandalone(TENANT, id, 0),
};

async function aStore(details: boolean) {
  const { deps, tokens } = aWallWorld();
  const { token } = await createToken(
    deps,
    caller,
    {
      type: 'token',
      data: new Secret('one'),
      // A token with terms is not deleted in one call.
      ...(details && { metadata: { a: 'b' }, mask: '***', searchIndexes: ['{{ data }}'] }),
    },
    randomIdentity,
  );
  const key = `${TENANT}/${token.id}`;
  const stored = tokens.get(key);
  if (stored === undefined) throw new Error('nothing was stored');
  return { store: deps.tokenStore, stored, forge: (forged: StoredToken) => tokens.set(key, forged) };
}

describe.each(Object.entries(readings))('%s of the proven token store', (_name, read) => {
  it.each(Object.entries(forgeries))('rejects a token with %s', async (_title, forgery) => {
    const { store, stored, forge } = await aStore(true);
    expect(await read(store, stored)).toBeDefined();
    forge(forgery(stored));
    await expect(read(store, stored)).rejects.toThrow('sealed record');
  });
});

describe('the proven token store', () => {
  it('rejects another size of the data, which a head has in clear', async () => {
    const { deps, tokens } = aWallWorld();
    const { stored } = await aStore(false);
    tokens.set(`${TENANT}/${stored.id}`, stored);
    await fc.assert(
      fc.asyncProperty(fc.nat(4_000_000), async (dataBytes) => {
        const [head] = await deps.tokenStore.findHeads(TENANT, [stored.id]).catch(() => []);
        const heads = [{ ...stored, ...head, dataBytes }];
        const store = createProvenTokenStore(
          { ...deps.tokenStore, findHeads: () => Promise.resolve(heads) },
          deps.vault,
        );
        const found = store.findHeads(TENANT, [stored.id]);
        if (dataBytes === head?.dataBytes) expect(await found).toHaveLength(1);
        else await expect(found).rejects.toThrow('sealed record');
      }),
      { numRuns: cases(50) },
    );
  });

  it('checks a token that changed between its head and its data', async () => {
    const { store, stored, forge } = await aStore(true);
    const heads = await store.findHeads(TENANT, [stored.id]);
    expect(await store.readData(heads)).toHaveLength(1);
    const { sealedDetails: _, ...bare } = stored;
    forge({ ...bare, version: 2, headMac: randomBytes(34) });
    await expect(store.readData(heads)).rejects.toThrow('sealed record');
  });
});
