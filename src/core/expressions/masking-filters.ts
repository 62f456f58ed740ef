import type { Json } from '../shared/json.ts';
import {
  booleanArgument,
  countArgument,
  namedArguments,
  textArgument,
  type FilterArgument,
} from './arguments.ts';
import { textOf } from './text-of.ts';

const DEFAULT_MASK = 'X';
/** Common separators inside numbers. The positions of the card filters do not count them. */
const SEPARATORS = ' -';

const characters = (value: Json): string[] => Array.from(textOf(value));
const isDigit = (character: string): boolean => character >= '0' && character <= '9';

/**
 * Shows the characters that `shown` selects and those in `preserve`; replaces the rest by `mask`.
 */
function hide(
  text: readonly string[],
  mask: string,
  preserve: string,
  shown: (index: number) => boolean,
): string {
  return text
    .map((character, index) => (shown(index) || preserve.includes(character) ? character : mask))
    .join('');
}

export function last4(value: Json): string {
  // A character has at most two code units. The slice may cut one in two, but only before the last
  // four.
  return characters(textOf(value).slice(-8)).slice(-4).join('');
}

/**
 * `reveal_last: n, mask`: masks all but the last n characters and `-`. A text of at most n
 * characters is returned unmasked.
 */
export function revealLast(value: Json, ...args: FilterArgument[]): string {
  const named = namedArguments(['n', 'mask'], args);
  const text = characters(value);
  const from = text.length - countArgument(named.get('n'), 0);
  return hide(text, textArgument(named.get('mask'), DEFAULT_MASK), '-', (index) => index >= from);
}

/**
 * `reveal_first: n, mask`: masks all but the first n characters and `-`. A text of at most n
 * characters is returned unmasked.
 */
export function revealFirst(value: Json, ...args: FilterArgument[]): string {
  const named = namedArguments(['n', 'mask'], args);
  const count = countArgument(named.get('n'), 0);
  return hide(
    characters(value),
    textArgument(named.get('mask'), DEFAULT_MASK),
    '-',
    (index) => index < count,
  );
}

/**
 * Shows less than `hide` if the result would equal the input: only the preserved characters, or
 * nothing if these are the whole input.
 */
function hideSomething(
  text: readonly string[],
  mask: string,
  preserve: string,
  shown: (index: number) => boolean,
): string {
  const input = text.join('');
  const attempts = [() => hide(text, mask, preserve, shown), () => hide(text, mask, preserve, () => false)];
  for (const attempt of attempts) {
    const result = attempt();
    if (result !== input) return result;
  }
  return hide(text, mask, '', () => false);
}

/**
 * `reveal: first, last, mask, preserve`: shows the first and last characters; preserved characters
 * count as positions.
 */
export function reveal(value: Json, ...args: FilterArgument[]): string {
  const named = namedArguments(['first', 'last', 'mask', 'preserve'], args);
  const text = characters(value);
  const first = countArgument(named.get('first'), 0);
  const from = text.length - countArgument(named.get('last'), 0);
  const preserve = textArgument(named.get('preserve'), '');
  return hideSomething(
    text,
    textArgument(named.get('mask'), DEFAULT_MASK),
    preserve,
    (index) => index < first || index >= from,
  );
}

/**
 * Length of the bank identification number: 8 digits of a card number of 16 or more, else 6
 * (ISO/IEC 7812-1:2017).
 */
export function binLength(digits: number): number {
  return digits >= 16 ? 8 : 6;
}

/**
 * The positions of the BIN and of the last four digits of a card number. Separators do not count.
 */
export function cardPositions(text: readonly string[]): {
  readonly bin: ReadonlySet<number>;
  readonly last: ReadonlySet<number>;
} {
  const digits = text.flatMap((character, index) => (SEPARATORS.includes(character) ? [] : [index]));
  return { bin: new Set(digits.slice(0, binLength(digits.length))), last: new Set(digits.slice(-4)) };
}

/** `card_mask: bin, last4, mask, preserve`: shows the BIN, the last four digits or both. */
export function cardMask(value: Json, ...args: FilterArgument[]): string {
  const named = namedArguments(['bin', 'last4', 'mask', 'preserve'], args);
  const text = characters(value);
  const positions = cardPositions(text);
  const showBin = booleanArgument(named.get('bin'), false);
  const showLast = booleanArgument(named.get('last4'), false);
  return hideSomething(
    text,
    textArgument(named.get('mask'), DEFAULT_MASK),
    textArgument(named.get('preserve'), ''),
    (index) => (showBin && positions.bin.has(index)) || (showLast && positions.last.has(index)),
  );
}

/** `card_bin`: returns the BIN of a card number. */
export function cardBin(value: Json): string {
  const digits = characters(value).filter(isDigit);
  return digits.slice(0, binLength(digits.length)).join('');
}
