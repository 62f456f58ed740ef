import { namePattern } from '../../../src/core/lists/name-pattern.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { expectLinear } from '../../support/expect-linear.ts';

describe('the name filter of reactors', () => {
  it.each([
    ['charge', 'Charge card', true],
    ['CARD', 'Charge card', true],
    ['x', 'Charge card', false],
    ['charge*', 'Charge card', true],
    ['*card', 'Charge card', true],
    ['c*d', 'Charge card', true],
    ['c*x*d', 'Charge card', false],
    ['card*', 'Charge card', false],
    ['*', '', true],
    ['**', 'anything', true],
    ['aa*aa', 'aaa', false],
    ['aa*aa', 'aaaa', true],
    ['a*a*a', 'aa', false],
    ['.*', 'anything', false],
  ])('%s on %s: %s', (filter, name, matches) => {
    expect(namePattern(filter)(name)).toBe(matches);
  });

  it('agrees with a regular expression of the same meaning', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), maxLength: 12 });
    fc.assert(
      fc.property(letters, name, (filter, text) => {
        const pieces = filter.split('*').map((piece) => piece.replace(/[^ab]/g, ''));
        const expected = filter.includes('*')
          ? new RegExp(`^${pieces.join('.*')}$`, 'i').test(text)
          : text.toLowerCase().includes(filter);
        expect(namePattern(filter)(text)).toBe(expected);
      }),
      { numRuns: cases(700) },
    );
  });

  it('is as fast for a hostile filter', () => {
    expectLinear((share) => {
      expect(namePattern(`${'a*'.repeat(100 * share)}b`)('a'.repeat(200 * share))).toBe(false);
    });
  });
});
