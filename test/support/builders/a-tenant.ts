import { randomUUID } from 'node:crypto';
import type { Tenant } from '../../../src/core/tenants/tenant.ts';

/** A tenant with one root, which opens nothing. */
export const aTenant = (more: Partial<Tenant> = {}): Tenant => ({
  id: randomUUID(),
  name: 'x',
  settings: { deduplicateTokens: false, ephemeralProxy: true },
  roots: [{ wrapped: Buffer.alloc(16), since: 1, addedAt: 1, startedAt: 1 }],
  keyVersion: 1,
  webhookSecret: Buffer.alloc(16),
  createdAt: 1,
  rotateAt: 2,
  revision: 1,
  version: 1,
  ...more,
});
