import * as z from 'zod/mini';
import type { Tenant } from '../../core/tenants/tenant.ts';
import type { TenantBasics } from '../../core/access/tenant-basics.ts';
import { isDestroyed } from '../../core/crypto/key-ring.ts';
import { END_OF_TIME } from './due-index.ts';
import { tenantCopyKey, tenantKey } from './keys.ts';
import { binary, type Item } from './table-client.ts';
import { dueAt } from './token-item.ts';

/** A deployment key as a root names it, and as its own item has it. */
export const deploymentKeyShape = () => z.object({ id: z.string(), wrapped: binary });

const basics = () => ({
  settings: z.object({ deduplicateTokens: z.boolean(), ephemeralProxy: z.boolean() }),
  roots: z.array(
    z.object({
      wrapped: binary,
      deploymentKey: z.exactOptional(deploymentKeyShape()),
      since: z.number(),
      addedAt: z.number(),
      startedAt: z.exactOptional(z.number()),
      settledAt: z.exactOptional(z.number()),
      clearedAt: z.exactOptional(z.number()),
    }),
  ),
  keyVersion: z.number(),
});

const basicsItem = z.lazy(() => z.object(basics()));

const tenantItem = z.lazy(() =>
  z.object({
    ...basics(),
    id: z.string(),
    name: z.string(),
    webhookSecret: z.exactOptional(binary),
    previousWebhookSecret: z.exactOptional(z.object({ encrypted: binary, until: z.number() })),
    createdAt: z.number(),
    rotateAt: z.number(),
    configurationRevision: z.exactOptional(z.string()),
    revision: z._default(z.number(), 1),
    recoveredAt: z.exactOptional(z.number()),
    reencrypt: z.exactOptional(z.object({ startedAt: z.number(), left: z.number(), after: z.string() })),
    version: z.number(),
  }),
);

/**
 * The item of a tenant. All tenants are in the due index, which also lists them. A tenant without
 * keys is no longer rotated.
 */
export function tenantItemOf(tenant: Tenant): Item {
  const dueTime = isDestroyed(tenant) ? END_OF_TIME : tenant.rotateAt;
  return { ...tenantKey(tenant.id), ...tenant, ...dueAt(tenant.id, dueTime) };
}

/** A copy of what requests need to know about a tenant. */
export function basicsItemOf({ id, settings, roots, keyVersion }: Tenant, copy: number): Item {
  return { ...tenantCopyKey(id, copy), settings, roots, keyVersion };
}

/** Parses a tenant's item. Throws if it is another kind of item. */
export function readTenantItem(item: Item): Tenant {
  return tenantItem.parse(item);
}

/**
 * Parses a copy of what requests need to know about a tenant. Throws if it is another kind of item.
 */
export function readBasicsItem(item: Item): TenantBasics {
  return basicsItem.parse(item);
}
