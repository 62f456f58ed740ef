import { textPosition } from '../shared/text-position.ts';
import { ExpressionError } from './expression-error.ts';

/** A name or filter in the source of an expression, and its offset there. */
export interface UsedName {
  readonly name: string;
  readonly at: number;
}

const NOT_VALID = 'is not a valid expression';

/**
 * Describes what is at a position of a text. It quotes only punctuation, because a word or a number
 * may be sensitive.
 */
function describeAt(text: string, at: number): string {
  if (at >= text.length) return 'the end';
  if (text.startsWith('}}', at)) return '`}}`';
  const character = text.charAt(at);
  if (/[a-z_]/i.test(character)) return 'a name';
  if (/\d/.test(character)) return 'a number';
  if (/["']/.test(character)) return 'a text in quotation marks';
  return /[!-/:-@[-_{-~]/.test(character) ? `\`${character}\`` : 'another character';
}

interface Details {
  /** The end of the message, after the position. */
  readonly hint?: string;
  /** The grammar allows this at the position. The message then also names what is there. */
  readonly expected?: string;
}

/** An error at a position of an expression's source, before the text around the source is known. */
export class SyntaxProblem extends ExpressionError {
  readonly #reason: string;

  readonly #at: number;

  readonly #details: Details;

  constructor(reason: string, at: number, details: Details = {}) {
    super(reason);
    this.#reason = reason;
    this.#at = at;
    this.#details = details;
  }

  /** The error with its position in the text in which the source starts at `offset`. */
  inText(text: string, offset: number): ExpressionError {
    const { hint = '', expected } = this.#details;
    let at = Math.min(Math.max(this.#at + offset, 0), text.length);
    while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
    const quoting = text.charAt(at) === '$' ? '; a path is a text in quotation marks' : '';
    const found =
      expected === undefined ? '' : `: found ${describeAt(text, at)}, expected ${expected}${quoting}`;
    return new ExpressionError(`${this.#reason} at ${textPosition(text, at)}${hint}${found}`);
  }
}

/** An error for a source that does not follow the grammar. */
export const unexpected = (at: number, expected: string): SyntaxProblem =>
  new SyntaxProblem(NOT_VALID, at, { expected });

/**
 * An error for a source that the parser could not read. Its position is the start of the source.
 */
export const unreadable = (): SyntaxProblem => new SyntaxProblem(NOT_VALID, 0);

/**
 * Runs a parser on a part of a text, which starts at `offset`. Its errors name their position in
 * the whole text.
 */
export function located<T>(text: string, offset: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof SyntaxProblem ? error.inText(text, offset) : error;
  }
}
