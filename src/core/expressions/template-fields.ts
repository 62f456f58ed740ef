import type { Random } from '../shared/platform.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { createBudget, type Budget } from './budget.ts';

/**
 * The errors in the templates of one request, member by member, and the budget for parsing and
 * filling the templates.
 */
export class TemplateFields extends FieldReporter {
  readonly budget: Budget;

  /** `randomInt` chooses the characters of aliases. */
  constructor(randomInt: Random['integer'], budget: Budget = createBudget(randomInt)) {
    super();
    this.budget = budget;
  }
}
