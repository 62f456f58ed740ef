import { fc } from '../../test-kit/src/properties.ts';
import { brandOf, numberLengths, usualLength } from '../src/frame/brands.ts';
import { cardNumber, isLongest, isUsual, shownDigits } from '../src/frame/kinds/card-number.ts';
import { digitsOf } from '../src/frame/kinds/kind.ts';
import { passesLuhn } from '../../../src/core/tokens/types/passes-luhn.ts';
import type { FieldBrand } from '../src/protocol.ts';
import { aKind } from './a-kind.ts';
import { CARD_NUMBERS, withLuhnDigit } from './card-numbers.ts';

const number = aKind(cardNumber);
const left = aKind(cardNumber, { isLeft: true });
const BRANDS = Object.entries(CARD_NUMBERS) as [FieldBrand, string][];

/** Draws a number of any brand and of any of its lengths, with the right check digit. */
const validNumbers = fc
  .tuple(fc.constantFrom(...BRANDS), fc.nat(), fc.array(fc.nat(9), { minLength: 19, maxLength: 19 }))
  .map(([[brand, printed], pick, rest]) => {
    const lengths = numberLengths(brand);
    const length = lengths[pick % lengths.length] ?? 16;
    // So many digits decide the brand.
    const start = digitsOf(printed).slice(0, 8);
    return withLuhnDigit((start + rest.join('')).slice(0, length - 1));
  });

describe('a card number', () => {
  it.each(BRANDS)(
    'that belongs to %s is ready with its last digit, in groups as on the card',
    (brand, printed) => {
      const texts = number.typed(digitsOf(printed));
      expect(texts.at(-1)).toBe(printed);
      expect(brandOf(digitsOf(printed))).toBe(brand);
      expect(number.verdict(printed)).toBe('ready');
      expect(number.valueOf(printed)).toBe(digitsOf(printed));
    },
  );

  it('is not wrong at any point while a person types it', () => {
    fc.assert(
      fc.property(validNumbers, (digits) => {
        for (const text of number.typed(digits).slice(0, -1))
          // Digits of the usual length are wrong if their last one does not fit, though a few
          // networks have longer numbers.
          if (digitsOf(text).length < usualLength(brandOf(digitsOf(text))))
            expect(number.verdict(text)).not.toBe('wrong');
        expect(left.verdict(digits)).toBe('ready');
      }),
    );
  });

  it('is complete before the usual length of its brand only after the person left it', () => {
    fc.assert(
      fc.property(validNumbers, (digits) => {
        const isShort = digits.length < usualLength(brandOf(digits));
        expect([digits, number.check(digits).complete]).toEqual([digits, !isShort]);
        expect(left.check(digits)).toEqual({ complete: true, valid: true });
      }),
    );
  });

  it('is complete, after the person left it, only at a length that its brand has', () => {
    fc.assert(
      fc.property(validNumbers, (digits) => {
        for (let length = 0; length < digits.length; length += 1) {
          const prefix = digits.slice(0, length);
          const brand = brandOf(prefix);
          const isNumber = numberLengths(brand).includes(length);
          const isShort = length < usualLength(brand);
          const { complete } = left.check(prefix);
          // A shorter number than usual is complete only if its check digit fits.
          expect([prefix, complete]).toEqual([prefix, isNumber && (!isShort || passesLuhn(prefix))]);
        }
      }),
    );
  });

  it.each([
    '4242-4242-4242-4242',
    '4242.4242.4242.4242',
    ' 4242  4242\t4242\u00A04242\n',
    'Card: 4242 4242 4242 4242.',
    '\u200E4242\u200B42424242\u202F4242',
    '４２４２ ４２４２ ４２４２ ４２４２',
    '٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢',
    '۴۲۴۲ ۴۲۴۲ ۴۲۴۲ ۴۲۴۲',
    '४२४२ ४२४२ ४२४२ ४२४२',
    '④②④② ④②④② ④②④② ④②④②',
  ])('is read from %j', (pasted) => {
    expect(number.format(pasted)).toBe('4242 4242 4242 4242');
    expect(number.verdict(pasted)).toBe('ready');
  });

  it('keeps its digits, at most 19, and its format does not change again', () => {
    fc.assert(
      fc.property(fc.oneof(validNumbers, fc.string({ unit: 'binary' })), (text) => {
        const formatted = number.format(text);
        expect(digitsOf(formatted)).toBe(digitsOf(text).slice(0, 19));
        expect(number.format(formatted)).toBe(formatted);
        expect(formatted).toMatch(/^(?:\d+(?: \d+)*)?$/);
      }),
    );
  });

  it('is not cut by the brand that a shorter number had', () => {
    // A number of American Express is pasted over one of Diners Club, which is shorter.
    expect(number.format('30569309025904378282246310005').length).toBeGreaterThan('3056 930902 5904'.length);
    expect(number.format('378282246310005')).toBe('3782 822463 10005');
  });

  it.each([
    ['4242 4242 4242 4241', 'wrong'],
    ['4242 4242 4242 424', 'incomplete'],
    // The brand has numbers of 13 digits, which many longer ones begin like.
    ['4222 2222 2222 2', 'incomplete'],
    ['4222 2222 2222 3', 'incomplete'],
    ['3782 822463 10006', 'wrong'],
    ['0000 0000 0000 0000', 'wrong'],
    ['0000 0000 0000', 'incomplete'],
    ['5555 5555 5555 4444 0', 'wrong'],
    ['', 'incomplete'],
  ] as const)('%j is %s', (text, expected) => {
    expect(number.verdict(text)).toBe(expected);
  });

  it.each([
    ['4222 2222 2222 2', 'ready'],
    ['4222 2222 2222 3', 'incomplete'],
    ['0000 0000 0000', 'incomplete'],
  ] as const)('%j is %s after the person left it', (text, expected) => {
    expect(left.verdict(text)).toBe(expected);
  });

  it('is wrong as soon as its brand is one that the shop does not accept', () => {
    const visaOnly = aKind(cardNumber, { brands: ['visa'] });
    expect(visaOnly.verdict('4242 4242 4242 4242')).toBe('ready');
    expect(visaOnly.verdict('5555')).toBe('wrong');
    // The brand is not known yet.
    expect(visaOnly.verdict('6')).toBe('incomplete');
  });
});

describe('what a page may see of a card number', () => {
  it('is at most what PCI DSS 3.4.1 allows: 8 and 4 digits of 16 or more, otherwise 6 and 4', () => {
    fc.assert(
      fc.property(validNumbers, (digits) => {
        const { bin, last4 } = shownDigits(digits);
        expect(bin).toBe(digits.slice(0, digits.length >= 16 ? 8 : 6));
        expect(last4).toBe(digits.slice(-4));
      }),
    );
  });

  it('is nothing before the usual length of its brand, and final at the longest', () => {
    expect(isUsual('4222222222222')).toBe(false);
    expect(isUsual('4242424242424242')).toBe(true);
    expect([isLongest('4242424242424242'), isLongest('5555555555554444')]).toEqual([false, true]);
  });
});
