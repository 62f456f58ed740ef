/** How many instances may run, all functions together. */
export interface InstanceBudget {
  /** Returns false if the limit is reached. */
  take(): boolean;
  give(): void;
  /** An instance has become idle: it can make room for a refused start. */
  offer(): void;
}

/**
 * `makeRoom` is called to stop an idle instance at the limit; `onRoom` is called when a start may
 * succeed.
 */
export function createInstanceBudget(
  limit: number,
  makeRoom: () => boolean,
  onRoom: () => void,
): InstanceBudget {
  let taken = 0;
  let refused = false;

  function retry(): void {
    if (!refused) return;
    refused = false;
    // Later: the caller is still changing its instances.
    setImmediate(onRoom);
  }

  return {
    take: () => {
      if (taken >= limit && !makeRoom()) {
        refused = true;
        return false;
      }
      taken += 1;
      return true;
    },
    give: () => {
      taken -= 1;
      retry();
    },
    offer: retry,
  };
}
