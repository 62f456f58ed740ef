import { MASK_STEPS, REQUEST_STEPS } from '../../../src/core/expressions/budget.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { maskData } from '../../../src/core/tokens/open-token.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

describe('the mask of a token', () => {
  const masked = (mask: string, data: string, budget = aBudget()) =>
    maskData({ shown: mask }, new Secret(data), budget)?.reveal();

  it('shows nothing when it fails on the data, which have changed since it was written', () => {
    expect(masked('{{ data | to_number }}', '5')).toEqual({ shown: 5 });
    expect(masked('{{ data | to_number }}', 'abc')).toBeUndefined();
  });

  it('shows nothing when it costs too much, and does not affect the others of its page', () => {
    const page = aBudget();
    for (let token = 0; token < 50; token += 1) {
      expect(masked('{{ data | remove_last: "aab" }}', 'a'.repeat(1_000_000), page)).toBeUndefined();
      expect(masked('{{ data | last4 }}', '4242424242424242', page)).toEqual({ shown: '4242' });
    }
    expect(page.used).toBeLessThanOrEqual(50 * MASK_STEPS + REQUEST_STEPS / 100);
  });
});
