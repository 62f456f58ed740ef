/** How many instances may run at once, all functions together. */
export interface InstanceBudget {
  /** False when there are as many as there may be. */
  take(): boolean;
  give(): void;
  /** An instance has become idle: it can make room for whoever was refused. */
  offer(): void;
}

/**
 * `makeRoom` is asked to stop an idle instance when none is left; `onRoom` is told when it is worth
 * to ask again.
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
    // Later: whoever gives is in the middle of changing what it has.
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
