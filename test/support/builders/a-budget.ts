import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { createBudget, type Budget } from '../../../src/core/expressions/budget.ts';

/** The budget of one request, which draws aliases at random. */
export const aBudget = (): Budget => createBudget(machinePlatform.random.integer);
