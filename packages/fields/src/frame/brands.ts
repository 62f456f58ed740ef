import { cardBrand } from '../../../sdk/src/card-brands.ts';
import type { FieldBrand } from '../protocol.ts';

/** The form that a network's cards have (credit-card-type 10.3.0, and the networks' own pages). */
interface Look {
  readonly name: string;
  /** Lengths of its numbers, the usual one first. */
  readonly lengths: readonly number[];
  readonly cvc: number;
  /** Digits between the blanks. Default: four each. */
  readonly groups?: readonly number[];
}

const LOOKS: Readonly<Record<FieldBrand, Look>> = {
  visa: { name: 'Visa', lengths: [16, 13, 18, 19], cvc: 3 },
  mastercard: { name: 'Mastercard', lengths: [16], cvc: 3 },
  'american-express': { name: 'American Express', lengths: [15], cvc: 4, groups: [4, 6, 5] },
  discover: { name: 'Discover', lengths: [16, 17, 18, 19], cvc: 3 },
  'diners-club': { name: 'Diners Club', lengths: [14, 15, 16, 17, 18, 19], cvc: 3, groups: [4, 6, 4] },
  jcb: { name: 'JCB', lengths: [16, 15, 17, 18, 19], cvc: 3 },
  unionpay: { name: 'UnionPay', lengths: [16, 14, 15, 17, 18, 19], cvc: 3 },
  maestro: { name: 'Maestro', lengths: [16, 12, 13, 14, 15, 17, 18, 19], cvc: 3 },
  elo: { name: 'Elo', lengths: [16], cvc: 3 },
  mir: { name: 'Mir', lengths: [16, 17, 18, 19], cvc: 3 },
  rupay: { name: 'RuPay', lengths: [16], cvc: 3 },
  hipercard: { name: 'Hipercard', lengths: [16, 19], cvc: 3 },
  hiper: { name: 'Hiper', lengths: [16], cvc: 3 },
  troy: { name: 'Troy', lengths: [16], cvc: 3 },
  naranja: { name: 'Naranja', lengths: [16], cvc: 3 },
  verve: { name: 'Verve', lengths: [16, 18, 19], cvc: 3 },
};

const FOURS = [4, 4, 4, 4];
const CVC_LENGTHS = [3, 4];
/** Any card number has these lengths (ISO/IEC 7812-1), and the service accepts them. */
const SHORTEST = 12;
const LONGEST = 19;
const USUAL = 16;
const ANY_LENGTH = Array.from({ length: LONGEST - SHORTEST + 1 }, (_, index) => SHORTEST + index);
/** Discover, UnionPay, Maestro and more begin with 6: so many digits distinguish them. */
const DISTINCT = 4;

export const brandName = (brand: FieldBrand): string => LOOKS[brand].name;

/** The brand of a number that may still be typed; `null` if it is not known yet. */
export function brandOf(digits: string): FieldBrand | null {
  if (digits.startsWith('6') && digits.length < DISTINCT) return null;
  return cardBrand(digits);
}

export const numberLengths = (brand: FieldBrand | null): readonly number[] =>
  brand === null ? ANY_LENGTH : LOOKS[brand].lengths;

/** A shorter number of the brand may be the beginning of one of this length. */
export const usualLength = (brand: FieldBrand | null): number =>
  brand === null ? USUAL : (LOOKS[brand].lengths[0] ?? USUAL);

export const cvcLengths = (brand: FieldBrand | null): readonly number[] =>
  brand === null ? CVC_LENGTHS : [LOOKS[brand].cvc];

/** `4242424242424242` as `4242 4242 4242 4242`. */
export function grouped(digits: string): string {
  const brand = brandOf(digits);
  const groups = (brand === null ? undefined : LOOKS[brand].groups) ?? FOURS;
  const parts: string[] = [];
  let at = 0;
  for (const length of groups) {
    parts.push(digits.slice(at, at + length));
    at += length;
  }
  return [...parts, digits.slice(at)].filter((part) => part !== '').join(' ');
}
