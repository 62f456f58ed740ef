import {
  maskCardNumbers,
  maskCardNumbersInJson,
  maskCardNumbersInForm,
} from '../../../src/core/stored-proxies/card-numbers.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { IS_THOROUGH } from '../../../packages/test-kit/src/thoroughness.ts';

const MASK = '[card]';
const CARD = '4242424242424242';
const mask = (text: string): string => maskCardNumbers(text, MASK);
const maskJson = (text: string): string => maskCardNumbersInJson(text, MASK);

/** First digits and lengths of cards, written down without the code under test. */
const ISSUED: readonly (readonly [prefix: string, length: number])[] = [
  ...[13, 16, 18, 19].map((length) => ['4', length] as const),
  ...['51', '55', '2221', '2720'].map((prefix) => [prefix, 16] as const),
  ...['34', '37'].map((prefix) => [prefix, 15] as const),
  ...[14, 16].map((length) => ['36', length] as const),
  ...['6011', '65', '3528', '62', '2200', '606282', '508500', '9792'].map((prefix) => [prefix, 16] as const),
  ...[12, 13, 15, 17, 19].map((length) => ['5020', length] as const),
  ['6759', 12],
];

/** Appends the digit that makes the Luhn check pass. */
function withCheckDigit(digits: string): string {
  const sum = Array.from(digits)
    .toReversed()
    .map((digit, at) => Number(digit) * (at % 2 === 0 ? 2 : 1))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return `${digits}${String((10 - (sum % 10)) % 10)}`;
}

const digits = fc.constantFrom(...'0123456789'.split(''));
const cards = fc
  .tuple(fc.constantFrom(...ISSUED), fc.array(digits, { minLength: 19, maxLength: 19 }))
  .map(([[prefix, length], rest]) => withCheckDigit(`${prefix}${rest.join('')}`.slice(0, length - 1)));
const separator = fc.constantFrom(
  ...['', '', '', ' ', '-', '.', '/', '_', ',', '\u00a0', '\u2009', '\u202f', '\u2010', '\u2013', '\u2212'],
  ...['\u200b', '\t', '\n', ' -', ', ', ':', '|', '*', '\\', '"', '+', '·', '\u00ad', '\u20e3', '  '],
);
const ZEROS = [0x30, 0xff10, 0x660, 0x6f0, 0x966];
/** A card as people write it: with separators, and the digits of any script. */
const written = fc
  .tuple(cards, fc.array(separator, { minLength: 18, maxLength: 18 }), fc.constantFrom(...ZEROS))
  .map(([card, separators, zero]) =>
    Array.from(card, (digit, at) => `${String.fromCharCode(zero + Number(digit))}${separators[at] ?? ''}`)
      .join('')
      .slice(0, -(separators[card.length - 1] ?? '').length || undefined),
  );
/** Text that is no part of a number: its letters separate, and it has few digits. */
const words = fc
  .array(
    fc.constantFrom('order', ' x ', 'é', '😀 ok', ': no', 'a1b22c', '2025-11-27T10:00z', 'IBAN', '€ 12.50 z'),
  )
  .map((parts) => ` words${parts.join('')}words `);

