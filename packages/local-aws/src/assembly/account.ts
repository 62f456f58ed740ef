/** Where a resource lives: what its names and ARNs are made of. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
  /** The address of the HTTP API on this machine, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * The address of the AWS endpoint on this machine, without a trailing slash: what URLs of queues
   * begin with.
   */
  readonly awsEndpointUrl: string;
}
