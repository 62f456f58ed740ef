import { FieldReporter } from '../shared/field-reporter.ts';
import { createBudget } from './budget.ts';

/**
 * What is wrong with the templates of one request, member by member, and what reading and filling
 * them may still cost.
 */
export class TemplateFields extends FieldReporter {
  readonly budget = createBudget();
}
