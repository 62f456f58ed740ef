import type { HttpClient, CallOptions, WriteOptions } from './http-client.ts';
import { keysOf } from './keys.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import { pathOf } from './paths.ts';
import type {
  CreatedStoredProxy,
  NewStoredProxy,
  StoredProxy,
  StoredProxyChange,
  StoredProxyRevert,
  StoredProxyVersion,
} from './resources.ts';

export interface StoredProxyQuery extends PageQuery {
  readonly id?: string | readonly string[] | undefined;
  /** `*` matches any characters; without it, any name that contains this matches. */
  readonly name?: string | undefined;
}

export function proxiesOf(http: HttpClient) {
  const write = async (method: 'POST' | 'PUT', path: string, body: unknown, options?: WriteOptions) =>
    (await http.json({ ...options, method, path, body })) as StoredProxy;
  return {
    /**
     * Stores a destination with its secrets and transforms. Only this response contains the key.
     * @example const { key } = await client.proxies.create({ name: 'Charges', destination_url: 'https://api.example.com/v1' });
     */
    create: async (proxy: NewStoredProxy, options?: WriteOptions) =>
      (await write('POST', '/proxies', proxy, options)) as CreatedStoredProxy,

    /**
     * Returns a proxy, without its key and without the values of its configuration.
     * @example const { version } = await client.proxies.retrieve(id);
     */
    retrieve: async (id: string, options?: CallOptions) =>
      (await http.json({ ...options, method: 'GET', path: pathOf('proxies', id) })) as StoredProxy,

    /**
     * One page when awaited, every proxy when iterated.
     * @example for await (const { name } of client.proxies.list({ name: 'charge*' })) console.log(name);
     */
    list: (query: StoredProxyQuery = {}, options?: CallOptions): List<StoredProxy> =>
      listOf(http, '/proxies', { ...query }, options),

    /**
     * Replaces all members, except that an absent `configuration` stays.
     * @example await client.proxies.update(id, { name: 'Charges', destination_url: 'https://api.example.com/v2' });
     */
    update: async (id: string, proxy: NewStoredProxy, options?: WriteOptions) =>
      write('PUT', pathOf('proxies', id), proxy, options),

    /**
     * Changes only the members that are sent; `null` restores the default of a member.
     * @example await client.proxies.patch(id, { methods: ['POST'], timeout: null });
     */
    patch: async (id: string, change: StoredProxyChange, options?: WriteOptions) => {
      const contentType = 'application/merge-patch+json';
      const path = pathOf('proxies', id);
      return (await http.json({
        ...options,
        method: 'PATCH',
        path,
        body: change,
        contentType,
      })) as StoredProxy;
    },

    /**
     * Deletes a proxy with its keys and versions.
     * @example await client.proxies.delete(id);
     */
    delete: async (id: string, options?: CallOptions): Promise<void> => {
      await http.json({ ...options, method: 'DELETE', path: pathOf('proxies', id) });
    },

    /**
     * Returns the last versions, the newest first.
     * @example for (const { version, created_by } of await client.proxies.listVersions(id)) console.log(version, created_by);
     */
    listVersions: async (id: string, options?: CallOptions) => {
      const path = pathOf('proxies', id, 'versions');
      return (await http.json({ ...options, method: 'GET', path })) as readonly StoredProxyVersion[];
    },

    /**
     * Makes the content of an earlier version the newest one, with a new number.
     * @example const { version } = await client.proxies.revert(id, { version: 3 });
     */
    revert: async (id: string, to: StoredProxyRevert, options?: WriteOptions) =>
      write('POST', pathOf('proxies', id, 'revert'), to, options),

    /** The keys of a proxy, of which it may have several. */
    keys: keysOf(http, 'proxies'),
  };
}
