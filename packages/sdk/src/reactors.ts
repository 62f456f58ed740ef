import type { ApiPromise } from './api-promise.ts';
import { deliveriesOf } from './deliveries.ts';
import type {
  HttpClient,
  CallOptions,
  ChangeOptions,
  ConditionOptions,
  WriteOptions,
} from './http-client.ts';
import { isRecord } from './is-record.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import type { AsyncReactRequest, InvocationResult, ReactRequest } from './generics.ts';
import { request } from './request.ts';
import type {
  NewReactor,
  Reactor,
  ReactorChange,
  ReactorResponse,
  BillOfMaterials,
  RuntimeImage,
  UpdatedReactor,
} from './resources.ts';

export interface ReactorQuery extends PageQuery {
  readonly id?: string | readonly string[];
  /** The names that their owner gave them, exactly. */
  readonly external_id?: string | readonly string[];
  /** `*` matches any characters; without it, any name that contains this matches. */
  readonly name?: string;
  /** Only reactors whose code runs on this image. */
  readonly runtime?: 'node16' | 'node24';
  /** Only reactors whose `runtime.outdated` has this value. */
  readonly outdated?: boolean;
}

export function reactorsOf(http: HttpClient) {
  const path = '/reactors/{id}';
  const invocation = '/reactors/{id}/react';
  return {
    /**
     * Stores code that can be invoked.
     * @example await client.reactors.create({ name: 'Charge', code, configuration: { MERCHANT: '7' } });
     */
    create: (reactor: NewReactor, options?: WriteOptions) =>
      request<Reactor>(http, { method: 'POST', path: '/reactors', body: reactor }, options),

    /**
     * Returns a reactor with its code. With `reactor:review` alone it is a `ReviewedReactor`.
     * @example const { code } = await client.reactors.retrieve(id);
     */
    retrieve: (id: string, options?: CallOptions) =>
      request<Reactor>(http, { method: 'GET', path, ids: [id] }, options),

    /**
     * One page when awaited, every reactor when iterated.
     * @example for await (const { name } of client.reactors.list({ name: 'charge*' })) console.log(name);
     */
    list: (query: ReactorQuery = {}, options?: CallOptions): List<Reactor> =>
      listOf(http, '/reactors', query, options),

    /**
     * Replaces all members but `runtime`, which stays if it is left out. Without `application` the
     * reactor has none afterwards.
     * @example await client.reactors.update(id, { name: 'Charge', code, configuration: {} });
     */
    update: (id: string, reactor: NewReactor, options?: ChangeOptions) =>
      request<UpdatedReactor>(
        http,
        { method: 'PUT', path, ids: [id], body: reactor, takesCondition: true },
        options,
      ),

    /**
     * Changes only the members that are sent. The header `SVC-STOPPED-PROXIES` of the response has
     * the ids of stored proxies whose code has changed by it.
     * @example await client.reactors.patch(id, { configuration: { MERCHANT: null } });
     */
    patch: (id: string, change: ReactorChange, options?: ChangeOptions): ApiPromise<void> => {
      const contentType = 'application/merge-patch+json';
      return request(
        http,
        { method: 'PATCH', path, ids: [id], body: change, contentType, takesCondition: true },
        options,
      );
    },

    /**
     * Returns the packages that a reactor brings, in CycloneDX, as its author declared them.
     * @example const { components } = await client.reactors.sbom(id);
     */
    sbom: (id: string, options?: CallOptions) =>
      request<BillOfMaterials>(http, { method: 'GET', path: `${path}/sbom`, ids: [id] }, options),

    /**
     * Returns the images on which code can run, with their packages.
     * @example const { data } = await client.reactors.runtimes();
     */
    runtimes: (options?: CallOptions) =>
      request<{ readonly data: readonly RuntimeImage[] }>(
        http,
        { method: 'GET', path: '/runtimes' },
        options,
      ),

    /**
     * Deletes a reactor.
     * @example await client.reactors.delete(id);
     */
    delete: (id: string, options?: CallOptions & ConditionOptions): ApiPromise<void> =>
      request(http, { method: 'DELETE', path, ids: [id], takesCondition: true }, options),

    /**
     * Runs it and waits for its response, at most 30 seconds. An error of the code is an
     * `ApiError`. Under an idempotency key, code that throws 429 or 503 runs again.
     * @example const { raw } = await client.reactors.react(id, { args: { card: `{{ ${tokenId} }}` } });
     */
    react: <A extends string | object>(id: string, body: ReactRequest<A> = {}, options?: WriteOptions) =>
      request<ReactorResponse>(http, { method: 'POST', path: invocation, ids: [id], body }, options),

    /**
     * Starts it. The service stores the result for 24 hours, and sends it to `callback_url`. With
     * `async: true` in its place, read it with `retrieveResult`. Throws a `TypeError` without both.
     * @example const { id: invocation } = await client.reactors.reactAsync(id, { args, callback_url: 'https://me.example/done' });
     */
    reactAsync: <A extends string | object>(
      id: string,
      body: AsyncReactRequest<A>,
      options?: WriteOptions,
    ) => {
      // The service would run it at once, and its caller would take the result for an invocation.
      if (!isRecord(body) || (!body.callback_url && body.async !== true))
        throw new TypeError('reactAsync: callback_url or async: true is required');
      return request<{ readonly id: string }>(
        http,
        {
          method: 'POST',
          path: invocation,
          ids: [id],
          body,
        },
        options,
      );
    },

    /**
     * Returns the state and result of an asynchronous invocation.
     * @example const { status } = await client.reactors.retrieveResult(id, invocation);
     */
    retrieveResult: (id: string, invocationId: string, options?: CallOptions) =>
      request<InvocationResult>(
        http,
        {
          method: 'GET',
          path: '/reactors/{id}/results/{invocation_id}',
          ids: [id, invocationId],
        },
        options,
      ),

    /** Results that the receiver has not accepted in ten attempts. */
    deliveries: deliveriesOf(http),
  };
}
