import { requirePlain } from './query.ts';
import type { ApiPromise } from './api-promise.ts';
import type { HttpClient, CallOptions, ViewOptions, WriteOptions } from './http-client.ts';
import { createList, listOf, type List, type PageQuery } from './list.ts';
import type { NewToken, TokenChange } from './generics.ts';
import { request } from './request.ts';
import type { Token } from './resources.ts';

export interface TokenQuery extends PageQuery {
  readonly id?: string | readonly string[];
  /** Matched case-insensitively; all must match. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Such as `/pci/`; tokens in it and below it match. */
  readonly container?: string;
}

export interface SearchQuery extends PageQuery {
  /** `data:"..." AND container:/pci/`; see docs/contract.md#search-tokens. */
  readonly query: string;
}

export function tokensOf(http: HttpClient) {
  const path = '/tokens/{id}';
  return {
    /**
     * Creates a token.
     * @example const { id } = await client.tokens.create({ type: 'card', data: { number: '4242424242424242' } });
     */
    create: <D>(token: NewToken<D>, options?: WriteOptions & ViewOptions) =>
      request<Token>(http, { method: 'POST', path: '/tokens', body: token }, options),

    /**
     * Returns a token, its data under the caller's transform.
     * @example const { data } = await client.tokens.retrieve(id);
     */
    retrieve: (id: string, options?: ViewOptions) =>
      request<Token>(http, { method: 'GET', path, ids: [id] }, options),

    /**
     * One page when awaited, every token when iterated.
     * @example for await (const token of client.tokens.list({ metadata: { customer: '7' } })) console.log(token.id);
     */
    list: (query: TokenQuery = {}, options?: ViewOptions): List<Token> =>
      listOf(http, '/tokens', query, options),

    /**
     * Changes a token by a merge patch: `null` removes.
     * @example await client.tokens.update(id, { metadata: { customer: null } });
     */
    update: <D>(id: string, change: TokenChange<D>, options?: WriteOptions & ViewOptions) =>
      request<Token>(
        http,
        {
          method: 'PATCH',
          path,
          ids: [id],
          body: change,
          contentType: 'application/merge-patch+json',
        },
        options,
      ),

    /**
     * Deletes a token and everything derived from it.
     * @example await client.tokens.delete(id);
     */
    delete: (id: string, options?: CallOptions): ApiPromise<void> =>
      request(http, { method: 'DELETE', path, ids: [id] }, options),

    /**
     * Finds tokens by their search indexes.
     * @example const { data } = await client.tokens.search({ query: 'data:"4242"' });
     */
    search: (query: SearchQuery, options?: ViewOptions): List<Token> =>
      createList((next) => {
        requirePlain(query);
        const body = { ...query, ...next };
        return request(http, { method: 'POST', path: '/tokens/search', body, isSafe: true }, options);
      }),
  };
}
