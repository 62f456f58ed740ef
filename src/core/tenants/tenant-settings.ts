/** The settings that a tenant may change. */
export interface TenantSettings {
  /** The default of `deduplicate_token` for creates. */
  readonly deduplicateTokens: boolean;
}
