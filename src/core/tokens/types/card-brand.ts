import { CARD_RANGES } from './card-ranges.ts';

/**
 * Ranges that the source of {@link CARD_RANGES} lacks, with their own sources. They take precedence
 * over its ranges of the same length.
 */
const MORE_RANGES = {
  // NPCI, RuPay BIN ranges. A card of two networks has the brand of the other one, so 3538 is JCB.
  rupay: '508500-508999 606985-607984 608001-608500 652150-653149',
  // Discover Global Network, IIN ranges.
  'diners-club': '3095',
  // All of 62 is assigned to UnionPay (ISO/IEC 7812); numbers missing from the source would be
  // Maestro.
  unionpay: '62',
} as const;

/** The network of a card, which `bin_details.card_brand` shows. */
export type CardBrand = keyof typeof CARD_RANGES | keyof typeof MORE_RANGES;

/** The numbers of a network that begin with the prefixes from `from` to `to`. */
export interface CardRange {
  readonly brand: CardBrand;
  /** First and last prefix of the range, which have the same length. */
  readonly from: string;
  readonly to: string;
}

const rangesOf = ([brand, ranges]: [string, string]): readonly CardRange[] =>
  ranges.split(' ').map((range) => {
    const [from = '', to = from] = range.split('-');
    return { brand: brand as CardBrand, from, to };
  });

/** Orders the longest prefixes first, and equal ones in the order of the brands. */
const byLength = (): readonly CardRange[] =>
  [...Object.entries(MORE_RANGES), ...Object.entries(CARD_RANGES)]
    .flatMap(rangesOf)
    .sort((a, b) => b.from.length - a.from.length);

let ranges: readonly CardRange[] | undefined;

/** Returns all ranges of card numbers, those with the longest prefixes first. */
export function cardRanges(): readonly CardRange[] {
  ranges ??= byLength();
  return ranges;
}

/**
 * The brand of a card number, by the longest known prefix of its digits; `null` if none is known. A
 * number that is still being typed has the brand of the digits so far.
 */
export function cardBrand(number: string): CardBrand | null {
  const range = cardRanges().find(({ from, to }) => {
    const prefix = number.slice(0, from.length);
    return prefix.length === from.length && prefix >= from && prefix <= to;
  });
  return range?.brand ?? null;
}
