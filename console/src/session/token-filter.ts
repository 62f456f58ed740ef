/** A filter of tokens. A search may contain data, so only the container is ever in an address. */
export interface TokenFilter {
  readonly container: string;
  readonly key: string;
  readonly value: string;
  /** A value that an index has, or terms of docs/contract.md#search-tokens. */
  readonly search: string;
}
