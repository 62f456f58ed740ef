import { isAbaRouting } from '../../../../../src/core/tokens/types/is-aba-routing.ts';
import { cvcLengths } from '../brands.ts';
import { digitsOf, isLength, type FieldContext, type Kind } from './kind.ts';

const MAX_CVC = 4;
const MAX_ACCOUNT = 17;
/** The mask shows four digits, and of a shorter number all. */
const MIN_ACCOUNT = 5;
const ROUTING = 9;
const MAX_TEXT = 1_000;
const USUAL_TEXT = 255;

export const cardCvc: Kind = {
  autocomplete: 'cc-csc',
  inputMode: 'numeric',
  isDigits: true,
  format: (text) => digitsOf(text).slice(0, MAX_CVC),
  check: (text, { brand }) => isLength(digitsOf(text), cvcLengths(brand)),
  valueOf: digitsOf,
};

export const accountNumber: Kind = {
  autocomplete: 'off',
  inputMode: 'numeric',
  isDigits: true,
  isShownInPart: true,
  format: (text) => digitsOf(text).slice(0, MAX_ACCOUNT),
  check(text) {
    const { length } = digitsOf(text);
    return { complete: length >= MIN_ACCOUNT, valid: length <= MAX_ACCOUNT };
  },
  valueOf: digitsOf,
};

export const routingNumber: Kind = {
  autocomplete: 'off',
  inputMode: 'numeric',
  isDigits: true,
  format: (text) => digitsOf(text).slice(0, ROUTING),
  check(text) {
    const digits = digitsOf(text);
    const complete = digits.length === ROUTING;
    return { complete, valid: !complete || isAbaRouting(digits) };
  },
  valueOf: digitsOf,
};

/** The text as far as it is allowed, in code points: half of an emoji is no text. */
const allowed = (text: string, { fixed: { maxLength = USUAL_TEXT } }: FieldContext): string =>
  Array.from(text).slice(0, Math.min(maxLength, MAX_TEXT)).join('');

export const freeText: Kind = {
  autocomplete: 'off',
  inputMode: 'text',
  isDigits: false,
  format: allowed,
  // A field without `format`, or one in which a keyboard composes, may have more.
  check: (text, context) => ({ complete: text.trim() !== '', valid: allowed(text, context) === text }),
  valueOf: (text) => text.trim(),
};
