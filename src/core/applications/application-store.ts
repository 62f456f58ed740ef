import { changedGrants, NO_GRANTS } from '../access/changed-grants.ts';
import type { Change } from '../audit/audit-record.ts';
import type { Effect, PortEffects } from '../audit/effect.ts';
import { sameJson } from '../shared/same-json.ts';
import type { Application } from './application.ts';

/**
 * Where applications and the hashes of their keys are stored. An application and all data for its
 * access decisions change atomically. Rejects with `dependency_unavailable` when the store is down.
 */
export interface ApplicationStore {
  /** Writes a new application and the hash of its key; `false` if its id is in use. */
  create(application: Application, keyHash: Buffer): Promise<boolean>;
  /** The newest version of an application; `undefined` if the tenant has none with this id. */
  find(tenantId: string, id: string): Promise<Application | undefined>;
  /** Finds the applications that exist among these ids, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly Application[]>;
  /** All applications of a tenant in batches, newest first, that come after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly Application[]>;
  /**
   * Replaces the version `previous`, from which `next` was made; `false` if it has changed since.
   */
  update(previous: Application, next: Application): Promise<boolean>;
  /** Does the same as {@link update}, and replaces the key. The old key is unknown afterwards. */
  replaceKey(previous: Application, next: Application, keyHash: Buffer): Promise<boolean>;
  /** Deletes this version of an application and its key; `false` if it has changed since. */
  delete(application: Application): Promise<boolean>;
}

/** What sessions and reactor code need of the application that they act for. */
export type ApplicationGrants = Pick<
  Application,
  'id' | 'tenantId' | 'type' | 'permissions' | 'rules' | 'expiresAtMs'
> & { readonly keyHash: Buffer };

/** Reads the grants of applications for sessions and reactor code that act on their behalf. */
export interface ApplicationGrantsStore {
  /**
   * The newest grants of the applications that exist among these ids, in any order. An expired one
   * may be among them.
   */
  grants(tenantId: string, ids: readonly string[]): Promise<readonly ApplicationGrants[]>;
}

/** Names in the API of the members that a change affects. */
const applicationMembers = (previous: Partial<Application>, next: Application): readonly string[] =>
  (
    [
      ['name', 'name'],
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

const changedApplication = (previous: Application, next: Application, more: readonly string[] = []): Effect =>
  ofApplication(next, {
    members: [...applicationMembers(previous, next), ...more],
    ...changedGrants(previous, next),
  });

export const APPLICATION_STORE_EFFECTS: PortEffects<ApplicationStore> = {
  create: (application) =>
    ofApplication(application, {
      members: ['key', ...applicationMembers({}, application)],
      ...changedGrants(NO_GRANTS, application),
    }),
  update: changedApplication,
  replaceKey: (previous, next) => changedApplication(previous, next, ['key']),
  delete: (application) =>
    ofApplication(application, { members: ['key'], ...changedGrants(application, NO_GRANTS) }),
  find: 'none',
  findMany: 'none',
  list: 'none',
};

export const APPLICATION_GRANTS_STORE_EFFECTS: PortEffects<ApplicationGrantsStore> = { grants: 'none' };
