import type { Random } from '../shared/platform.ts';
import { ExpressionError } from './expression-error.ts';

/** Reports a budget that is used up. All texts that share it fail, whichever of them used it. */
export class BudgetError extends ExpressionError {}

/**
 * Steps for all expressions of a request together. A step takes at most about 3 ns of one core in
 * every filter (`npm run bench -- expressions`), so a budget is a fraction of a second.
 */
export const REQUEST_STEPS = 100_000_000;

/**
 * Steps for the mask of one token: a page has at most 100 tokens, so that no page can exceed its
 * budget.
 */
export const MASK_STEPS = REQUEST_STEPS / 100;

/**
 * The cost that expressions may still have. It counts steps instead of time, so that the same
 * evaluation has the same outcome everywhere.
 */
export interface Budget {
  /** The steps charged so far. */
  readonly used: number;
  /** Chooses the characters of aliases. It is here because every filter gets a budget. */
  readonly randomInt: Random['integer'];
  /**
   * Charges steps before their work is done. Throws {@link BudgetError} if too few are left, and
   * for every later charge.
   */
  charge(steps: number): void;
  /**
   * A budget of at most `steps`, which are charged to this one too. If the part is exceeded, this
   * one is still usable.
   */
  part(steps: number): Budget;
  /** Returns a budget that charges this one, and has another source of aliases. */
  drawingFrom(source: Random['integer']): Budget;
}

class StepBudget implements Budget {
  readonly #limit: number;

  readonly #reason: string;

  readonly randomInt: Random['integer'];

  readonly #whole: Budget | undefined;

  #used = 0;

  constructor(limit: number, reason: string, randomInt: Random['integer'], whole?: Budget) {
    this.#limit = limit;
    this.#reason = reason;
    this.randomInt = randomInt;
    this.#whole = whole;
  }

  get used(): number {
    return this.#used;
  }

  charge(steps: number): void {
    // The comparison is negated, so that NaN is too much.
    if (!(steps <= this.#limit - this.#used)) {
      this.#used = this.#limit;
      throw new BudgetError(this.#reason);
    }
    this.#whole?.charge(steps);
    this.#used += steps;
  }

  part(steps: number): Budget {
    return new StepBudget(steps, `takes more than ${String(steps)} steps`, this.randomInt, this);
  }

  drawingFrom(source: Random['integer']): Budget {
    return new StepBudget(this.#limit, this.#reason, source, this);
  }
}

export function createBudget(randomInt: Random['integer']): Budget {
  return new StepBudget(
    REQUEST_STEPS,
    `makes the expressions of the request take more than ${String(REQUEST_STEPS)} steps`,
    randomInt,
  );
}
