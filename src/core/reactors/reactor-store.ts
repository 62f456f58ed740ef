import type { PortEffects } from '../audit/effect.ts';
import type { ExternalIds, Named } from '../shared/external-id.ts';
import { changedNotes } from '../shared/configuration-labels.ts';
import { reactorEffect } from './reactor-effect.ts';
import type { ReactorId } from './reactor-functions.ts';
import type { PackagesRecord, ReactorRecord, StoredReactor } from './reactor.ts';

/** The text of a reactor's own packages, as it is stored beside its record. */
export interface StoredPackages {
  readonly encrypted: Buffer;
  /** All packages in it, each as `name@version`. Without it, those of before stay. */
  readonly locked?: readonly string[];
}

/** The packages of a reactor change together with its record. */
export interface PackagesReplacement {
  readonly before: PackagesRecord | undefined;
  readonly now: StoredPackages | undefined;
  /** A writer that may delete nothing empties the old parts, and DynamoDB deletes them later. */
  readonly isWithoutDeletion?: true;
}

/** Stores reactors. Rejects with `dependency_unavailable` when the store is down. */
export interface ReactorStore extends ExternalIds {
  /**
   * Writes a new reactor; returns the existing one if its id is in use, `taken` if its external id
   * is, and `full` if the tenant has `most` others.
   */
  create(
    reactor: StoredReactor,
    most: number,
    packages?: StoredPackages,
  ): Promise<StoredReactor | 'created' | 'taken' | 'full'>;
  /**
   * The newest version of a reactor, in any state; `undefined` if the tenant has none with this id.
   */
  find(tenantId: string, id: string): Promise<StoredReactor | undefined>;
  /** Finds the reactors that exist among these ids, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly StoredReactor[]>;
  /** All reactors of a tenant in batches, newest first, that come after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly StoredReactor[]>;
  /**
   * Replaces the previous version of a reactor, and its packages if they change; `false` if it has
   * changed since, or if another reactor has the external id. A change of that needs `previous`.
   */
  update(next: StoredReactor, packages?: PackagesReplacement, previous?: Named): Promise<boolean>;
  /** The encrypted text of a reactor's packages; `undefined` if they were replaced since. */
  findPackages(reactor: ReactorRecord): Promise<Buffer | undefined>;
  /** Finds the packages in the bundles of reactors, in their order; none without a bundle. */
  findLocked(reactors: readonly ReactorId[]): Promise<readonly (readonly string[])[]>;
  /**
   * Notes a call of a reactor on a day (YYYY-MM-DD), and that it waits for running instances if it
   * has none any more. Does nothing if a call on that day is noted.
   */
  noteCall(reactor: StoredReactor, day: string): Promise<void>;
  /**
   * Deletes this version with its packages; `false` if it has changed since, `true` if it is
   * deleted already.
   */
  delete(reactor: StoredReactor): Promise<boolean>;
}

export const REACTOR_STORE_EFFECTS: PortEffects<ReactorStore> = {
  create: ({ id, applicationId, packages, ...notes }) =>
    reactorEffect(id, {
      change: {
        members: [
          'name',
          'code',
          'configuration',
          ...changedNotes({}, notes),
          ...(applicationId === undefined ? [] : ['application']),
          ...(packages === undefined ? [] : ['runtime']),
        ],
        ...(packages !== undefined && { bundle: packages.digest }),
      },
    }),
  // The code that knows the changed members reports them (change-reactor.ts).
  update: ({ id }) => reactorEffect(id),
  delete: ({ id }) => reactorEffect(id),
  noteCall: 'none',
  findPackages: 'none',
  findLocked: 'none',
  find: 'none',
  findMany: 'none',
  findNamed: 'none',
  list: 'none',
};
