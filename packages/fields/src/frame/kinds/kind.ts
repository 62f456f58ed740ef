import type { FieldBrand, FieldPart, FixedOptions } from '../../protocol.ts';

/** The state of a field and its form that its text is checked with. */
export interface FieldContext {
  /** A security code has the brand of the number beside it. */
  readonly brand: FieldBrand | null;
  readonly brands: readonly FieldBrand[] | undefined;
  readonly fixed: FixedOptions;
  /** Nothing follows: the person left the field or pressed Enter, or a browser filled it in. */
  readonly isLeft: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Checked {
  readonly complete: boolean;
  readonly valid: boolean;
  /** A date that is not valid is one that has passed. */
  readonly isPast?: boolean;
}

/** A kind of field, as its frame knows it. A text is the content of its input. */
export interface Kind {
  readonly autocomplete: string;
  readonly inputMode: string;
  /** Whether the input holds digits, which are written from left to right in every language. */
  readonly isDigits: boolean;
  /** Whether a mask of the service shows the last digits of a number of any length. */
  readonly isShownInPart?: true;
  /** The text as it should stand in the input. Applied again it changes nothing. */
  readonly format: (text: string, context: FieldContext) => string;
  readonly check: (text: string, context: FieldContext) => Checked;
  /** Returns the value to send. Called only for a text that is complete and valid. */
  readonly valueOf: (text: string, part: FieldPart | undefined) => string | number;
}

const ZERO = '0';
const NINE = '9';

/**
 * The digits of a text, those of other scripts included. Without a regular expression, since
 * `RegExp.input` keeps the last text that one was applied to.
 */
export function digitsOf(text: string): string {
  let digits = '';
  // NFKC makes 4 of the full-width digit four.
  for (const character of text.normalize('NFKC')) {
    if (character >= ZERO && character <= NINE) digits += character;
    else {
      const digit = EASTERN.findIndex((zero) => {
        const distance = character.charCodeAt(0) - zero;
        return distance >= 0 && distance <= 9;
      });
      if (digit >= 0) digits += String(character.charCodeAt(0) - (EASTERN[digit] ?? 0));
    }
  }
  return digits;
}

/** The Arabic, the Persian and the Devanagari digits begin at these zeros. */
const EASTERN = [0x06_60, 0x06_f0, 0x09_66];

/** Digits of one length, or of several. */
export function isLength(digits: string, lengths: readonly number[]): Checked {
  const longest = Math.max(...lengths);
  return { complete: lengths.includes(digits.length), valid: digits.length <= longest };
}
