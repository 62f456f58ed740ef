import { createBudget, type Budget } from '../expressions/budget.ts';
import type { Random } from '../shared/platform.ts';
import { STORED_PROXY_LIMITS } from './stored-proxy.ts';
import { TransformError } from './transform-failure.ts';

/**
 * Steps that all searches of regular expressions in one call may take together: characters that are
 * read times the steps of the expression. The slowest search that was found, `(?i)[\pL]{300}!`,
 * does 77,000 in a ms (`npm run bench -- hostile-bodies`).
 */
const SEARCH_STEPS = 60_000_000;

/**
 * Limits the costs of all transforms of one call together. The writer of a proxy decides what its
 * callers cost (docs/security.md#invariants-between-callers). It counts work instead of time, so
 * that the same call has the same outcome everywhere.
 */
export interface TransformBudget {
  /** Steps of all expressions. What the caller wrote has a budget of its own. */
  readonly expressions: Budget;
  /** Counts a body that a transform reads. Throws {@link TransformError}. */
  readonly read: (bytes: number) => void;
  /** Counts steps of searches. Throws {@link TransformError}. */
  readonly search: (steps: number) => void;
  /** Counts tokens before they are made. Throws {@link TransformError}. */
  readonly tokens: (count: number) => void;
}

/** `randomInt` chooses the characters of aliases. */
export function createTransformBudget(randomInt: Random['integer']): TransformBudget {
  let bytesLeft: number = STORED_PROXY_LIMITS.transformedBytes;
  let stepsLeft = SEARCH_STEPS;
  let tokensLeft: number = STORED_PROXY_LIMITS.tokens;
  return {
    expressions: createBudget(randomInt),
    read: (bytes) => {
      bytesLeft -= bytes;
      if (bytesLeft < 0)
        throw new TransformError(
          `the transforms of a call together read at most ${String(STORED_PROXY_LIMITS.transformedBytes)} bytes`,
        );
    },
    search: (steps) => {
      stepsLeft -= steps;
      if (stepsLeft < 0)
        throw new TransformError('the regular expressions of a call take too many steps for the body');
    },
    tokens: (count) => {
      tokensLeft -= count;
      if (tokensLeft < 0)
        throw new TransformError(
          `the transforms of a call together make at most ${String(STORED_PROXY_LIMITS.tokens)} tokens`,
        );
    },
  };
}
