/** What a tenant may change about itself. */
export interface TenantSettings {
  /** Whether tokens are deduplicated when a create does not say. */
  readonly deduplicateTokens: boolean;
}
