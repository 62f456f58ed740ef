export interface Pagination {
  /** Counted up to 10,000, then `total_is_lower_bound`. Absent on pages that `after` continues. */
  readonly total_items?: number;
  readonly total_is_lower_bound?: boolean;
  readonly page_number?: number;
  readonly page_size: number;
  readonly total_pages?: number;
  /** Where the next page begins; `null` at the end. */
  readonly after: string | null;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** Which page of a list; the first, with 20 items, unless said otherwise. */
export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  /** 1 to 100. */
  readonly size?: number | undefined;
  /** A cursor of an earlier page, instead of `page`. */
  readonly after?: string | undefined;
}

/**
 * Awaited, one page; iterated, everything from that page on. Nothing is asked before.
 * @example const { data, pagination } = await client.tokens.list({ size: 50 });
 * @example for await (const token of client.tokens.list()) console.log(token.id);
 */
export interface List<T> extends Promise<Page<T>>, AsyncIterable<T> {}

/**
 * `fetchPage` gets the cursor of the page before, or `undefined` for the page that was asked for.
 */
export function createList<T>(fetchPage: (after: string | undefined) => Promise<Page<T>>): List<T> {
  let first: Promise<Page<T>> | undefined;
  const asked = (): Promise<Page<T>> => (first ??= fetchPage(undefined));
  return {
    then: (onPage, onError) => asked().then(onPage, onError),
    catch: (onError) => asked().catch(onError),
    finally: (onEnd) => asked().finally(onEnd),
    [Symbol.toStringTag]: 'List',
    async *[Symbol.asyncIterator]() {
      for (let after: string | null | undefined; after !== null;) {
        const page: Page<T> = await fetchPage(after);
        yield* page.data;
        after = page.pagination.after;
      }
    },
  };
}
