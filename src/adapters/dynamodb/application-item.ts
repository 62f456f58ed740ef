import * as z from 'zod/mini';
import type { Application } from '../../core/applications/application.ts';
import type { ApplicationGrants } from '../../core/applications/application-store.ts';
import { APPLICATION_TYPES } from '../../core/access/permission.ts';
import { grantsShape } from './grants-shape.ts';
import type { ItemKey } from './keys.ts';
import { binary, type Item } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

const applicationItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    name: z.string(),
    type: z.enum(APPLICATION_TYPES),
    ...grantsShape(),
    createdBy: z.exactOptional(z.string()),
    createdAt: z.number(),
    modifiedBy: z.exactOptional(z.string()),
    modifiedAt: z.exactOptional(z.number()),
    expiresAtMs: z.exactOptional(z.number()),
    version: z.number(),
    keyHash: binary,
  }),
);

const grantsItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    type: z.enum(APPLICATION_TYPES),
    ...grantsShape(),
    expiresAtMs: z.exactOptional(z.number()),
    keyHash: binary,
  }),
);

/** An application and the hash of its API key, so that each leads to the other. */
export interface StoredApplication {
  readonly application: Application;
  readonly keyHash: Buffer;
}

const ttlOf = ({ expiresAtMs }: Application) =>
  expiresAtMs === undefined ? undefined : timeToLive(expiresAtMs);

/** The item of an application, which is in the due index. */
export function applicationItemOf(key: ItemKey, { application, keyHash }: StoredApplication): Item {
  return {
    ...key,
    ...application,
    keyHash,
    ttl: ttlOf(application),
    ...dueAt(application.id, application.expiresAtMs),
  };
}

/**
 * A copy of an application's grants. It has only what decides access, so that sixteen copies of the
 * largest fit one transaction.
 */
export function grantsItemOf(key: ItemKey, { application, keyHash }: StoredApplication): Item {
  const { id, tenantId, type, permissions, expiresAtMs } = application;
  const rules = application.rules.map(({ description: _, ...rule }) => rule);
  const ttl = ttlOf(application);
  return { ...key, id, tenantId, type, permissions, rules, expiresAtMs, keyHash, ttl };
}

/** Parses an application's item. Throws if it is another kind of item. */
export function readApplicationItem(item: Item): StoredApplication {
  const { keyHash, ...application } = applicationItem.parse(item);
  return { application, keyHash };
}

/** Parses a copy of an application's grants. Throws if it is another kind of item. */
export function readGrantsItem(item: Item): ApplicationGrants {
  return grantsItem.parse(item);
}
