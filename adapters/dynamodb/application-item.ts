import * as z from 'zod/mini';
import type { Application } from '../../core/applications/application.ts';
import { APPLICATION_TYPES } from '../../core/applications/permission.ts';
import { grantsShape } from './grants-item.ts';
import type { ItemKey } from './keys.ts';
import { binary, fromItem, toItem, type Item } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

const applicationItem = z.object({
  id: z.string(),
  tenantId: z.string(),
  name: z.string(),
  type: z.enum(APPLICATION_TYPES),
  ...grantsShape,
  createdBy: z.exactOptional(z.string()),
  createdAt: z.number(),
  modifiedBy: z.exactOptional(z.string()),
  modifiedAt: z.exactOptional(z.number()),
  expiresAt: z.exactOptional(z.number()),
  version: z.number(),
  keyHash: binary,
});

export interface StoredApplication {
  readonly application: Application;
  readonly keyHash: Buffer;
}

/** The item of an application under a key, with the hash of its API key, so that either leads to the other. */
export function applicationItemOf(
  key: ItemKey,
  { application, keyHash }: StoredApplication,
  options: { readonly isDue: boolean },
): Item {
  const { expiresAt } = application;
  const ttl = expiresAt === undefined ? undefined : timeToLive(expiresAt);
  return toItem({
    ...key,
    ...application,
    keyHash,
    ttl,
    ...(options.isDue && dueAt(application.id, expiresAt)),
  });
}

/** Parses an application's item. Throws if it is not one. */
export function readApplicationItem(item: Item): StoredApplication {
  const { keyHash, ...application } = applicationItem.parse(fromItem(item));
  return { application, keyHash };
}