describe('masking of card numbers', () => {
  it('finds every number in a text, and nothing else', () => {
    fc.assert(
      fc.property(words, fc.array(fc.tuple(written, words), { maxLength: 5 }), (first, rest) => {
        const text = `${first}${rest.map((parts) => parts.join('')).join('')}`;
        const masked = `${first}${rest.map(([, after]) => `${MASK}${after}`).join('')}`;
        expect(mask(text)).toBe(masked);
        expect(maskJson(JSON.stringify({ a: [text, 1], [text]: null }))).toBe(
          JSON.stringify({ a: [masked, 1], [masked]: null }),
        );
      }),
      { numRuns: cases(500) },
    );
  });

  it('finds no number in which one digit is wrong', () => {
    fc.assert(
      fc.property(cards, fc.nat(), fc.integer({ min: 1, max: 9 }), (card, at, add) => {
        const index = at % card.length;
        const wrong = `${card.slice(0, index)}${String((Number(card[index]) + add) % 10)}${card.slice(index + 1)}`;
        expect(mask(wrong)).toBe(wrong);
      }),
      { numRuns: cases(500) },
    );
  });

  it.each([
    ['track 2', `;${CARD}=25121010000?`, `;${MASK}=25121010000?`],
    ['EMV data', `${CARD}D2512`, `${MASK}D2512`],
    ['zeros before it', `000${CARD}`, `000${MASK}`],
    ['a date after it', `${CARD} 12/25`, `${MASK} 12/25`],
    ['quotes around its groups', '4242"-4242 -4242\n4242', MASK],
    ['two numbers next to each other', `${CARD}, ${CARD}`, `${MASK}, ${MASK}`],
    [
      'a combining character after each digit',
      Array.from(CARD, (digit) => `${digit}\ufe0f\u20e3`).join(''),
      `${MASK}\ufe0f\u20e3`,
    ],
    ['digits of another script and an escaped space', '４２４２%20４２４２&nbsp;４２４２&#32;４２４２', MASK],
    ['a reference without its semicolon', '4242&nbsp4242&nbsp4242&nbsp4242', MASK],
    ['any reference by name between digits', '4242&hairsp;4242&bull;4242&numsp;4242', MASK],
  ])('replaces a number with %s', (_, text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it.each([
    ['a=4242%3D4242%264242%204242&b=1', '=%5Bcard%5D&b=1'],
    ['42424242&4242=4242%20', '42424242&4242=4242%20'],
  ])('reads what a form encodes as separators, and what parts its values as an end: %s', (form, masked) => {
    expect(maskCardNumbersInForm(form, '[card]', () => undefined)).toBe(masked.replace(/^=/, 'a='));
  });

  it.each([
    ['a longer identifier', `${CARD}1`],
    ['an identifier of twenty digits', `${CARD}0000`],
    ['five characters between digits', '4242 --- 4242 --- 4242 --- 4242'],
    ['a letter between digits', '4242a424242424242'],
    ['an unknown network', '1234567812345670'],
    ['a length that its network lacks', '5105105105105100'.slice(0, 12) + '4'],
    ['eleven digits', '42424242424'],
    ['a UUID', 'a 42424242-4242-4242-8000-0123456789ab b'],
    ['no digits', ''],
  ])('keeps %s', (_, text) => {
    expect(mask(text)).toBe(text);
  });

  it('replaces numbers that overlap together', () => {
    expect(mask('4242 4242 4242 4242 4242 4242')).toBe(MASK);
  });

  it('replaces the JSON numbers whose whole part is a card number', () => {
    for (const number of [CARD, `-${CARD}`, `${CARD}.0`, '4.242424242424242e15', '42424242424242.42E+2'])
      expect(maskJson(`[1.50, ${number} ]`)).toBe(`[1.50, "${MASK}" ]`);
    for (const number of [`0.0${CARD}e17`, `${CARD}00000e-5`, `${CARD}.50`])
      expect(maskJson(`{"a":${number}}`)).toBe(`{"a":"${MASK}"}`);
    for (const number of ['0.4242424242424242', '42424242.42424242', `${CARD}0`, '1e999999999', '0e15', '-0'])
      expect(maskJson(number)).toBe(number);
  });

  it('reads escape sequences of JSON, and writes only strings again that change', () => {
    const text = `\ufeff{ "\\u0041" : "\\u0034242424242424242\\n" , "x\\u0034242-4242-42424242":"\\u00e9" , "n":1.0}`;
    expect(maskJson(text)).toBe(`\ufeff{ "\\u0041" : "${MASK}\\n" , "x${MASK}":"\\u00e9" , "n":1.0}`);
  });

  it('escapes the replacement', () => {
    expect(maskCardNumbersInJson(`["${CARD}",${CARD}]`, '"\\')).toBe('["\\"\\\\","\\"\\\\"]');
  });

  it('does not join the values of an array', () => {
    const text = '["4242","4242","4242","4242",4242,4242,4242,4242]';
    expect(maskJson(text)).toBe(text);
  });

  it('rejects a text that is not JSON', () => {
    expect(() => maskJson(`{"a":"${CARD}"`)).toThrow(SyntaxError);
  });

  /** A text has six megabytes in the thorough run, and a quarter of them in the usual one. */
  const many = (whole: number) => (IS_THOROUGH ? whole : whole / 4);
  it.each([
    ['digits', '4'.repeat(many(6_000_000))],
    ['digits with separators', '4 '.repeat(many(3_000_000))],
    ['zeros', '0'.repeat(many(6_000_000))],
    ['groups', '4242-'.repeat(many(1_200_000))],
    ['numbers', `${CARD},   `.repeat(many(300_000))],
    ['separators', ' '.repeat(many(6_000_000))],
  ])('takes megabytes of %s', (_, text) => {
    expect(mask(text).length).toBeLessThanOrEqual(text.length);
  });
});
