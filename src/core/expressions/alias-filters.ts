import type { Json } from '../shared/json.ts';
import { booleanArgument, countArgument, namedArguments, type FilterArgument } from './arguments.ts';
import { ExpressionError } from './expression-error.ts';
import { cardPositions } from './masking-filters.ts';
import { textOf } from './text-of.ts';
import type { Random } from '../shared/platform.ts';

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const ALIAS_MAX_LENGTH = 400;
/**
 * Most draws for an alias that differs from its input. Only an input without replaceable characters
 * needs all of them.
 */
const DRAWS = 32;

/** Chooses the characters of an alias. */
type RandomInt = Random['integer'];

const oneOf = (alphabet: string, randomInt: RandomInt): string => alphabet[randomInt(alphabet.length)] ?? '';

/**
 * A random character of the same kind: a digit for a digit, a letter for a letter. Separators do
 * not change.
 */
function sameKind(character: string, randomInt: RandomInt): string {
  const alphabet = [DIGITS, LOWER, UPPER].find((candidate) => candidate.includes(character));
  return alphabet === undefined ? character : oneOf(alphabet, randomInt);
}

function charactersOf(value: Json): string[] {
  const text = Array.from(textOf(value));
  if (text.length === 0 || text.length > ALIAS_MAX_LENGTH)
    throw new ExpressionError('makes an alias of a value without a usable length');
  return text;
}

/** Draws until the alias differs from the value, because an alias must never show its value. */
function draw(text: readonly string[], replace: (character: string, index: number) => string): string {
  for (let attempt = 0; attempt < DRAWS; attempt += 1) {
    const alias = text.map(replace).join('');
    if (alias !== text.join('')) return alias;
  }
  throw new ExpressionError('leaves nothing of the value to replace in its alias');
}

/**
 * `alias_card: bin, last4`: random digits in the format of a card number. Separators do not change,
 * nor do the BIN and the last four digits if the arguments say so.
 */
export function aliasCard(randomInt: RandomInt, value: Json, ...args: FilterArgument[]): string {
  const named = namedArguments(['bin', 'last4'], args);
  const text = charactersOf(value);
  const positions = cardPositions(text);
  const keepBin = booleanArgument(named.get('bin'), false);
  const keepLast = booleanArgument(named.get('last4'), false);
  return draw(text, (character, index) =>
    (keepBin && positions.bin.has(index)) || (keepLast && positions.last.has(index))
      ? character
      : sameKind(character, randomInt),
  );
}

function keeping(args: readonly FilterArgument[], length: number): (index: number) => boolean {
  const named = namedArguments(['first', 'last'], args);
  const first = countArgument(named.get('first'), 0);
  const from = length - countArgument(named.get('last'), 0);
  return (index) => index < first || index >= from;
}

/**
 * `alias_preserve_format: first, last`: replaces digits by digits, and letters by letters of the
 * same case. All other characters stay.
 */
export function aliasPreserveFormat(randomInt: RandomInt, value: Json, ...args: FilterArgument[]): string {
  const text = charactersOf(value);
  const keep = keeping(args, text.length);
  return draw(text, (character, index) => (keep(index) ? character : sameKind(character, randomInt)));
}

/** `alias_preserve_length: first, last`: returns random letters and digits of the same length. */
export function aliasPreserveLength(randomInt: RandomInt, value: Json, ...args: FilterArgument[]): string {
  const text = charactersOf(value);
  const keep = keeping(args, text.length);
  return draw(text, (character, index) =>
    keep(index) ? character : oneOf(DIGITS + LOWER + UPPER, randomInt),
  );
}
