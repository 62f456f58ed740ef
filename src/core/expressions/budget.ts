import { ExpressionError } from './expression-error.ts';

/**
 * Steps that all expressions of one request may take together. A step is at most about 3 ns of one
 * core, whatever the filter (`npm run bench -- expressions` measures it), so that a whole budget is
 * a fraction of a second.
 */
export const REQUEST_STEPS = 100_000_000;

/**
 * Steps that the mask of one token may take: a page shows at most 100 tokens, so that no page can
 * exceed its budget.
 */
export const MASK_STEPS = REQUEST_STEPS / 100;

/**
 * What expressions may still cost. It counts steps, not time, so that the same evaluation has the
 * same outcome everywhere.
 */
export interface Budget {
  /** The steps charged so far. */
  readonly used: number;
  /**
   * Takes steps out, before the work that they stand for. Throws {@link ExpressionError} if too few
   * are left, also ever after.
   */
  charge(steps: number): void;
  /**
   * A budget of at most `steps` that is charged to this one too. Exceeding it leaves this one
   * usable.
   */
  part(steps: number): Budget;
}

class StepBudget implements Budget {
  readonly #limit: number;

  readonly #reason: string;

  readonly #whole: Budget | undefined;

  #used = 0;

  constructor(limit: number, reason: string, whole?: Budget) {
    this.#limit = limit;
    this.#reason = reason;
    this.#whole = whole;
  }

  get used(): number {
    return this.#used;
  }

  charge(steps: number): void {
    // Turned around, so that what is not a number is too much.
    if (!(steps <= this.#limit - this.#used)) {
      this.#used = this.#limit;
      throw new ExpressionError(this.#reason);
    }
    this.#whole?.charge(steps);
    this.#used += steps;
  }

  part(steps: number): Budget {
    return new StepBudget(steps, `takes more than ${String(steps)} steps`, this);
  }
}

/** The budget of a request. */
export function createBudget(): Budget {
  return new StepBudget(
    REQUEST_STEPS,
    `makes the expressions of the request take more than ${String(REQUEST_STEPS)} steps`,
  );
}
