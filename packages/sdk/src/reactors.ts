import type { HttpClient, CallOptions, WriteOptions } from './http-client.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import { pathOf } from './paths.ts';
import type { AsyncReactRequest, InvocationResult, ReactRequest } from './generics.ts';
import type { NewReactor, Reactor, ReactorChange, ReactorResponse } from './resources.ts';

export interface ReactorQuery extends PageQuery {
  readonly id?: string | readonly string[] | undefined;
  /** `*` matches any characters; without it, any name that contains this matches. */
  readonly name?: string | undefined;
}

export function reactorsOf(http: HttpClient) {
  const post = (path: string, body: unknown, options?: WriteOptions) =>
    http.json({ ...options, method: 'POST', path, body });
  return {
    /**
     * Stores code that can be invoked.
     * @example await client.reactors.create({ name: 'Charge', code, configuration: { MERCHANT: '7' } });
     */
    create: async (reactor: NewReactor, options?: WriteOptions) =>
      (await post('/reactors', reactor, options)) as Reactor,

    /**
     * Returns a reactor with its code.
     * @example const { code } = await client.reactors.retrieve(id);
     */
    retrieve: async (id: string, options?: CallOptions) =>
      (await http.json({ ...options, method: 'GET', path: pathOf('reactors', id) })) as Reactor,

    /**
     * One page when awaited, every reactor when iterated.
     * @example for await (const { name } of client.reactors.list({ name: 'charge*' })) console.log(name);
     */
    list: (query: ReactorQuery = {}, options?: CallOptions): List<Reactor> =>
      listOf(http, '/reactors', { ...query }, options),

    /**
     * Replaces all members; without `application` the reactor has none afterwards.
     * @example await client.reactors.update(id, { name: 'Charge', code, configuration: {} });
     */
    update: async (id: string, reactor: NewReactor, options?: WriteOptions) =>
      (await http.json({
        ...options,
        method: 'PUT',
        path: pathOf('reactors', id),
        body: reactor,
      })) as Reactor,

    /**
     * Changes only the members that are sent.
     * @example await client.reactors.patch(id, { configuration: { MERCHANT: null } });
     */
    patch: async (id: string, change: ReactorChange, options?: WriteOptions): Promise<void> => {
      const contentType = 'application/merge-patch+json';
      const path = pathOf('reactors', id);
      await http.json({ ...options, method: 'PATCH', path, body: change, contentType });
    },

    /**
     * Deletes a reactor.
     * @example await client.reactors.delete(id);
     */
    delete: async (id: string, options?: CallOptions): Promise<void> => {
      await http.json({ ...options, method: 'DELETE', path: pathOf('reactors', id) });
    },

    /**
     * Runs it and waits for its response, at most 30 seconds. An error of the code is an
     * `ApiError`. Under an idempotency key, code that throws 429 or 503 runs again.
     * @example const { raw } = await client.reactors.react(id, { args: { card: `{{ ${tokenId} }}` } });
     */
    react: async <A extends string | object>(
      id: string,
      request: ReactRequest<A> = {},
      options?: WriteOptions,
    ) => (await post(pathOf('reactors', id, 'react'), request, options)) as ReactorResponse,

    /**
     * Starts it; the service sends the result to `callback_url` and stores it for 24 hours.
     * @example const { id: invocation } = await client.reactors.reactAsync(id, { args, callback_url: 'https://me.example/done' });
     */
    reactAsync: async <A extends string | object>(
      id: string,
      request: AsyncReactRequest<A>,
      options?: WriteOptions,
    ) => (await post(pathOf('reactors', id, 'react'), request, options)) as { readonly id: string },

    /**
     * Returns the state and result of an asynchronous invocation.
     * @example const { status } = await client.reactors.retrieveResult(id, invocation);
     */
    retrieveResult: async (id: string, invocationId: string, options?: CallOptions) => {
      const path = pathOf('reactors', id, 'results', invocationId);
      return (await http.json({ ...options, method: 'GET', path })) as InvocationResult;
    },
  };
}
