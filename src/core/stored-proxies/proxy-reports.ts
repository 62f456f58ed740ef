/** Which proxy a report is about, and the request that led to it. None of its members is secret. */
interface Reported {
  readonly traceId: string;
  readonly tenantId: string;
  readonly proxyId: string;
}

/**
 * Only the operator of a deployment learns these about proxies: a tenant's own records would
 * confirm guesses to those who read them.
 */
export interface ProxyReports {
  /** A call had a secret of its proxy, by its name in the configuration. */
  readonly onSecretGuessed: (found: Reported & { readonly name: string }) => void;
  /**
   * A proxy had too many secrets in 30 days: the oldest are not removed from responses any more.
   */
  readonly onSecretsForgotten: (found: Reported) => void;
}
