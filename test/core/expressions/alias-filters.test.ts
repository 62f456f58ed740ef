import { NamedArgument } from '../../../src/core/expressions/arguments.ts';
import {
  aliasCard,
  aliasPreserveFormat,
  aliasPreserveLength,
} from '../../../src/core/expressions/alias-filters.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const { integer: randomInt } = machinePlatform.random;

const kind = (character: string): string => {
  if (/[0-9]/.test(character)) return 'digit';
  if (/[a-z]/.test(character)) return 'lower';
  return /[A-Z]/.test(character) ? 'upper' : character;
};
const text = fc
  .array(fc.constantFrom(...Array.from('0189azAZ- é\u{1F600}')), { minLength: 1, maxLength: 30 })
  .map((parts) => parts.join(''))
  .filter((value) => /[0-9a-z]/i.test(value));

describe('an alias', () => {
  it('an alias of a format preserves kinds of characters and requested ones, and never equals the value', () => {
    fc.assert(
      fc.property(text, (value) => {
        const alias = aliasPreserveFormat(randomInt, value);
        expect(alias).not.toBe(value);
        expect(Array.from(alias).map(kind)).toEqual(Array.from(value).map(kind));
      }),
      { numRuns: cases(300) },
    );
  });

  it('an alias of a length has as many characters, all letters and digits, and never equals the value', () => {
    fc.assert(
      fc.property(text, (value) => {
        const alias = aliasPreserveLength(randomInt, value);
        expect(alias).not.toBe(value);
        expect(alias).toMatch(/^[0-9a-z]+$/i);
        expect(Array.from(alias)).toHaveLength(Array.from(value).length);
      }),
      { numRuns: cases(300) },
    );
  });

  it('never equals the value even if only one character can be replaced', () => {
    for (let turn = 0; turn < 2_000; turn += 1) {
      expect(aliasPreserveFormat(randomInt, '4242', 3)).not.toBe('4242');
      expect(aliasPreserveLength(randomInt, '7')).not.toBe('7');
      expect(aliasCard(randomInt, '42424242424', true, true)).not.toBe('42424242424');
    }
  });

  it('preserves first and last characters', () => {
    expect(aliasPreserveFormat(randomInt, 'ABC-123-xyz', 3, 3)).toMatch(/^ABC-\d{3}-xyz$/);
    expect(aliasPreserveLength(randomInt, 'ABC-123-xyz', new NamedArgument('last', 2))).toMatch(
      /^[0-9a-z]{9}yz$/i,
    );
  });

  it('an alias of a card preserves separators, and BIN and last four digits on request', () => {
    expect(aliasCard(randomInt, '4242424242424242', true, true)).toMatch(/^42424242\d{4}4242$/);
    expect(aliasCard(randomInt, '4242-4242-4242-4242', 'false', 'true')).toMatch(/^\d{4}-\d{4}-\d{4}-4242$/);
    expect(aliasCard(randomInt, '378282246310005', true)).toMatch(/^378282\d{9}$/);
    expect(aliasCard(randomInt, '4242424242424242')).toMatch(/^\d{16}$/);
  });

  it.each([
    () => aliasCard(randomInt, '1234567890', true, true),
    () => aliasPreserveFormat(randomInt, '1234', 4),
    () => aliasPreserveFormat(randomInt, '1234', 2, 2),
    () => aliasPreserveFormat(randomInt, '--- ---'),
    () => aliasPreserveFormat(randomInt, 'Ééß'.slice(1)),
    () => aliasPreserveLength(randomInt, '1234', 100_000),
    () => aliasPreserveLength(randomInt, ''),
    () => aliasPreserveLength(randomInt, null),
    () => aliasPreserveLength(randomInt, 'a'.repeat(401)),
  ])('%# is rejected for an empty value, or if no character can be replaced', (make) => {
    expect(make).toThrow(ExpressionError);
  });

  it('is drawn again each time', () => {
    const aliases = Array.from({ length: 200 }, () => aliasCard(randomInt, '4242424242424242', true, false));
    expect(new Set(aliases).size).toBe(200);
  });
});
