import { randomInt as cryptoRandomInt } from 'node:crypto';
import type { Json } from '../shared/json.ts';
import { booleanArgument, countArgument, namedArguments, type FilterArgument } from './arguments.ts';
import { ExpressionError } from './expression-error.ts';
import { cardPositions } from './masking-filters.ts';
import { textOf } from './text-of.ts';

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const ALIAS_MAX_LENGTH = 400;
/**
 * Draws before giving up on an alias that differs from its input; only inputs without room for one
 * run out.
 */
const DRAWS = 32;

/** A random whole number from 0 to below `below`. */
export type RandomInt = (below: number) => number;

let randomInt: RandomInt = cryptoRandomInt;

/**
 * Draws aliases from another source while `evaluate` runs, which must not be asynchronous. Liquid
 * hands nothing of the kind to a filter.
 */
export function drawingFrom<T>(source: RandomInt, evaluate: () => T): T {
  const before = randomInt;
  randomInt = source;
  try {
    return evaluate();
  } finally {
    randomInt = before;
  }
}

const oneOf = (alphabet: string): string => alphabet[randomInt(alphabet.length)] ?? '';

/** A random character of the same kind: digit for digit, letter for letter; separators stay. */
function sameKind(character: string): string {
  const alphabet = [DIGITS, LOWER, UPPER].find((candidate) => candidate.includes(character));
  return alphabet === undefined ? character : oneOf(alphabet);
}

function charactersOf(value: Json): string[] {
  const text = Array.from(textOf(value));
  if (text.length === 0 || text.length > ALIAS_MAX_LENGTH)
    throw new ExpressionError('makes an alias of a value without a usable length');
  return text;
}

/** Draws until the alias differs from the value it stands for: an alias must never be the value. */
function draw(text: readonly string[], replace: (character: string, index: number) => string): string {
  for (let attempt = 0; attempt < DRAWS; attempt += 1) {
    const alias = text.map(replace).join('');
    if (alias !== text.join('')) return alias;
  }
  throw new ExpressionError('leaves nothing of the value to replace in its alias');
}

/**
 * `alias_card: bin, last4`: random digits in the format of a card number, keeping separators and,
 * if asked, BIN and last four.
 */
export function aliasCard(value: Json, ...given: FilterArgument[]): string {
  const named = namedArguments(['bin', 'last4'], given);
  const text = charactersOf(value);
  const positions = cardPositions(text);
  const keepBin = booleanArgument(named.get('bin'), false);
  const keepLast = booleanArgument(named.get('last4'), false);
  return draw(text, (character, index) =>
    (keepBin && positions.bin.has(index)) || (keepLast && positions.last.has(index))
      ? character
      : sameKind(character),
  );
}

function keeping(given: readonly FilterArgument[], length: number): (index: number) => boolean {
  const named = namedArguments(['first', 'last'], given);
  const first = countArgument(named.get('first'), 0);
  const from = length - countArgument(named.get('last'), 0);
  return (index) => index < first || index >= from;
}

/**
 * `alias_preserve_format: first, last`: digits for digits, letters for letters in their case,
 * everything else as it is.
 */
export function aliasPreserveFormat(value: Json, ...given: FilterArgument[]): string {
  const text = charactersOf(value);
  const keep = keeping(given, text.length);
  return draw(text, (character, index) => (keep(index) ? character : sameKind(character)));
}

/** `alias_preserve_length: first, last`: random letters and digits of the same length. */
export function aliasPreserveLength(value: Json, ...given: FilterArgument[]): string {
  const text = charactersOf(value);
  const keep = keeping(given, text.length);
  return draw(text, (character, index) => (keep(index) ? character : oneOf(DIGITS + LOWER + UPPER)));
}
