import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { STORED_PROXY_LIMITS } from './stored-proxy.ts';
import { TEXT_MAX_LENGTH, TextLengthError, type Problem } from './json-location.ts';

/*
 * re2js is loaded on first use (lib/bundle.ts): the top level of this module must not use it.
 */

/** How many steps an expression may be compiled to: each may be tried at each character. */
const PROGRAM_MAX = 2_000;

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

/**
 * Compiles a regular expression in the syntax of RE2, which has no lookaround and no
 * backreferences. Returns the problem of one that has another syntax, that is too long, or that
 * matches the empty text.
 */
export function compileRegex(expression: string): LinearRegex | Problem {
  if (expression.length > STORED_PROXY_LIMITS.expression)
    return { problem: `must have at most ${String(STORED_PROXY_LIMITS.expression)} characters` };
  try {
    const compiled = RE2JS.compile(expression);
    if (compiled.programSize() > PROGRAM_MAX) return { problem: 'has too many or too large repetitions' };
    if (matchesNothing(compiled)) return { problem: 'must not match the empty text' };
    return { expression, compiled };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = error instanceof RE2JSSyntaxException ? error.getDescription() : 'it cannot be compiled';
    return { problem: `must be a regular expression in the syntax of RE2: ${why}` };
  }
}

/**
 * Replaces every match in a text with the replacement, in which no character has a meaning. The
 * search for one match takes time linear in the text. The search for all of them can take more,
 * as each may read to the end of the text: `beforeSearch` is called before each with the number of
 * UTF-16 code units that it may read times the steps of the expression, and may throw. Throws
 * {@link TextLengthError}.
 */
export function replaceMatches(
  text: string,
  { compiled }: LinearRegex,
  replacement: string,
  beforeSearch: (work: number) => void,
): string {
  const matcher = compiled.matcher(text);
  const pieces: string[] = [];
  let [at, length] = [0, text.length];
  for (;;) {
    beforeSearch((text.length - at) * compiled.programSize());
    if (!matcher.find()) break;
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end) continue;
    pieces.push(text.slice(at, start), replacement);
    length += replacement.length - (end - start);
    if (length > TEXT_MAX_LENGTH) throw new TextLengthError();
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}
