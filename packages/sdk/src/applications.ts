import type { HttpClient, CallOptions, WriteOptions } from './http-client.ts';
import { keysOf } from './keys.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import { pathOf } from './paths.ts';
import type {
  Application,
  ApplicationGrants,
  ApplicationType,
  ApplicationWithKey,
  NewApplication,
} from './resources.ts';

export interface ApplicationQuery extends PageQuery {
  readonly id?: string | readonly string[] | undefined;
  readonly type?: ApplicationType | readonly ApplicationType[] | undefined;
}

export function applicationsOf(http: HttpClient) {
  const post = async (path: string, body?: unknown, options?: WriteOptions) =>
    (await http.json({ ...options, method: 'POST', path, body })) as ApplicationWithKey;
  const read = async (path: string, options?: CallOptions) =>
    (await http.json({ ...options, method: 'GET', path })) as Application;
  return {
    /**
     * Creates an application; only this response contains its key.
     * @example const { key } = await client.applications.create({ name: 'Checkout', type: 'public', permissions: ['token:create'] });
     */
    create: (application: NewApplication, options?: WriteOptions) =>
      post('/applications', application, options),

    /**
     * Returns an application, without its key.
     * @example const { name } = await client.applications.retrieve(id);
     */
    retrieve: async (id: string, options?: CallOptions) => read(pathOf('applications', id), options),

    /**
     * Returns the application of the client's key.
     * @example const { id } = await client.applications.retrieveByKey();
     */
    retrieveByKey: (options?: CallOptions) => read('/applications/key', options),

    /**
     * One page when awaited, every application when iterated.
     * @example for await (const { name } of client.applications.list({ type: 'private' })) console.log(name);
     */
    list: (query: ApplicationQuery = {}, options?: CallOptions): List<Application> =>
      listOf(http, '/applications', { ...query }, options),

    /**
     * Replaces name, permissions and rules.
     * @example await client.applications.update(id, { name: 'Checkout', permissions: ['token:create', 'token:update'] });
     */
    update: async (id: string, application: ApplicationGrants, options?: WriteOptions) => {
      const path = pathOf('applications', id);
      return (await http.json({ ...options, method: 'PUT', path, body: application })) as Application;
    },

    /**
     * Puts one new key in the place of all of its keys, which are invalid immediately.
     * @example const { key } = await client.applications.regenerateKey(id);
     */
    regenerateKey: async (id: string, options?: WriteOptions) =>
      post(pathOf('applications', id, 'regenerate'), undefined, options),

    /** The keys of an application, of which it may have several. */
    keys: keysOf(http, 'applications'),

    /**
     * Deletes it, its keys and its sessions.
     * @example await client.applications.delete(id);
     */
    delete: async (id: string, options?: CallOptions): Promise<void> => {
      await http.json({ ...options, method: 'DELETE', path: pathOf('applications', id) });
    },
  };
}
