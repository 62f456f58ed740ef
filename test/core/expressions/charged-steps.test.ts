import { createBudget } from '../../../src/core/expressions/budget.ts';
import { jsonContext } from '../../../src/core/expressions/json-context.ts';
import { chargeText, resultOf } from '../../../src/core/expressions/result.ts';
import { Liquid } from 'liquidjs';

const aBudget = () => createBudget(() => 0);

it.each([
  [0, 0],
  [1, 1],
  [4, 1],
  [5, 2],
  [1_000, 250],
])('a text of %d characters that is passed on costs %d steps', (length, steps) => {
  const budget = aBudget();
  chargeText(budget, 'x'.repeat(length));
  expect(budget.used).toBe(steps);
});

it('a text as a result costs a quarter of a step for each character, besides the value itself', () => {
  const budget = aBudget();
  expect(resultOf('x'.repeat(1_000), budget)).toHaveLength(1_000);
  expect(budget.used).toBe(12 + 250);
});

it('what LiquidJS allocates costs 8 steps each, and its loops one each time', () => {
  const budget = aBudget();
  const { memoryLimit, renderLimit } = jsonContext({}, budget, new Liquid());
  renderLimit.check(5_000);
  expect(budget.used).toBe(1);
  memoryLimit.use(3);
  expect(budget.used).toBe(25);
  for (const unknown of [-1, 0, Number.NaN]) memoryLimit.use(unknown);
  expect(budget.used).toBe(25);
});
