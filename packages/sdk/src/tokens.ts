import type { HttpClient, CallOptions, ViewOptions, WriteOptions } from './http-client.ts';
import { createList, listOf, type List, type Page, type PageQuery } from './list.ts';
import { pathOf } from './paths.ts';
import type { NewToken, TokenChange } from './generics.ts';
import type { Token } from './resources.ts';

export interface TokenQuery extends PageQuery {
  readonly id?: string | readonly string[] | undefined;
  /** Matched case-insensitively; all must match. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface SearchQuery extends PageQuery {
  /** `data:"..." AND container:/pci/`; see docs/contract.md#search-tokens. */
  readonly query: string;
}

export function tokensOf(http: HttpClient) {
  return {
    /**
     * Creates a token.
     * @example const { id } = await client.tokens.create({ type: 'card', data: { number: '4242424242424242' } });
     */
    create: async <D>(token: NewToken<D>, options?: WriteOptions) =>
      (await http.json({ ...options, method: 'POST', path: '/tokens', body: token })) as Token,

    /**
     * Returns a token, its data under the caller's transform.
     * @example const { data } = await client.tokens.retrieve(id);
     */
    retrieve: async (id: string, options?: ViewOptions) =>
      (await http.json({ ...options, method: 'GET', path: pathOf('tokens', id) })) as Token,

    /**
     * One page when awaited, every token when iterated.
     * @example for await (const token of client.tokens.list({ metadata: { customer: '7' } })) console.log(token.id);
     */
    list: ({ metadata = {}, ...query }: TokenQuery = {}, options?: ViewOptions): List<Token> => {
      const filters = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
      const all = { ...query, ...(Object.fromEntries(filters) as Record<string, string>) };
      return listOf(http, '/tokens', all, options);
    },

    /**
     * Changes a token by a merge patch: `null` removes.
     * @example await client.tokens.update(id, { metadata: { customer: null } });
     */
    update: async <D>(id: string, change: TokenChange<D>, options?: WriteOptions) =>
      (await http.json({
        ...options,
        method: 'PATCH',
        path: pathOf('tokens', id),
        body: change,
        contentType: 'application/merge-patch+json',
      })) as Token,

    /**
     * Deletes a token and everything derived from it.
     * @example await client.tokens.delete(id);
     */
    delete: async (id: string, options?: CallOptions): Promise<void> => {
      await http.json({ ...options, method: 'DELETE', path: pathOf('tokens', id) });
    },

    /**
     * Finds tokens by their search indexes.
     * @example const { data } = await client.tokens.search({ query: 'data:"4242"' });
     */
    search: (query: SearchQuery, options?: ViewOptions): List<Token> =>
      createList(async (next) => {
        const body = { ...query, ...next };
        const call = { ...options, method: 'POST', path: '/tokens/search', body, isSafe: true } as const;
        return (await http.json(call)) as Page<Token>;
      }),
  };
}
