import type { HttpClient, CallOptions, WriteOptions } from './http-client.ts';
import { pathOf } from './paths.ts';
import type {
  ApplicationKey,
  ApplicationKeyChange,
  CreatedApplicationKey,
  NewApplicationKey,
} from './resources.ts';

/** The keys of an application or of a stored proxy. */
export function keysOf(http: HttpClient, owners: 'applications' | 'proxies') {
  const path = (id: string, ...key: readonly string[]) => pathOf(owners, id, 'keys', ...key);
  return {
    /**
     * Adds a key; only this response contains its text.
     * @example const { key } = await client.applications.keys.create(id, { name: 'From December on' });
     */
    create: async (id: string, key: NewApplicationKey = {}, options?: WriteOptions) =>
      (await http.json({ ...options, method: 'POST', path: path(id), body: key })) as CreatedApplicationKey,

    /**
     * Returns all keys, the newest first.
     * @example for (const { hint, last_used_on } of await client.applications.keys.list(id)) console.log(hint, last_used_on);
     */
    list: async (id: string, options?: CallOptions) =>
      (await http.json({ ...options, method: 'GET', path: path(id) })) as readonly ApplicationKey[],

    /**
     * Returns a key, without its text.
     * @example const { expires_at } = await client.applications.keys.retrieve(id, keyId);
     */
    retrieve: async (id: string, keyId: string, options?: CallOptions) =>
      (await http.json({ ...options, method: 'GET', path: path(id, keyId) })) as ApplicationKey,

    /**
     * Changes the members of the patch; `null` removes one.
     * @example await client.applications.keys.update(id, keyId, { expires_at: '2027-12-01T00:00:00Z' });
     */
    update: async (id: string, keyId: string, change: ApplicationKeyChange, options?: WriteOptions) =>
      (await http.json({
        ...options,
        method: 'PATCH',
        path: path(id, keyId),
        body: change,
      })) as ApplicationKey,

    /**
     * Deletes a key. Afterwards, no part of the service accepts it.
     * @example await client.applications.keys.delete(id, keyId);
     */
    delete: async (id: string, keyId: string, options?: CallOptions): Promise<void> => {
      await http.json({ ...options, method: 'DELETE', path: path(id, keyId) });
    },
  };
}
