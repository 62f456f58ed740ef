import { STORED_PROXY_LIMITS } from './stored-proxy.ts';
import { TransformError } from './transform-failure.ts';

/** How long the searches of regular expressions in one call may take together, in ms. */
const SEARCH_MS = 1_000;
/**
 * Characters times steps of an expression that the slowest search found, `(?i)[\pL]{300}!`, does in
 * a ms. Each step may be tried at each character.
 */
const STEPS_OF_A_MS = 30_000;
/** A search that must end before the call does gets so many times the time of the slowest one. */
const MARGIN = 3;

/**
 * What all transforms of one call may cost together. The writer of a proxy decides what its
 * callers cost (docs/security.md#invariants-between-callers).
 */
export interface TransformBudget {
  /** Counts a body that a transform reads. Throws {@link TransformError}. */
  readonly read: (bytes: number) => void;
  /**
   * Runs searches. `beforeSearch` is called before each, with the characters that it may read times
   * the steps of its expression. Throws {@link TransformError} where it might take too long.
   */
  readonly searching: <T>(run: (beforeSearch: (steps: number) => void) => T) => T;
}

/** The clock is in ms, and so is `deadline`, the end of the call. */
export function createTransformBudget(clock: () => number, deadline: number): TransformBudget {
  let bytesLeft: number = STORED_PROXY_LIMITS.transformedBytes;
  let searchMsLeft = SEARCH_MS;
  return {
    read: (bytes) => {
      bytesLeft -= bytes;
      if (bytesLeft < 0)
        throw new TransformError(
          `the transforms of a call together read at most ${String(STORED_PROXY_LIMITS.transformedBytes)} bytes`,
        );
    },
    searching: (run) => {
      const startedAt = clock();
      try {
        return run((steps) => {
          const now = clock();
          const msLeft = Math.min(searchMsLeft - (now - startedAt), (deadline - now) / MARGIN);
          if (steps > msLeft * STEPS_OF_A_MS)
            throw new TransformError('the body is too large for its expression and the time that is left');
        });
      } finally {
        searchMsLeft -= clock() - startedAt;
      }
    },
  };
}
