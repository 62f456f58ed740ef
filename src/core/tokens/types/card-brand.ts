import { binLength } from '../../expressions/masking-filters.ts';

/**
 * Public prefix ranges, as many digits as each bound has (ISO/IEC 7812 issuer identification
 * numbers, as the networks publish them).
 */
const RANGES: readonly (readonly [brand: string, from: string, to: string])[] = [
  ['american-express', '34', '34'],
  ['american-express', '37', '37'],
  ['diners-club', '300', '305'],
  ['diners-club', '3095', '3095'],
  ['diners-club', '36', '36'],
  ['diners-club', '38', '39'],
  ['discover', '6011', '6011'],
  ['discover', '644', '649'],
  ['discover', '65', '65'],
  ['jcb', '3528', '3589'],
  ['mastercard', '51', '55'],
  ['mastercard', '2221', '2720'],
  ['unionpay', '62', '62'],
  ['unionpay', '81', '81'],
  ['visa', '4', '4'],
];

/**
 * What the first digits of a card number tell: the brand (`null` if no range holds it) and the
 * length of its BIN in digits.
 */
export function cardBrand(number: string): {
  readonly card_brand: string | null;
  readonly bin_length: number;
} {
  const range = RANGES.find(([, from, to]) => {
    const prefix = number.slice(0, from.length);
    return prefix.length === from.length && prefix >= from && prefix <= to;
  });
  return { card_brand: range?.[0] ?? null, bin_length: binLength(number.length) };
}
