import * as z from 'zod/mini';
import type { Application } from '../../core/applications/application.ts';
import { RETIRED_MS } from '../../core/access/credential-store.ts';
import type { ApplicationKey } from '../../core/applications/application-key.ts';
import type { ApplicationGrants, DeletedKey } from '../../core/applications/application-store.ts';
import { APPLICATION_TYPES } from '../../core/access/permission.ts';
import { grantsShape } from './grants-shape.ts';
import { RETIRED_PREFIX, type ItemKey } from './keys.ts';
import { binary, type Item } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

/** Members of an application that decide access. */
const rightsShape = () => ({
  type: z.enum(APPLICATION_TYPES),
  ...grantsShape(),
  expiresAtMs: z.exactOptional(z.number()),
});

const keyShape = () => ({ id: z.string(), expiresAtMs: z.exactOptional(z.number()) });

/** The form that a key has in the item of its application or stored proxy. */
export const keyItem = () =>
  z.object({
    ...keyShape(),
    revision: z._default(z.number(), 1),
    hash: binary,
    hint: z.string(),
    name: z.exactOptional(z.string()),
    createdAt: z.number(),
    createdBy: z.exactOptional(z.string()),
    writeId: z.exactOptional(binary),
    sourceAddresses: z.array(z.string()),
  });

const applicationItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    name: z.string(),
    externalId: z.exactOptional(z.string()),
    type: z.enum(APPLICATION_TYPES),
    ...grantsShape(),
    createdBy: z.exactOptional(z.string()),
    createdAt: z.number(),
    modifiedBy: z.exactOptional(z.string()),
    modifiedAt: z.exactOptional(z.number()),
    expiresAtMs: z.exactOptional(z.number()),
    keys: z.array(keyItem()),
    revision: z._default(z.number(), 1),
    version: z.number(),
  }),
);

const grantsItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    ...rightsShape(),
    keys: z.array(z.object(keyShape())),
  }),
);

const credentialItem = z.lazy(() =>
  z.object({
    tenantId: z.string(),
    applicationId: z.string(),
    keyId: z.string(),
    keyHash: binary,
    expiresAtMs: z.exactOptional(z.number()),
    sourceAddresses: z.array(z.string()),
    rights: z.exactOptional(z.object(rightsShape())),
    isRetired: z._default(z.boolean(), false),
    lastUsedOn: z.exactOptional(z.string()),
  }),
);

/** A stored copy of a key; `isRetired` marks a tombstone. */
export type StoredCredential = z.output<typeof credentialItem>;

const retiredItem = z.lazy(() =>
  z.object({ sk: z.string(), keyHash: binary, endedAtMs: z.exactOptional(z.number()) }),
);

/** Parses the record of a retired key. Throws if it is another kind of item. */
export function readRetiredKey(item: Item): DeletedKey & { readonly keyHash: Buffer } {
  const { sk, keyHash, endedAtMs } = retiredItem.parse(item);
  return { keyId: sk.slice(RETIRED_PREFIX.length), keyHash, hadEnded: endedAtMs !== undefined };
}

export const ttlOf = ({ expiresAtMs }: Pick<Application, 'expiresAtMs'>) =>
  expiresAtMs === undefined ? undefined : timeToLive(expiresAtMs);

/** The item of an application, which is in the due index. */
export function applicationItemOf(key: ItemKey, application: Application): Item {
  return {
    ...key,
    ...application,
    ttl: ttlOf(application),
    ...dueAt(application.id, application.expiresAtMs),
  };
}

/** Returns the members that decide access, without those that only people read. */
const rightsOf = ({ type, permissions, rules, expiresAtMs }: Application) => ({
  type,
  permissions,
  rules: rules.map(({ description: _, ...rule }) => rule),
  expiresAtMs,
});

/** A copy of an application's grants, for those who act for it without its key. */
export function grantsItemOf(key: ItemKey, application: Application): Item {
  const { id, tenantId } = application;
  const keys = application.keys.map((each) => ({ id: each.id, expiresAtMs: each.expiresAtMs }));
  return { ...key, id, tenantId, ...rightsOf(application), keys, ttl: ttlOf(application) };
}

/**
 * Most bytes of a copy of a key as JSON, which is longer than the item: one read unit is 4,096
 * bytes, and the day of the last use is added.
 */
const ONE_UNIT = 4_000;

/**
 * The attributes of a copy of a key, besides its own key and the day of its last use. It has the
 * rights of its application if both fit into one read unit.
 */
export function credentialMembers(
  application: Application,
  { id: keyId, hash: keyHash, expiresAtMs = Infinity, sourceAddresses }: ApplicationKey,
): Item {
  const { tenantId, id: applicationId, expiresAtMs: applicationEnd = Infinity } = application;
  // An expired key is remembered for as long as a deleted one, but not beyond its application.
  const last = Math.min(expiresAtMs + RETIRED_MS, applicationEnd);
  const own = {
    tenantId,
    applicationId,
    keyId,
    keyHash,
    sourceAddresses,
    expiresAtMs: Number.isFinite(expiresAtMs) ? expiresAtMs : undefined,
    ttl: Number.isFinite(last) ? timeToLive(last) : undefined,
  };
  const whole = { ...own, rights: rightsOf(application) };
  return Buffer.byteLength(JSON.stringify(whole)) <= ONE_UNIT ? whole : { ...own, rights: undefined };
}

/** Parses an application's item. Throws if it is another kind of item. */
export const readApplicationItem = (item: Item): Application => applicationItem.parse(item);

/** Parses a copy of an application's grants. Throws if it is another kind of item. */
export const readGrantsItem = (item: Item): ApplicationGrants => grantsItem.parse(item);

/** Parses a copy of a key, or its tombstone. Throws if it is another kind of item. */
export const readCredentialItem = (item: Item): StoredCredential => credentialItem.parse(item);
