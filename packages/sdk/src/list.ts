import type { ApiPromise } from './api-promise.ts';
import type { HttpClient, CallOptions } from './http-client.ts';
import { isPlainObject } from './json-text.ts';
import type { Filters } from './query.ts';
import { request } from './request.ts';

export interface Pagination {
  /** Exact up to 10,000, then `total_is_lower_bound`. Absent on pages that `after` continues. */
  readonly total_items?: number;
  readonly total_is_lower_bound?: boolean;
  readonly page_number?: number;
  readonly page_size: number;
  readonly total_pages?: number;
  /** The cursor of the next page; `null` at the end. */
  readonly after: string | null;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** Selects a page of a list. The default is the first one, with 20 items. */
export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  /** 1 to 100. */
  readonly size?: number | undefined;
  /** The cursor that an earlier page contains. It replaces `page`. */
  readonly after?: string | undefined;
}

/**
 * One page when awaited; every item from that page on when iterated. It sends no request before.
 * @example const { data, pagination } = await client.tokens.list({ size: 50 });
 * @example for await (const token of client.tokens.list()) console.log(token.id);
 */
export interface List<T> extends ApiPromise<Page<T>>, AsyncIterable<T> {}

/** A page that a cursor continues has no number. */
interface Continuing {
  readonly after?: string;
  readonly page?: undefined;
}

/** `fetchPage` gets the cursor that continues the requested page; first, `undefined`. */
export function createList<T>(fetchPage: (next: Continuing) => ApiPromise<Page<T>>): List<T> {
  let first: ApiPromise<Page<T>> | undefined;
  const asked = (): ApiPromise<Page<T>> => (first ??= fetchPage({}));
  return {
    then: (onPage, onError) => asked().then(onPage, onError),
    catch: (onError) => asked().catch(onError),
    finally: (onEnd) => asked().finally(onEnd),
    withResponse: () => asked().withResponse(),
    [Symbol.toStringTag]: 'List',
    async *[Symbol.asyncIterator]() {
      for (let next: Continuing | undefined = {}; next !== undefined;) {
        const { data, pagination }: Page<T> = await fetchPage(next);
        yield* data;
        next = pagination.after === null ? undefined : { after: pagination.after, page: undefined };
      }
    },
  };
}

/** A list whose pages are requested by GET. Its request fails if `query` is no plain object. */
export const listOf = <T>(
  http: HttpClient,
  path: string,
  query: object,
  options?: CallOptions,
  ids: readonly string[] = [],
): List<T> =>
  createList((next) => {
    const asked = isPlainObject(query) ? { ...query, ...next } : (query as Filters);
    return request(http, { method: 'GET', path, ids, query: asked }, options);
  });
