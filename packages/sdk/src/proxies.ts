import type { ApiPromise } from './api-promise.ts';
import type {
  HttpClient,
  CallOptions,
  ChangeOptions,
  ConditionOptions,
  WriteOptions,
} from './http-client.ts';
import { keysOf } from './keys.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import { request } from './request.ts';
import type {
  CreatedStoredProxy,
  NewStoredProxy,
  StoredProxy,
  StoredProxyChange,
  StoredProxyRevert,
  StoredProxyFailures,
  StoredProxyVersion,
} from './resources.ts';

export interface StoredProxyQuery extends PageQuery {
  readonly id?: string | readonly string[];
  /** The names that their owner gave them, exactly. */
  readonly external_id?: string | readonly string[];
  /** `*` matches any characters; without it, any name that contains this matches. */
  readonly name?: string;
}

export function proxiesOf(http: HttpClient) {
  const path = '/proxies/{id}';
  return {
    /**
     * Stores a destination with its secrets and transforms. Only this response contains the key.
     * @example const { key } = await client.proxies.create({ name: 'Charges', destination_url: 'https://api.example.com/v1' });
     */
    create: (proxy: NewStoredProxy, options?: WriteOptions) =>
      request<CreatedStoredProxy>(http, { method: 'POST', path: '/proxies', body: proxy }, options),

    /**
     * Returns a proxy, without its key and without the values of its configuration.
     * @example const { version } = await client.proxies.retrieve(id);
     */
    retrieve: (id: string, options?: CallOptions) =>
      request<StoredProxy>(http, { method: 'GET', path, ids: [id] }, options),

    /**
     * One page when awaited, every proxy when iterated.
     * @example for await (const { name } of client.proxies.list({ name: 'charge*' })) console.log(name);
     */
    list: (query: StoredProxyQuery = {}, options?: CallOptions): List<StoredProxy> =>
      listOf(http, '/proxies', query, options),

    /**
     * Replaces all members, except that an absent `configuration` stays.
     * @example await client.proxies.update(id, { name: 'Charges', destination_url: 'https://api.example.com/v2' });
     */
    update: (id: string, proxy: NewStoredProxy & Pick<StoredProxyChange, 'keep'>, options?: ChangeOptions) =>
      request<StoredProxy>(
        http,
        { method: 'PUT', path, ids: [id], body: proxy, takesCondition: true },
        options,
      ),

    /**
     * Changes only the members that are sent; `null` restores the default of a member.
     * @example await client.proxies.patch(id, { methods: ['POST'], timeout: null });
     */
    patch: (id: string, change: StoredProxyChange, options?: ChangeOptions) => {
      const contentType = 'application/merge-patch+json';
      return request<StoredProxy>(
        http,
        { method: 'PATCH', path, ids: [id], body: change, contentType, takesCondition: true },
        options,
      );
    },

    /**
     * Deletes a proxy with its keys and versions.
     * @example await client.proxies.delete(id);
     */
    delete: (id: string, options?: CallOptions & ConditionOptions): ApiPromise<void> =>
      request(http, { method: 'DELETE', path, ids: [id], takesCondition: true }, options),

    /**
     * Returns the last versions and the retained ones, the newest first.
     * @example for (const { version, created_by } of await client.proxies.listVersions(id)) console.log(version, created_by);
     */
    listVersions: (id: string, options?: CallOptions) =>
      request<readonly StoredProxyVersion[]>(
        http,
        { method: 'GET', path: `${path}/versions`, ids: [id] },
        options,
      ),

    /**
     * Returns the last failures of the proxy's transforms, the newest first, which their callers do
     * not see.
     * @example for (const { reason } of (await client.proxies.listFailures(id)).data) console.log(reason);
     */
    listFailures: (id: string, options?: CallOptions) =>
      request<StoredProxyFailures>(http, { method: 'GET', path: `${path}/failures`, ids: [id] }, options),

    /**
     * Makes the content of an earlier version the newest one, with a new number.
     * @example const { version } = await client.proxies.revert(id, { version: 3 });
     */
    revert: (id: string, to: StoredProxyRevert, options?: ChangeOptions) =>
      request<StoredProxy>(
        http,
        { method: 'POST', path: `${path}/revert`, ids: [id], body: to, takesCondition: true },
        options,
      ),

    /** The keys of a proxy, of which it may have several. */
    keys: keysOf(http, 'proxies'),
  };
}
