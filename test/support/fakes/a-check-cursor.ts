import type { CheckCursor, CheckState } from '../../../src/core/trail/check-latest.ts';

/** The stored content of a cursor. */
export interface StoredCursor {
  revision: number;
  /** As JSON, like the adapter stores it. */
  state?: string;
}

/** Implements {@link CheckCursor} in memory. */
export function aCheckCursor(stored: StoredCursor = { revision: 0 }): CheckCursor {
  return {
    read: () =>
      Promise.resolve(
        stored.state === undefined
          ? undefined
          : { state: JSON.parse(stored.state) as CheckState, revision: stored.revision },
      ),
    save: (state, revision) => {
      if (stored.revision !== revision) return Promise.resolve(false);
      Object.assign(stored, { revision: revision + 1, state: JSON.stringify(state) });
      return Promise.resolve(true);
    },
  };
}
