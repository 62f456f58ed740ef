import { fc } from '../../test-kit/src/properties.ts';
import { cardExpiration } from '../src/frame/kinds/card-expiration.ts';
import { digitsOf } from '../src/frame/kinds/kind.ts';
import { aKind } from './a-kind.ts';

// It is June 2030.
const expiry = aKind(cardExpiration);

describe('an expiry date', () => {
  it.each([
    ['1230', '12 / 30', 12, 2030],
    ['12/30', '12 / 30', 12, 2030],
    ['12 / 30', '12 / 30', 12, 2030],
    ['12-30', '12 / 30', 12, 2030],
    ['12.30', '12 / 30', 12, 2030],
    ['12/2030', '12 / 30', 12, 2030],
    ['12 / 2030', '12 / 30', 12, 2030],
    ['122030', '12 / 30', 12, 2030],
    ['2030-12', '12 / 30', 12, 2030],
    ['2031-1', '01 / 31', 1, 2031],
    ['2030/07', '07 / 30', 7, 2030],
    ['1/31', '01 / 31', 1, 2031],
    ['1/2031', '01 / 31', 1, 2031],
    ['9/30', '09 / 30', 9, 2030],
    ['930', '09 / 30', 9, 2030],
    ['0930', '09 / 30', 9, 2030],
    [' 12 / 30 ', '12 / 30', 12, 2030],
    ['١٢/٣٠', '12 / 30', 12, 2030],
    ['１２／３０', '12 / 30', 12, 2030],
    ['12/2130', '12 / 2130', 12, 2130],
    ['12/2020', '12 / 2020', 12, 2020],
  ])('%j is shown as %j', (text, shown, month, year) => {
    expect(expiry.format(text)).toBe(shown);
    expect([expiry.valueOf(text, 'month'), expiry.valueOf(text, 'year')]).toEqual([month, year]);
  });

  it.each([
    ['1', ['1']],
    ['1/30', ['1', '01', '01 / 3', '01 / 30']],
    ['3', ['03']],
    ['330', ['03', '03 / 3', '03 / 30']],
    ['1230', ['1', '12', '12 / 3', '12 / 30']],
    ['12/30', ['1', '12', '12', '12 / 3', '12 / 30']],
    ['12/2030', ['1', '12', '12', '12 / 2', '12 / 20', '12 / 203', '12 / 30']],
    ['12/2020', ['1', '12', '12', '12 / 2', '12 / 20', '12 / 202', '12 / 2020']],
    ['0930', ['0', '09', '09 / 3', '09 / 30']],
  ])('%s is shown while it is typed', (text, texts) => {
    expect(expiry.typed(text)).toEqual(texts);
  });

  it.each([
    ['12 / 30', 'ready'],
    ['06 / 30', 'ready'],
    ['05 / 30', 'wrong'],
    ['06 / 60', 'ready'],
    ['07 / 60', 'wrong'],
    ['12 / 29', 'wrong'],
    ['13 / 30', 'wrong'],
    ['00 / 30', 'wrong'],
    ['13', 'wrong'],
    ['12', 'incomplete'],
    ['12 / 3', 'incomplete'],
    // The year may go on, as 2030.
    ['12 / 20', 'incomplete'],
    ['12 / 203', 'incomplete'],
    ['0', 'incomplete'],
    ['', 'incomplete'],
  ] as const)('%j is %s', (text, expected) => {
    expect(expiry.verdict(text)).toBe(expected);
  });

  it.each([
    ['12/20', [false, true]],
    ['12/2020', [true, true]],
    ['12/29', [true, true]],
    ['05/2030', [true, true]],
    ['06/30', [false, false]],
    ['13/20', [false, false]],
    ['13/29', [false, false]],
    ['01/70', [false, false]],
    ['12', [false, false]],
  ])('%s is in the past while it is typed, and after the person left it: %j', (text, expected) => {
    const after = aKind(cardExpiration, { isLeft: true });
    const isPast = [expiry, after].map(({ check, format }) => check(format(text)).isPast ?? false);
    expect(isPast).toEqual(expected);
    if (isPast[1] === true) expect(after.verdict(text)).toBe('wrong');
  });

  it('counts the month of the person, to its last day', () => {
    const lastDay = aKind(cardExpiration, { now: new Date(2030, 5, 30, 23, 59).getTime() });
    const nextDay = aKind(cardExpiration, { now: new Date(2030, 6, 1).getTime() });
    expect([lastDay.verdict('06/30'), nextDay.verdict('06/30')]).toEqual(['ready', 'wrong']);
  });

  it('is sent as MM/YYYY where no part is named', () => {
    expect(expiry.valueOf('1/31')).toBe('01/2031');
  });

  it('has a format that does not change again, and that keeps month and year', () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789/-. ')) }),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const formatted = expiry.format(text);
        expect(expiry.format(formatted)).toBe(formatted);
        expect(formatted).toMatch(/^\d{0,2}(?: \/ \d{1,4})?$/);
        // It adds a zero and drops a century, and invents nothing else.
        const left = Array.from(digitsOf(text));
        for (const digit of digitsOf(formatted).replace(/^0/, '')) expect(left).toContain(digit);
        expect(digitsOf(formatted) === '').toBe(digitsOf(text) === '');
      }),
    );
    const dates = fc.record({
      month: fc.integer({ min: 1, max: 12 }),
      year: fc.integer({ min: 31, max: 59 }),
    });
    fc.assert(
      fc.property(dates, fc.constantFrom('/', '-', ' / ', '.'), ({ month, year }, separator) => {
        for (const text of [
          `${month}${separator}${year}`,
          `${month}${separator}20${year}`,
          `20${year}-${month}`,
        ])
          expect([text, expiry.valueOf(text, 'month'), expiry.valueOf(text, 'year')]).toEqual([
            text,
            month,
            2000 + year,
          ]);
      }),
    );
  });
});
