import type { Json } from '../shared/json.ts';
import {
  booleanArgument,
  countArgument,
  namedArguments,
  textArgument,
  type FilterArgument,
} from './arguments.ts';
import { textOf } from './text-of.ts';

/** What hides a character unless a filter says otherwise. */
const DEFAULT_MASK = 'X';
/**
 * Separators that people write inside numbers; positions of the card filters are counted without
 * them.
 */
const SEPARATORS = ' -';

const characters = (value: Json): string[] => Array.from(textOf(value));
const isDigit = (character: string): boolean => character >= '0' && character <= '9';

/** Keeps the characters that `shown` names and those in `preserve`; the rest becomes `mask`. */
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

/** The last four characters. */
export function last4(value: Json): string {
  // No character is longer than two code units; what a cut may leave of one stands before the last
  // four.
  return characters(textOf(value).slice(-8)).slice(-4).join('');
}

/**
 * `reveal_last: n, mask`: all but the last n characters masked, `-` kept. Text no longer than n
 * comes back whole.
 */
export function revealLast(value: Json, ...given: FilterArgument[]): string {
  const named = namedArguments(['n', 'mask'], given);
  const text = characters(value);
  const from = text.length - countArgument(named.get('n'), 0);
  return hide(text, textArgument(named.get('mask'), DEFAULT_MASK), '-', (index) => index >= from);
}

/**
 * `reveal_first: n, mask`: all but the first n characters masked, `-` kept. Text no longer than n
 * comes back whole.
 */
export function revealFirst(value: Json, ...given: FilterArgument[]): string {
  const named = namedArguments(['n', 'mask'], given);
  const count = countArgument(named.get('n'), 0);
  return hide(
    characters(value),
    textArgument(named.get('mask'), DEFAULT_MASK),
    '-',
    (index) => index < count,
  );
}

/**
 * `hide`, but a result that would show the whole input shows nothing of it (and, failing that, not
 * even what is preserved).
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
export function reveal(value: Json, ...given: FilterArgument[]): string {
  const named = namedArguments(['first', 'last', 'mask', 'preserve'], given);
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
 * Which positions of a card number belong to its BIN and to its last four digits, separators aside.
 */
export function cardPositions(text: readonly string[]): {
  readonly bin: ReadonlySet<number>;
  readonly last: ReadonlySet<number>;
} {
  const digits = text.flatMap((character, index) => (SEPARATORS.includes(character) ? [] : [index]));
  return { bin: new Set(digits.slice(0, binLength(digits.length))), last: new Set(digits.slice(-4)) };
}

/**
 * `card_mask: bin, last4, mask, preserve`: shows the BIN and/or the last four digits of a card
 * number.
 */
export function cardMask(value: Json, ...given: FilterArgument[]): string {
  const named = namedArguments(['bin', 'last4', 'mask', 'preserve'], given);
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

/** `card_bin`: the BIN of a card number. */
export function cardBin(value: Json): string {
  const digits = characters(value).filter(isDigit);
  return digits.slice(0, binLength(digits.length)).join('');
}
