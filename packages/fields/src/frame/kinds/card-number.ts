import { passesLuhn } from '../../../../../src/core/tokens/types/passes-luhn.ts';
import { brandOf, grouped, numberLengths, usualLength } from '../brands.ts';
import { digitsOf, type Kind } from './kind.ts';

const MAX_DIGITS = 19;
/** The BIN has 8 digits for numbers of 16 or more, otherwise 6 (ISO/IEC 7812-1:2017). */
const LONG_BIN = 8;
const SHORT_BIN = 6;
const BIN_FROM = 16;
const SHOWN_LAST = 4;

export const cardNumber: Kind = {
  autocomplete: 'cc-number',
  inputMode: 'numeric',
  isDigits: true,
  isShownInPart: true,
  format: (text) => grouped(digitsOf(text).slice(0, MAX_DIGITS)),
  check(text, { brands, isLeft }) {
    const digits = digitsOf(text);
    const brand = brandOf(digits);
    const lengths = numberLengths(brand);
    const isWhole = lengths.includes(digits.length);
    const isLong = digits.length >= usualLength(brand);
    const passes = passesLuhn(digits);
    const isAccepted = brands === undefined || brand === null || brands.includes(brand);
    return {
      // A shorter number than usual is the beginning of a longer one, unless it ends there.
      complete: isWhole && (isLong || (passes && isLeft)),
      valid: isAccepted && digits.length <= Math.max(...lengths) && (passes || !isWhole || !isLong),
    };
  },
  valueOf: (text) => digitsOf(text),
};

/** PCI DSS 3.4.1 allows a page to show these digits of a number. */
export function shownDigits(text: string): { readonly bin: string; readonly last4: string } {
  const digits = digitsOf(text);
  return {
    bin: digits.slice(0, digits.length >= BIN_FROM ? LONG_BIN : SHORT_BIN),
    last4: digits.slice(-SHOWN_LAST),
  };
}

/** Whether no longer number of the same brand begins like this one. */
export function isLongest(text: string): boolean {
  const digits = digitsOf(text);
  return digits.length === Math.max(...numberLengths(brandOf(digits)));
}

/** Whether a number is as long as those of its brand usually are: a shorter one may be a prefix. */
export function isUsual(text: string): boolean {
  const digits = digitsOf(text);
  return digits.length >= usualLength(brandOf(digits));
}
