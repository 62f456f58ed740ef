import type { ApiPromise } from './api-promise.ts';
import type {
  HttpClient,
  CallOptions,
  ChangeOptions,
  ConditionOptions,
  WriteOptions,
} from './http-client.ts';
import { request } from './request.ts';
import type {
  ApplicationKey,
  ApplicationKeyChange,
  CreatedApplicationKey,
  NewApplicationKey,
} from './resources.ts';

/** Changes after which no other key could change an application take this option. */
export interface ForceOption {
  /** `true` makes the change even so; without it the response is 409 `last_manager`. */
  readonly force?: boolean;
}

/** Separates the option that goes into the query. */
export function forced<Options extends CallOptions>(options: (Options & ForceOption) | undefined) {
  if (options === undefined) return { query: {}, rest: undefined };
  const { force, ...rest } = options;
  return { query: force === undefined ? {} : { force }, rest };
}

/** Makes the methods for keys of an application. */
export function keysOfApplications(http: HttpClient) {
  return {
    ...keysOf(http, 'applications'),

    /**
     * Deletes a key. Afterwards, no part of the service accepts it.
     * @example await client.applications.keys.delete(id, keyId);
     */
    delete: (
      id: string,
      keyId: string,
      options?: CallOptions & ConditionOptions & ForceOption,
    ): ApiPromise<void> => {
      const { query, rest } = forced(options);
      const path = '/applications/{id}/keys/{key_id}';
      return request(http, { method: 'DELETE', path, ids: [id, keyId], query, takesCondition: true }, rest);
    },
  };
}

/** The keys of an application or of a stored proxy. */
export function keysOf(http: HttpClient, owners: 'applications' | 'proxies') {
  const all = `/${owners}/{id}/keys`;
  const one = `${all}/{key_id}`;
  return {
    /**
     * Adds a key; only this response contains its text.
     * @example const { key } = await client.applications.keys.create(id, { name: 'From December on' });
     */
    create: (id: string, key: NewApplicationKey = {}, options?: WriteOptions) =>
      request<CreatedApplicationKey>(http, { method: 'POST', path: all, ids: [id], body: key }, options),

    /**
     * Returns all keys, the newest first.
     * @example for (const { hint, last_used_on } of await client.applications.keys.list(id)) console.log(hint, last_used_on);
     */
    list: (id: string, options?: CallOptions) =>
      request<readonly ApplicationKey[]>(http, { method: 'GET', path: all, ids: [id] }, options),

    /**
     * Returns a key, without its text.
     * @example const { expires_at } = await client.applications.keys.retrieve(id, keyId);
     */
    retrieve: (id: string, keyId: string, options?: CallOptions) =>
      request<ApplicationKey>(http, { method: 'GET', path: one, ids: [id, keyId] }, options),

    /**
     * Changes the members of the patch; `null` removes one.
     * @example await client.applications.keys.update(id, keyId, { expires_at: '2027-12-01T00:00:00Z' });
     */
    update: (id: string, keyId: string, change: ApplicationKeyChange, options?: ChangeOptions) =>
      request<ApplicationKey>(
        http,
        {
          method: 'PATCH',
          path: one,
          ids: [id, keyId],
          body: change,
          takesCondition: true,
        },
        options,
      ),

    /**
     * Deletes a key. Afterwards, no part of the service accepts it.
     * @example await client.applications.keys.delete(id, keyId);
     */
    delete: (id: string, keyId: string, options?: CallOptions & ConditionOptions): ApiPromise<void> =>
      request(http, { method: 'DELETE', path: one, ids: [id, keyId], takesCondition: true }, options),
  };
}
