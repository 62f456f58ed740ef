import type { ApiPromise } from './api-promise.ts';
import type {
  HttpClient,
  CallOptions,
  ChangeOptions,
  ConditionOptions,
  WriteOptions,
} from './http-client.ts';
import { forced, keysOfApplications, type ForceOption } from './keys.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import { request } from './request.ts';
import type {
  Application,
  ApplicationGrants,
  ApplicationType,
  ApplicationWithKey,
  NewApplication,
} from './resources.ts';

export interface ApplicationQuery extends PageQuery {
  readonly id?: string | readonly string[];
  /** The names that their owner gave them, exactly. */
  readonly external_id?: string | readonly string[];
  readonly type?: ApplicationType | readonly ApplicationType[];
  /** `*` matches any characters; without it, any name that contains this matches. */
  readonly name?: string;
}

export function applicationsOf(http: HttpClient) {
  const path = '/applications/{id}';
  return {
    /**
     * Creates an application; only this response contains its key.
     * @example const { key } = await client.applications.create({ name: 'Checkout', type: 'public', permissions: ['token:create'] });
     */
    create: (application: NewApplication, options?: WriteOptions) =>
      request<ApplicationWithKey>(
        http,
        {
          method: 'POST',
          path: '/applications',
          body: application,
        },
        options,
      ),

    /**
     * Returns an application, without its key.
     * @example const { name } = await client.applications.retrieve(id);
     */
    retrieve: (id: string, options?: CallOptions) =>
      request<Application>(http, { method: 'GET', path, ids: [id] }, options),

    /**
     * Returns the application of the client's key.
     * @example const { id } = await client.applications.retrieveByKey();
     */
    retrieveByKey: (options?: CallOptions) =>
      request<Application>(http, { method: 'GET', path: '/applications/key' }, options),

    /**
     * One page when awaited, every application when iterated.
     * @example for await (const { name } of client.applications.list({ type: 'private' })) console.log(name);
     */
    list: (query: ApplicationQuery = {}, options?: CallOptions): List<Application> =>
      listOf(http, '/applications', query, options),

    /**
     * Replaces name, permissions and rules.
     * @example await client.applications.update(id, { name: 'Checkout', permissions: ['token:create', 'token:update'] });
     */
    update: (id: string, application: ApplicationGrants, options?: ChangeOptions & ForceOption) => {
      const { query, rest } = forced(options);
      const put = { method: 'PUT', path, ids: [id], query, body: application, takesCondition: true } as const;
      return request<Application>(http, put, rest);
    },

    /**
     * Puts one new key in the place of all of its keys, which are invalid immediately.
     * @example const { key } = await client.applications.regenerateKey(id);
     */
    regenerateKey: (id: string, options?: ChangeOptions) =>
      request<ApplicationWithKey>(
        http,
        {
          method: 'POST',
          path: '/applications/{id}/regenerate',
          ids: [id],
          takesCondition: true,
        },
        options,
      ),

    /** The keys of an application, of which it may have several. */
    keys: keysOfApplications(http),

    /**
     * Deletes it, its keys and its sessions.
     * @example await client.applications.delete(id);
     */
    delete: (id: string, options?: CallOptions & ConditionOptions & ForceOption): ApiPromise<void> => {
      const { query, rest } = forced(options);
      return request(http, { method: 'DELETE', path, ids: [id], query, takesCondition: true }, rest);
    },
  };
}
