import type { KeyRing } from '../crypto/key-ring.ts';
import type { TenantSettings } from './tenant-settings.ts';
import type { Application } from '../applications/application.ts';

/**
 * A webhook secret that has been replaced, and until when it signs beside the new one, in ms since
 * the epoch.
 */
export interface PreviousWebhookSecret {
  readonly sealed: Buffer;
  readonly until: number;
}

/** How far sealing all records anew has come. */
export interface ResealWalk {
  /** Ms since the epoch. */
  readonly startedAt: number;
  /** Records that it had to leave as they are. */
  readonly left: number;
  /** The position of the last token that is done. */
  readonly after: string;
}

/** A tenant with what its keys are derived from. Secrets are sealed under its `webhook` key. */
export interface Tenant extends KeyRing {
  readonly id: string;
  readonly name: string;
  readonly settings: TenantSettings;
  /** Absent once the tenant's keys were destroyed. */
  readonly webhookSecret?: Buffer;
  readonly previousWebhookSecret?: PreviousWebhookSecret;
  /** Ms since the epoch. */
  readonly createdAt: number;
  /** When the tenant gets another data key, in ms since the epoch. */
  readonly rotateAt: number;
  /** A walk over all records that goes on. */
  readonly reseal?: ResealWalk;
  /** Starts at 1 and grows by one with each change. */
  readonly version: number;
}

/** What a request may need of its tenant. */
export type TenantBasics = Pick<Tenant, 'settings' | keyof KeyRing>;

/** Whether somebody has destroyed the keys of a tenant; the rest of it goes after them. */
export function isDestroyed({ roots }: KeyRing): boolean {
  return roots.length === 0;
}

/** Where tenants are kept. Rejects with `dependency_unavailable` when the store is down. */
export interface TenantStore {
  /** All tenants, in no order. */
  list(): AsyncIterable<readonly Tenant[]>;
  /** Writes a new tenant together with its first application, both or neither. */
  create(tenant: Tenant, application: Application, keyHash: Buffer): Promise<void>;
  /** The tenant as it was last written; `undefined` if there is none of this id. */
  find(tenantId: string): Promise<Tenant | undefined>;
  /**
   * Writes a changed tenant over the version it was made from, wherever it is read from; `false` if
   * it has changed since.
   */
  update(previous: Tenant, next: Tenant): Promise<boolean>;
  remove(tenantId: string): Promise<void>;
}

/** Reads what every request may need, from one of several equal copies. */
export interface TenantBasicsStore {
  /** As it was last written; `undefined` if there is no such tenant. */
  basics(tenantId: string): Promise<TenantBasics | undefined>;
}
