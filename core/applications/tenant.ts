import type { WrappedKey } from '../crypto/tenant-keys.ts';
import type { Application } from './application.ts';

/** What a tenant may change about itself. */
export interface TenantSettings {
  /** Whether tokens are deduplicated when a create does not say. */
  readonly deduplicateTokens: boolean;
}

/** A tenant with its wrapped keys. `webhookSecret` is sealed under its `webhook` key. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly settings: TenantSettings;
  readonly keys: readonly WrappedKey[];
  readonly webhookSecret: Buffer;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

/** Where tenants are kept. */
export interface TenantStore {
  /** Writes a new tenant together with its first application, both or neither. */
  create(tenant: Tenant, application: Application, keyHash: Buffer): Promise<void>;
}
