import type { ApiPromise } from './api-promise.ts';
import type { HttpClient, CallOptions, WriteOptions } from './http-client.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import { request } from './request.ts';
import type { ParkedDelivery } from './resources.ts';

/** Selects a page. These lists have no page numbers. */
export type DeliveryQuery = Omit<PageQuery, 'page'>;

/** The results of a reactor that their receiver has not accepted in ten attempts. */
export function deliveriesOf(http: HttpClient) {
  const path = '/reactors/{id}/deliveries';
  return {
    /**
     * The oldest first: one page when awaited, all when iterated.
     * @example for await (const { invocation_id, last_reason } of client.reactors.deliveries.list(id)) console.log(invocation_id, last_reason);
     */
    list: (id: string, query: DeliveryQuery = {}, options?: CallOptions): List<ParkedDelivery> =>
      listOf(http, path, query, options, [id]),

    /**
     * Starts up to ten new attempts.
     * @example await client.reactors.deliveries.resend(id, invocation);
     */
    resend: (id: string, invocationId: string, options?: WriteOptions): ApiPromise<void> =>
      request(
        http,
        {
          method: 'POST',
          path: `${path}/{invocation_id}/resend`,
          ids: [id, invocationId],
        },
        options,
      ),
  };
}
