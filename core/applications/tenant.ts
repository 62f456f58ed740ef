import type { WrappedKey } from '../crypto/tenant-keys.ts';
import type { TenantSettings } from './tenant-settings.ts';
import type { Application } from './application.ts';

/** A tenant with its wrapped keys. `webhookSecret` is sealed under its `webhook` key. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly settings: TenantSettings;
  readonly keys: readonly WrappedKey[];
  readonly webhookSecret: Buffer;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When the tenant gets another data key, in ms since the epoch. */
  readonly rotateAt: number;
}

/** What a tenant says about itself through the API. */
export type TenantProfile = Pick<Tenant, 'id' | 'name' | 'settings'>;

/** What an operator sees of a tenant. */
export interface TenantSummary extends Pick<Tenant, 'id' | 'name' | 'createdAt' | 'rotateAt'> {
  readonly isDestroyed: boolean;
}

/** Where tenants are kept. */
export interface TenantStore {
  /** All tenants, in no order; `isDestroyed` ones are being removed. */
  list(): AsyncIterable<readonly TenantSummary[]>;
  /** Writes a new tenant together with its first application, both or neither. */
  create(tenant: Tenant, application: Application, keyHash: Buffer): Promise<void>;
}

/** The part of a tenant that the tenant itself reads and changes. */
export interface TenantProfileStore {
  /** The profile as it was last written; `undefined` if there is no such tenant. */
  profile(tenantId: string): Promise<TenantProfile | undefined>;
  /** Replaces name and settings; `false` if there is no such tenant. */
  updateProfile(profile: TenantProfile): Promise<boolean>;
}
