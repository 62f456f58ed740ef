import { z } from 'zod';
import {
  CONDITION_ATTRIBUTES,
  CONDITION_OPERATORS,
  TRANSFORMS,
} from '../../core/applications/access-rule.ts';
import type { Application } from '../../core/applications/application.ts';
import { APPLICATION_TYPES, PERMISSION_NAMES, type Permission } from '../../core/applications/permission.ts';
import { fromItem, toBuffer, toItem, type Item } from './table-client.ts';
import type { ItemKey } from './keys.ts';
import { timeToLive } from './token-item.ts';

const permission = z.enum(PERMISSION_NAMES as readonly [Permission, ...Permission[]]);

const condition = z.object({
  attribute: z.enum(CONDITION_ATTRIBUTES),
  operator: z.enum(CONDITION_OPERATORS),
  value: z.string(),
});

const rule = z.object({
  description: z.string().exactOptional(),
  priority: z.number(),
  container: z.string().exactOptional(),
  conditions: z.array(condition).exactOptional(),
  transform: z.enum(TRANSFORMS),
  permissions: z.array(permission),
});

const application = z.object({
  id: z.string(),
  tenantId: z.string(),
  name: z.string(),
  type: z.enum(APPLICATION_TYPES),
  permissions: z.array(permission),
  rules: z.array(rule),
  createdBy: z.string().exactOptional(),
  createdAt: z.number(),
  modifiedBy: z.string().exactOptional(),
  modifiedAt: z.number().exactOptional(),
  expiresAt: z.number().exactOptional(),
});

const credential = application.extend({ keyHash: z.instanceof(Uint8Array).transform(toBuffer) });

/** The item of an application under a key, with the hash of its API key, so that either leads to the other. */
export function applicationItemOf(key: ItemKey, value: Application, keyHash: Buffer): Item {
  const ttl = value.expiresAt === undefined ? undefined : timeToLive(value.expiresAt);
  return toItem({ ...key, ...value, keyHash, ttl });
}

/** Parses an application's item. Throws if it is not one. */
export function readApplicationItem(item: Item): {
  readonly application: Application;
  readonly keyHash: Buffer;
} {
  const { keyHash, ...value } = credential.parse(fromItem(item));
  return { application: value, keyHash };
}
