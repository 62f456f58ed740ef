import type { StoredToken, TokenSummary } from './token.ts';
import type { TokenStore } from './token-store.ts';

/**
 * A store for one request, which reads each token once: two callers that use a token in one request
 * see the same state of it. What it writes passes through.
 */
export function readingOnce(store: TokenStore): TokenStore {
  const summaries = new Map<string, TokenSummary>();
  const whole = new Map<string, StoredToken>();
  return {
    ...store,
    async findSummaries(tenantId, ids) {
      const unknown = ids.filter((id) => !summaries.has(id));
      const found = unknown.length === 0 ? [] : await store.findSummaries(tenantId, unknown);
      for (const token of found) summaries.set(token.id, token);
      return ids.flatMap((id) => summaries.get(id) ?? []);
    },
    async readData(tokens) {
      const unread = tokens.filter(({ id }) => !whole.has(id));
      const read = unread.length === 0 ? [] : await store.readData(unread);
      for (const token of read) whole.set(token.id, token);
      return tokens.flatMap(({ id }) => whole.get(id) ?? []);
    },
  };
}
