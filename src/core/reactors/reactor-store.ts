import type { StoredReactor } from './reactor.ts';

/** Where reactors are kept. Rejects with `dependency_unavailable` when the store is down. */
export interface ReactorStore {
  /** Writes a new reactor; what is there already under its id otherwise. */
  create(reactor: StoredReactor): Promise<StoredReactor | 'created'>;
  /**
   * The reactor as it was last written, in whatever state; `undefined` if the tenant has none of
   * this id.
   */
  find(tenantId: string, id: string): Promise<StoredReactor | undefined>;
  /** Those of the reactors that exist, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly StoredReactor[]>;
  /** All reactors of a tenant, newest first, in batches, starting after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly StoredReactor[]>;
  /** Writes a reactor over the version before it; `false` if it has changed since. */
  update(next: StoredReactor): Promise<boolean>;
  /** Deletes this version; `false` if it has changed since, `true` if there is none any more. */
  delete(reactor: StoredReactor): Promise<boolean>;
}
