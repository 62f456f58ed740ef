/** The account of a resource, which its names and ARNs contain. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
  /** The address that the HTTP API has on this machine, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * The local address of the AWS endpoint, without a trailing slash; the URLs of queues begin with
   * it.
   */
  readonly awsEndpointUrl: string;
}
