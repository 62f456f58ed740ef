/** Where a resource lives: what its names and ARNs are made of. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
  /** The address of the HTTP API on this machine, without a trailing slash. */
  readonly baseUrl: string;
}
