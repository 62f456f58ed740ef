import type { Vault } from '../crypto/vault.ts';
import { checkHead } from './seal-content.ts';
import type { StoredToken, TokenHead } from './token.ts';
import type { TokenStore } from './token-store.ts';

/** The token, if its clear fields are as the service wrote them; else `RecordCorruptedError`. */
export async function proven<T extends StoredToken | TokenHead>(vault: Vault, token: T): Promise<T> {
  await checkHead(vault, token);
  return token;
}

/**
 * A token store that returns only tokens whose head has its MAC. So no decision about access and
 * no view depends on a clear field that another principal wrote
 * (docs/security.md#the-sealed-record).
 */
export function createProvenTokenStore(store: TokenStore, vault: Vault): TokenStore {
  const all = <T extends StoredToken | TokenHead>(tokens: readonly T[]): Promise<readonly T[]> =>
    Promise.all(tokens.map((token) => proven(vault, token)));
  const maybe = async (token: StoredToken | undefined) => token && proven(vault, token);

  return {
    ...store,
    find: async (tenantId, id) => maybe(await store.find(tenantId, id)),
    findMany: async (tenantId, ids) => all(await store.findMany(tenantId, ids)),
    findHeads: async (tenantId, ids) => all(await store.findHeads(tenantId, ids)),

    async readData(heads) {
      const tokens = await store.readData(heads);
      // A token that changed meanwhile was read again.
      const known = new Set(heads.map(({ headMac }) => headMac));
      await all(tokens.filter(({ headMac }) => !known.has(headMac)));
      return tokens;
    },

    async *findMatches(wanted) {
      for await (const heads of store.findMatches(wanted)) yield await all(heads);
    },

    async deleteIfStandalone(tenantId, id, now) {
      const outcome = await store.deleteIfStandalone(tenantId, id, now);
      return outcome === 'deleted' ? outcome : { remaining: await maybe(outcome.remaining) };
    },
  };
}
