import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { regexSize } from './regex-size.ts';
import { STORED_PROXY_LIMITS } from './stored-proxy.ts';
import { type Problem } from './json-location.ts';
import { TEXT_MAX_LENGTH, TextLengthError } from './json-places.ts';

/*
 * re2js is loaded on first use (tools/assets/bundle.ts): the top level of this module must not use
 * it.
 */

/** How many steps an expression may be compiled to: each may be tried at each character. */
const PROGRAM_MAX = 2_000;
/** How many characters of ranges and categories the compiler may look up. */
const CHARACTERS_MAX = 500_000;

/** A regular expression of RE2, which never backtracks. */
export interface LinearRegex {
  readonly expression: string;
  readonly compiled: RE2JS;
}

/** An expression that finds the empty text anywhere finds it in one of these. */
const SAMPLES = ['', 'a', ' ', 'a b\nc'];

function matchesNothing(compiled: RE2JS): boolean {
  return SAMPLES.some((sample) => {
    const matcher = compiled.matcher(sample);
    while (matcher.find()) if (matcher.start() === matcher.end()) return true;
    return false;
  });
}

const TOO_LARGE: Problem = { problem: 'has too many or too large repetitions, ranges or categories' };

function compile(expression: string): LinearRegex | Problem {
  try {
    const compiled = RE2JS.compile(expression);
    if (compiled.programSize() > PROGRAM_MAX) return TOO_LARGE;
    if (matchesNothing(compiled)) return { problem: 'must not match the empty text' };
    return { expression, compiled };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = error instanceof RE2JSSyntaxException ? error.getDescription() : 'it cannot be compiled';
    return { problem: `must be a regular expression in the syntax of RE2: ${why}` };
  }
}

/** The most that an expression takes in the cache, in bytes: its program, and its classes. */
const weightOf = ({ expression, compiled }: LinearRegex): number =>
  compiled.programSize() * 200 + expression.length * 4_000;
/** The bytes of all compiled expressions that an instance keeps. */
const CACHE_MAX_BYTES = 16_000_000;

const cache = new Map<string, LinearRegex>();
let cachedBytes = 0;

/** Keeps an expression in the place of the oldest ones. */
function keep(regex: LinearRegex): void {
  cache.set(regex.expression, regex);
  cachedBytes += weightOf(regex);
  for (const [expression, oldest] of cache) {
    if (cachedBytes <= CACHE_MAX_BYTES) return;
    cache.delete(expression);
    cachedBytes -= weightOf(oldest);
  }
}

/**
 * Compiles a regular expression in the syntax of RE2, which has no lookaround and no
 * backreferences, once for an instance. Returns the problem of one that has another syntax, that is
 * too long or too large, or that matches the empty text. What would be dear to compile is refused
 * by its text.
 */
export function compileRegex(expression: string): LinearRegex | Problem {
  if (expression.length > STORED_PROXY_LIMITS.expression)
    return { problem: `must have at most ${String(STORED_PROXY_LIMITS.expression)} characters` };
  const { steps, characters } = regexSize(expression);
  if (steps > PROGRAM_MAX || characters > CHARACTERS_MAX) return TOO_LARGE;
  const known = cache.get(expression);
  if (known !== undefined) return known;
  const regex = compile(expression);
  if (!('problem' in regex)) keep(regex);
  return regex;
}

/** A match costs so many steps besides what is read. */
const MATCH_STEPS = 40;
/** So many pieces of a text are joined at a time, since each takes memory of its own. */
const PIECES_MAX = 10_000;

/** How many characters of a plain search cost as much as one step of a program. */
const PLAIN_CHARACTERS = 10;

/**
 * The engine of JavaScript searches a longer text by its last so many characters, and may compare
 * all the others at each position.
 */
const LINEAR_LENGTH = 250;

/**
 * A text that counts what an engine reads of it. Each character may be tried with each step of the
 * program. It is a String, because the engine takes no other text.
 */
class CountedText extends String {
  readonly #text: string;

  readonly #steps: number;

  readonly #charge: (steps: number) => void;

  constructor(text: string, steps: number, charge: (steps: number) => void) {
    super(text);
    this.#text = text;
    this.#steps = steps;
    this.#charge = charge;
  }

  override charCodeAt(at: number): number {
    this.#charge(this.#steps);
    return this.#text.charCodeAt(at);
  }

  override indexOf(searched: string, from = 0): number {
    const found = this.#text.indexOf(searched, from);
    const end = found === -1 ? this.#text.length : found + searched.length;
    const each = searched.length > LINEAR_LENGTH ? searched.length : 1;
    this.#charge(Math.ceil((Math.max(0, end - from) * each) / PLAIN_CHARACTERS));
    return found;
  }
}

/**
 * Replaces every match in a text with the replacement, in which no character has a meaning. The
 * search for one match takes time linear in the text. The search for all of them can take more,
 * as each may read to the end of the text: `charge` is called with the characters that were read
 * times the steps of the expression, and for each match. It may throw. Throws
 * {@link TextLengthError}.
 */
export function replaceMatches(
  text: string,
  { compiled }: LinearRegex,
  replacement: string,
  charge: (steps: number) => void,
): string {
  const counted = new CountedText(text, compiled.programSize(), charge);
  const matcher = compiled.matcher(counted as unknown as string);
  const joined: string[] = [];
  let pieces: string[] = [];
  let at = 0;
  let length = text.length;
  while (matcher.find()) {
    charge(MATCH_STEPS);
    const start = matcher.start();
    const end = matcher.end();
    if (start === end) continue;
    pieces.push(text.slice(at, start), replacement);
    length += replacement.length - (end - start);
    if (length > TEXT_MAX_LENGTH) throw new TextLengthError();
    at = end;
    if (pieces.length < PIECES_MAX) continue;
    joined.push(pieces.join(''));
    pieces = [];
  }
  return [...joined, ...pieces, text.slice(at)].join('');
}
