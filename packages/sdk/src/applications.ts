import type { Caller, CallOptions, WriteOptions } from './caller.ts';
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

export function applicationsOf(caller: Caller) {
  const post = async (path: string, body?: unknown, options?: WriteOptions) =>
    (await caller.json({ ...options, method: 'POST', path, body })) as ApplicationWithKey;
  const read = async (path: string, options?: CallOptions) =>
    (await caller.json({ ...options, method: 'GET', path })) as Application;
  return {
    /**
     * Makes an application; this answer has its key.
     * @example const { key } = await client.applications.create({ name: 'Checkout', type: 'public', permissions: ['token:create'] });
     */
    create: (application: NewApplication, options?: WriteOptions) =>
      post('/applications', application, options),

    /**
     * An application, without its key.
     * @example const { name } = await client.applications.retrieve(id);
     */
    retrieve: async (id: string, options?: CallOptions) => read(pathOf('applications', id), options),

    /**
     * The application of the key that asks.
     * @example const { id } = await client.applications.retrieveByKey();
     */
    retrieveByKey: (options?: CallOptions) => read('/applications/key', options),

    /**
     * One page when awaited, every application when iterated.
     * @example for await (const { name } of client.applications.list({ type: 'private' })) console.log(name);
     */
    list: (query: ApplicationQuery = {}, options?: CallOptions): List<Application> =>
      listOf(caller, '/applications', { ...query }, options),

    /**
     * Replaces name, permissions and rules.
     * @example await client.applications.update(id, { name: 'Checkout', permissions: ['token:create', 'token:update'] });
     */
    update: async (id: string, application: ApplicationGrants, options?: WriteOptions) => {
      const path = pathOf('applications', id);
      return (await caller.json({ ...options, method: 'PUT', path, body: application })) as Application;
    },

    /**
     * Gives it another key; the old one is refused at once.
     * @example const { key } = await client.applications.regenerateKey(id);
     */
    regenerateKey: async (id: string, options?: WriteOptions) =>
      post(pathOf('applications', id, 'regenerate'), undefined, options),

    /**
     * Deletes it, its key and its sessions.
     * @example await client.applications.delete(id);
     */
    delete: async (id: string, options?: CallOptions): Promise<void> => {
      await caller.json({ ...options, method: 'DELETE', path: pathOf('applications', id) });
    },
  };
}
