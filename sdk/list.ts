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

/** Awaited, one page; iterated, everything: `for await (const token of client.tokens.list())`. */
export interface List<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {}

/** `fetchPage` gets the cursor of the page before, or `undefined` for the page that was asked for. */
export function createList<T>(fetchPage: (after: string | undefined) => Promise<Page<T>>): List<T> {
  return {
    then: (onPage, onError) => fetchPage(undefined).then(onPage, onError),
    async *[Symbol.asyncIterator]() {
      for (let after: string | null | undefined; after !== null;) {
        const page: Page<T> = await fetchPage(after);
        yield* page.data;
        after = page.pagination.after;
      }
    },
  };
}
