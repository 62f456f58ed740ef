import type { PortEffects } from '../audit/effect.ts';
import type { KeyRing } from '../crypto/key-ring.ts';

/** The settings that a tenant may change. */
export interface TenantSettings {
  /** The default of `deduplicate_token` for creates. */
  readonly deduplicateTokens: boolean;
  /** Whether callers of the proxy may name its destination in the request. */
  readonly ephemeralProxy: boolean;
}

/** The properties of a tenant that a request may need. */
export interface TenantBasics extends KeyRing {
  readonly settings: TenantSettings;
}

/** Reads the properties that every request may need, from one of several equal copies. */
export interface TenantBasicsStore {
  /** The newest version; `undefined` if there is no such tenant. */
  basics(tenantId: string): Promise<TenantBasics | undefined>;
}

export const TENANT_BASICS_STORE_EFFECTS: PortEffects<TenantBasicsStore> = { basics: 'none' };
