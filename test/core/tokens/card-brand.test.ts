import creditCardType from 'credit-card-type';
import { cardBrand } from '../../../src/core/tokens/types/card-brand.ts';
import { CARD_RANGES } from '../../../src/core/tokens/types/card-ranges.ts';
import { textOfPatterns } from '../../../tools/build-card-ranges.ts';

const TYPES = creditCardType('');

/**
 * Both ends of each range of the package, and the numbers next to them, as first digits of a
 * number.
 */
const numbersAtEnds = new Set(
  TYPES.flatMap(({ patterns }) => patterns)
    .flatMap((pattern) => {
      const [from = 0, to = from] = typeof pattern === 'number' ? [pattern] : pattern;
      return [from - 1, from, to, to + 1];
    })
    .flatMap((prefix) => ['0', '5', '9'].map((digit) => String(prefix).padEnd(16, digit))),
);

describe('the brand of a card number', () => {
  it('comes from the ranges of credit-card-type; if not, `npm run build -- card-ranges`', () => {
    const ranges = TYPES.map(({ type, patterns }) => [type, textOfPatterns(patterns)]);
    expect(Object.entries(CARD_RANGES)).toEqual(ranges);
  });

  it('agrees with credit-card-type at and next to every end of a range, except for RuPay and 62', () => {
    const differences = [...numbersAtEnds].filter((number) => {
      const [found, more] = creditCardType(number);
      const brand = cardBrand(number);
      const isAdded = brand === 'rupay' || (brand === 'unionpay' && found?.type === 'maestro');
      return more !== undefined || (brand !== (found?.type ?? null) && !isAdded);
    });
    expect(numbersAtEnds.size).toBeGreaterThan(1_000);
    expect(differences).toEqual([]);
  });

  it.each([
    ['508499', '508500', '508999', '509000', ['maestro', 'elo']],
    ['606984', '606985', '607984', '607985', ['maestro', 'maestro']],
    ['608000', '608001', '608500', '608501', ['maestro', 'maestro']],
    ['652149', '652150', '653149', '653150', ['discover', 'discover']],
  ])('next to %s is rupay from %s to %s, and not from %s on', (before, from, to, after, others) => {
    expect([from, to].map(cardBrand)).toEqual(['rupay', 'rupay']);
    expect([before, after].map(cardBrand)).toEqual(others);
  });

  // Numbers that the networks and payment providers publish for tests.
  it.each([
    ['visa', '4242424242424242', '4222222222222', '4012888888881881'],
    ['mastercard', '5555555555554444', '2223003122003222', '2720990000000007'],
    ['american-express', '378282246310005', '341111111111111'],
    ['discover', '6011111111111117', '6445644564456445', '6500000000000002'],
    ['diners-club', '36227206271667', '3056930009020004', '38520000023237', '3095000000000000'],
    ['jcb', '3530111333300000', '3566002020360505', '180000000000002'],
    ['unionpay', '6200000000000005', '6271000000000004', '6205500000000000004', '8171999927660000'],
    ['maestro', '6759649826438453', '6304000000000000', '5018000000000009'],
    ['elo', '6362970000457013', '4389351648020055', '5066991111111118'],
    ['mir', '2200000000000004', '2204200000000000'],
    ['rupay', '6073849700004947', '6521525000000000', '5085000000000000'],
    ['hipercard', '6062825624254001', '6062826786276634'],
    ['hiper', '6370950000000005', '6375991111111111'],
    ['troy', '9792030394440796'],
    ['naranja', '5895626746595650'],
    ['verve', '5060990580000217499', '5078650000000000'],
    [null, '9000000000000000', '2721000000000004', '3527000000000000', '8200000000000000', '1', ''],
  ])('is %s for test numbers', (brand, ...numbers) => {
    const brands = numbers.map((number) => cardBrand(number ?? ''));
    expect(brands).toEqual(numbers.map(() => brand));
  });

  it('follows the digits so far while a number is typed', () => {
    expect(['', '6', '60', '601', '6011', '65', '6521', '65215'].map(cardBrand)).toEqual([
      ...[null, 'maestro', 'maestro', 'maestro', 'discover', 'discover', 'discover', 'discover'],
    ]);
    expect(cardBrand('652150')).toBe('rupay');
  });
});
