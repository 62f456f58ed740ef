import type { Vault } from '../crypto/vault.ts';
import { proven } from './encrypt-content.ts';
import type { TokenSummary, UnprovenSummary, UnprovenToken } from './token.ts';
import type { TokenStore, UnprovenTokenStore } from './token-store.ts';

/**
 * A token store that returns only tokens whose clear fields have their MAC. So no decision about
 * access and no view depends on a clear field that another principal wrote
 * (docs/security.md#the-encrypted-record).
 */
export function createProvenTokenStore(store: UnprovenTokenStore, vault: Vault): TokenStore {
  const all = <T extends UnprovenToken | UnprovenSummary>(tokens: readonly T[]) =>
    Promise.all(tokens.map((token) => proven(vault, token)));
  const maybe = async (token: UnprovenToken | undefined) => token && proven(vault, token);

  return {
    ...store,
    find: async (tenantId, id) => maybe(await store.find(tenantId, id)),
    findMany: async (tenantId, ids) => all(await store.findMany(tenantId, ids)),
    findSummaries: async (tenantId, ids) => all(await store.findSummaries(tenantId, ids)),

    async readData(summaries) {
      const tokens = await store.readData(summaries);
      const known = new Map<Buffer, TokenSummary>(summaries.map((summary) => [summary.clearMac, summary]));
      return Promise.all(
        tokens.map(async (token) => {
          const summary = known.get(token.clearMac);
          const isSame = summary?.version === token.version && summary.writeId.equals(token.writeId);
          // A token that changed meanwhile was read again, and its MAC is not checked yet.
          return isSame ? { ...token, clearMac: summary.clearMac } : proven(vault, token);
        }),
      );
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
