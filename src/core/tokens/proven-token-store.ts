import type { Vault } from '../crypto/vault.ts';
import { checkClearFields } from './encrypt-content.ts';
import type { StoredToken, TokenSummary } from './token.ts';
import type { TokenStore } from './token-store.ts';

/**
 * Returns the token if its clear fields are as the service wrote them. Throws
 * `RecordCorruptedError` otherwise.
 */
export async function proven<T extends StoredToken | TokenSummary>(vault: Vault, token: T): Promise<T> {
  await checkClearFields(vault, token);
  return token;
}

/**
 * A token store that returns only tokens whose clear fields have their MAC. So no decision about
 * access and no view depends on a clear field that another principal wrote
 * (docs/security.md#the-encrypted-record).
 */
export function createProvenTokenStore(store: TokenStore, vault: Vault): TokenStore {
  const all = <T extends StoredToken | TokenSummary>(tokens: readonly T[]): Promise<readonly T[]> =>
    Promise.all(tokens.map((token) => proven(vault, token)));
  const maybe = async (token: StoredToken | undefined) => token && proven(vault, token);

  return {
    ...store,
    find: async (tenantId, id) => maybe(await store.find(tenantId, id)),
    findMany: async (tenantId, ids) => all(await store.findMany(tenantId, ids)),
    findSummaries: async (tenantId, ids) => all(await store.findSummaries(tenantId, ids)),

    async readData(summaries) {
      const tokens = await store.readData(summaries);
      // A token that changed meanwhile was read again, and its MAC is not checked yet.
      const known = new Set(summaries.map(({ clearMac }) => clearMac));
      await all(tokens.filter(({ clearMac }) => !known.has(clearMac)));
      return tokens;
    },

    async *findMatches(wanted) {
      for await (const summaries of store.findMatches(wanted)) yield await all(summaries);
    },

    async deleteIfStandalone(tenantId, id, now) {
      const outcome = await store.deleteIfStandalone(tenantId, id, now);
      return outcome === 'deleted' ? outcome : { remaining: await maybe(outcome.remaining) };
    },
  };
}
