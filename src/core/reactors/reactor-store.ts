import type { PortEffects } from '../audit/effect.ts';
import { reactorEffect } from './reactor-effect.ts';
import type { StoredReactor } from './reactor.ts';

/** Stores reactors. Rejects with `dependency_unavailable` when the store is down. */
export interface ReactorStore {
  /**
   * Writes a new reactor; returns the existing one if its id is in use, and `full` if the tenant
   * has `most` others.
   */
  create(reactor: StoredReactor, most: number): Promise<StoredReactor | 'created' | 'full'>;
  /**
   * The newest version of a reactor, in any state; `undefined` if the tenant has none with this id.
   */
  find(tenantId: string, id: string): Promise<StoredReactor | undefined>;
  /** Finds the reactors that exist among these ids, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly StoredReactor[]>;
  /** All reactors of a tenant in batches, newest first, that come after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly StoredReactor[]>;
  /** Replaces the previous version of a reactor; `false` if it has changed since. */
  update(next: StoredReactor): Promise<boolean>;
  /**
   * Notes a call of a reactor on a day (YYYY-MM-DD), and that it waits for running instances if it
   * has none any more. Does nothing if a call on that day is noted.
   */
  noteCall(reactor: StoredReactor, day: string): Promise<void>;
  /** Deletes this version; `false` if it has changed since, `true` if it is deleted already. */
  delete(reactor: StoredReactor): Promise<boolean>;
}

export const REACTOR_STORE_EFFECTS: PortEffects<ReactorStore> = {
  create: ({ id, applicationId }) =>
    reactorEffect(id, {
      change: {
        members: ['name', 'code', 'configuration', ...(applicationId === undefined ? [] : ['application'])],
      },
    }),
  // The code that knows the changed members reports them (change-reactor.ts).
  update: ({ id }) => reactorEffect(id),
  delete: ({ id }) => reactorEffect(id),
  noteCall: 'none',
  find: 'none',
  findMany: 'none',
  list: 'none',
};
