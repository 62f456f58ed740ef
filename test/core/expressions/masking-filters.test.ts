import { NamedArgument } from '../../../src/core/expressions/arguments.ts';
import {
  binLength,
  cardBin,
  cardMask,
  last4,
  reveal,
  revealFirst,
  revealLast,
} from '../../../src/core/expressions/masking-filters.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';

const PAN = '4242424242424242';
const AMEX = '378282246310005';
const characters = (text: string) => Array.from(text);

/**
 * Text without the mask's own character and without preserved characters, so that every shown
 * character can be identified.
 */
const secret = fc
  .array(fc.constantFrom(...Array.from('0123456789abcdefÄß€\u{1F600}\u0301')), { maxLength: 30 })
  .map((parts) => parts.join(''));
const count = fc.nat({ max: 40 });

describe('reveal_last, reveal_first and last4', () => {
  it.each([
    [revealLast(PAN, 4), 'XXXXXXXXXXXX4242'],
    [revealLast(PAN, 4, '*'), '************4242'],
    [revealLast('123-45-6789', 4), 'XXX-XX-6789'],
    [revealLast(PAN), 'XXXXXXXXXXXXXXXX'],
    [revealLast(PAN, 0), 'XXXXXXXXXXXXXXXX'],
    [revealLast(123456789, 4), 'XXXXX6789'],
    [revealLast(PAN, 4, ''), '4242'],
    [revealLast(null, 4), ''],
    [revealFirst(PAN, 6), '424242XXXXXXXXXX'],
    [revealFirst('12-345', 1), '1X-XXX'],
    [last4(PAN), '4242'],
  ])('shows %j', (shown, expected) => {
    expect(shown).toBe(expected);
  });

  it('return a text unmasked that is no longer than the requested number', () => {
    for (const text of ['', '1', '123', '1234', '\u{1F600}\u{1F600}\u{1F600}\u{1F600}']) {
      expect(revealLast(text, 4)).toBe(text);
      expect(revealFirst(text, 4)).toBe(text);
      expect(last4(text)).toBe(text);
    }
  });

  it('never show more characters than requested, at either end', () => {
    fc.assert(
      fc.property(secret, count, (text, n) => {
        const [source, shownLast, shownFirst] = [
          text,
          revealLast(text, n, '#'),
          revealFirst(text, n, '#'),
        ].map(characters);
        const length = source?.length ?? 0;
        source?.forEach((character, index) => {
          expect(shownLast?.[index]).toBe(index >= length - n ? character : '#');
          expect(shownFirst?.[index]).toBe(index < n ? character : '#');
        });
        expect(shownLast).toHaveLength(length);
      }),
    );
  });

  it('count characters, not code units', () => {
    expect(revealLast('ab\u{1F600}', 1)).toBe('XX\u{1F600}');
    expect(revealFirst('\u{1F600}bc', 1)).toBe('\u{1F600}XX');
    expect(last4('12\u{1F600}45')).toBe('2\u{1F600}45');
    expect(revealLast('e\u0301x', 1)).toBe('XXx');
  });
});

describe('reveal', () => {
  it.each([
    [reveal(PAN, 4, 4), '4242XXXXXXXX4242'],
    [reveal(PAN), 'XXXXXXXXXXXXXXXX'],
    [reveal('4242-4242', 2, 2, '*', '-'), '42**-**42'],
    [reveal('4242-4242', 5, 0, '*', '-'), '4242-****'],
    [reveal('', 1, 1), ''],
    [reveal(PAN, new NamedArgument('first', 2), new NamedArgument('mask', '#')), '42##############'],
  ])('shows %j', (shown, expected) => {
    expect(shown).toBe(expected);
  });

  it.each([
    [16, 0],
    [0, 16],
    [8, 8],
    [10, 10],
    [100_000, 100_000],
  ])('masks everything when %i and %i would show everything', (first, last) => {
    expect(reveal(PAN, first, last)).toBe('XXXXXXXXXXXXXXXX');
  });

  it('masks everything when preserved characters would show everything', () => {
    expect(reveal(PAN, 0, 0, 'X', '0123456789')).toBe('XXXXXXXXXXXXXXXX');
    expect(reveal('4242-42', 7, 0, 'X', '-')).toBe('XXXX-XX');
  });

  it('never shows more than requested, and never everything', () => {
    fc.assert(
      fc.property(
        secret,
        count,
        count,
        fc.constantFrom('', '0', '012', 'ab\u{1F600}'),
        (text, first, last, preserve) => {
          const shown = characters(reveal(text, first, last, '#', preserve));
          const source = characters(text);
          expect(shown).toHaveLength(source.length);
          if (source.length > 0) expect(shown.join('')).not.toBe(text);
          source.forEach((character, index) => {
            const allowed = index < first || index >= source.length - last || preserve.includes(character);
            if (!allowed) expect(shown[index]).toBe('#');
            else expect(['#', character]).toContain(shown[index]);
          });
        },
      ),
    );
  });
});

describe('card_mask and card_bin', () => {
  it.each([
    [cardMask(PAN), 'XXXXXXXXXXXXXXXX'],
    [cardMask(PAN, true), '42424242XXXXXXXX'],
    [cardMask(PAN, false, true), 'XXXXXXXXXXXX4242'],
    [cardMask(PAN, true, true), '42424242XXXX4242'],
    [cardMask(AMEX, true, true), '378282XXXXX0005'],
    [cardMask('4242-4242-4242-4242', true, true, '*', '-'), '4242-4242-****-4242'],
    [cardMask('4242 4242 4242 4242', true, true), '4242X4242XXXXXX4242'],
    [cardMask('1234567890', true, true), 'XXXXXXXXXX'],
    [cardMask('123', true, true), 'XXX'],
    [cardMask('', true, true), ''],
    [cardBin(PAN), '42424242'],
    [cardBin('4242-4242-4242-4242'), '42424242'],
    [cardBin(AMEX), '378282'],
  ])('shows %j', (shown, expected) => {
    expect(shown).toBe(expected);
  });

  it('show at most the BIN and the last four digits, and never everything', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom(...Array.from('0123456789')), { minLength: 1, maxLength: 19 })
          .map((digits) => digits.join('')),
        fc.boolean(),
        fc.boolean(),
        (number, bin, last) => {
          const shown = cardMask(number, bin, last, '#');
          expect(shown).not.toBe(number);
          const visible = characters(shown).filter((character) => character !== '#').length;
          expect(visible).toBeLessThanOrEqual((bin ? binLength(number.length) : 0) + (last ? 4 : 0));
          characters(number).forEach((character, index) => expect(['#', character]).toContain(shown[index]));
          expect(cardBin(number)).toBe(number.slice(0, number.length >= 16 ? 8 : 6));
        },
      ),
    );
  });
});
