import type { Effect, PortEffects } from '../audit/effect.ts';
import type { Revised } from '../shared/revision.ts';
import { sameJson } from '../shared/same-json.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { TenantSettings } from '../access/tenant-basics.ts';
import type { Application } from '../applications/application.ts';

/**
 * A replaced webhook secret. It signs together with the new one until this time, in ms since the
 * epoch.
 */
export interface PreviousWebhookSecret {
  readonly encrypted: Buffer;
  readonly until: number;
}

/** The progress of encrypting all records again. */
export interface ReencryptionWalk {
  /** In ms since the epoch. */
  readonly startedAt: number;
  /** Number of records that the walk left unchanged. */
  readonly left: number;
  /** The position of the token that was processed last. */
  readonly after: string;
}

/** A tenant with its key ring. Its secrets are encrypted under its `webhook` key. */
export interface Tenant extends KeyRing, Revised {
  readonly name: string;
  readonly settings: TenantSettings;
  /** Says what its configuration as a whole is at, in the words of the caller who changed it. */
  readonly configurationRevision?: string;
  /** Absent once the tenant's keys were destroyed. */
  readonly webhookSecret?: Buffer;
  readonly previousWebhookSecret?: PreviousWebhookSecret;
  /** In ms since the epoch. */
  readonly createdAt: number;
  /** The data key is rotated at this time, in ms since the epoch. */
  readonly rotateAt: number;
  /** An operator last made a management key of the tenant at this time, in ms since the epoch. */
  readonly recoveredAt?: number;
  /** The walk over all records that is under way. */
  readonly reencrypt?: ReencryptionWalk;
  /** Starts at 1 and increases by one with each change. */
  readonly version: number;
}

/** Where tenants are stored. Rejects with `dependency_unavailable` when the store is down. */
export interface TenantStore {
  /** Reads all tenants, in no order. */
  list(): AsyncIterable<readonly Tenant[]>;
  /** Writes a new tenant and its first application atomically. */
  create(tenant: Tenant, application: Application): Promise<void>;
  /** The newest version of a tenant; `undefined` if none has this id. */
  find(tenantId: string): Promise<Tenant | undefined>;
  /**
   * Replaces the version `previous`, from which `next` was made, in every copy that is read;
   * `false` if it has changed since.
   */
  update(previous: Tenant, next: Tenant): Promise<boolean>;
  remove(tenantId: string): Promise<void>;
}

const ofTenant = (id: string, members: readonly string[]): Effect => ({
  resource: `tenant:${id}`,
  change: { members },
});

/** Members of a tenant that a change affects. For keys, a record says only that they changed. */
function tenantMembers(previous: Tenant, next: Tenant): readonly string[] {
  const settings = Object.keys(next.settings).filter(
    (name) =>
      !sameJson(
        previous.settings[name as keyof Tenant['settings']],
        next.settings[name as keyof Tenant['settings']],
      ),
  );
  const ring = ({ roots, keyVersion }: Tenant) => [roots, keyVersion];
  return [
    ...(previous.name === next.name ? [] : ['name']),
    ...(previous.configurationRevision === next.configurationRevision ? [] : ['configuration_revision']),
    ...settings.map((name) => `settings.${name}`),
    ...(sameJson(ring(previous), ring(next)) ? [] : ['keys']),
    ...(sameJson(previous.webhookSecret, next.webhookSecret) ? [] : ['webhook_secret']),
    ...(previous.recoveredAt === next.recoveredAt ? [] : ['recovered_at']),
    ...(sameJson(previous.reencrypt, next.reencrypt) ? [] : ['reencrypt']),
  ];
}

export const TENANT_STORE_EFFECTS: PortEffects<TenantStore> = {
  create: ({ id }) => ofTenant(id, ['name', 'keys', 'webhook_secret']),
  update: (previous, next) => ofTenant(next.id, tenantMembers(previous, next)),
  remove: (id) => ofTenant(id, []),
  list: 'none',
  find: 'none',
};
