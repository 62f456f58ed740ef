import { changedGrants, NO_GRANTS } from '../access/changed-grants.ts';
import type { Change } from '../audit/audit-record.ts';
import type { Effect, PortEffects } from '../audit/effect.ts';
import type { ExternalIds } from '../shared/external-id.ts';
import { sameJson } from '../shared/same-json.ts';
import { changedKeys } from './changed-keys.ts';
import type { Application } from './application.ts';
import type { ApplicationKey } from './application-key.ts';

/**
 * Stores applications and their keys. An application, its keys and all data for its access
 * decisions change atomically. Rejects with `dependency_unavailable` when the store is down.
 */
export interface ApplicationStore extends ExternalIds {
  /** Writes a new application and its keys; `false` if its id or its external id is in use. */
  create(application: Application): Promise<boolean>;
  /** The newest version of an application; `undefined` if the tenant has none with this id. */
  find(tenantId: string, id: string): Promise<Application | undefined>;
  /** Finds the applications that exist among these ids, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly Application[]>;
  /** All applications of a tenant in batches, newest first, that come after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly Application[]>;
  /**
   * Replaces the version `previous`, from which `next` was made; `false` if it has changed since,
   * or if another application has the external id.
   * Keys that `next` does not have are rejected afterwards, and remembered as retired. `beside` is
   * another application that must be as it was found, or the result is `false` too.
   */
  update(previous: Application, next: Application, beside?: Application): Promise<boolean>;
  /**
   * Deletes this version of an application and its keys; `false` if it has changed since, or if
   * `beside` has.
   */
  delete(application: Application, beside?: Application): Promise<boolean>;
  /** The days on which the keys of an application were last used, by the ids of the keys. */
  lastUses(application: Application): Promise<ReadonlyMap<string, string>>;
  /**
   * Forgets up to `count` retired keys of a tenant that is being destroyed, and returns their
   * number.
   */
  forgetRetiredKeys(tenantId: string, count: number): Promise<number>;
}

/** Sessions and reactor code need these members of the application that they act for. */
export type ApplicationGrants = Pick<
  Application,
  'id' | 'tenantId' | 'type' | 'permissions' | 'rules' | 'expiresAtMs'
> & { readonly keys: readonly Pick<ApplicationKey, 'id' | 'expiresAtMs'>[] };

/** Reads the grants of applications for sessions and reactor code that act on their behalf. */
export interface ApplicationGrantsStore {
  /**
   * The newest grants of the applications that exist among these ids, in any order. An expired one
   * may be among them.
   */
  grants(tenantId: string, ids: readonly string[]): Promise<readonly ApplicationGrants[]>;
  /** Finds which of these keys were deleted in the last 30 days, in any order. */
  deletedKeys(tenantId: string, keyIds: readonly string[]): Promise<readonly DeletedKey[]>;
}

/** Members that are stored of a key that was deleted, by itself or with its application. */
export interface DeletedKey {
  readonly keyId: string;
  /** The key had ended before it was deleted, so its deletion revoked nothing. */
  readonly hadEnded: boolean;
}

/** Names in the API of the members that a change affects. */
const applicationMembers = (previous: Partial<Application>, next: Application): readonly string[] =>
  (
    [
      ['name', 'name'],
      ['externalId', 'external_id'],
      ['type', 'type'],
      ['permissions', 'permissions'],
      ['rules', 'rules'],
      ['expiresAtMs', 'expires_at'],
    ] as const
  ).flatMap(([member, name]) => (sameJson(previous[member], next[member]) ? [] : [name]));

const ofApplication = ({ id }: Pick<Application, 'id'>, change?: Change): Effect => ({
  resource: `application:${id}`,
  ...(change !== undefined && { change }),
});

const NO_KEYS = { keys: [] };

export const APPLICATION_STORE_EFFECTS: PortEffects<ApplicationStore> = {
  create: (application) =>
    ofApplication(application, {
      members: [...changedKeys(NO_KEYS, application), ...applicationMembers({}, application)],
      ...changedGrants(NO_GRANTS, application),
    }),
  update: (previous, next) =>
    ofApplication(next, {
      members: [...applicationMembers(previous, next), ...changedKeys(previous, next)],
      ...changedGrants(previous, next),
    }),
  delete: (application) =>
    ofApplication(application, {
      members: [...changedKeys(application, NO_KEYS)],
      ...changedGrants(application, NO_GRANTS),
    }),
  lastUses: 'none',
  forgetRetiredKeys: 'none',
  find: 'none',
  findMany: 'none',
  findNamed: 'none',
  list: 'none',
};

export const APPLICATION_GRANTS_STORE_EFFECTS: PortEffects<ApplicationGrantsStore> = {
  grants: 'none',
  deletedKeys: 'none',
};
