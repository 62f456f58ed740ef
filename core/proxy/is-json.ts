/** Strings this long are left out of what is parsed, in characters: V8 would copy each of them only to throw it away. */
const LONG = 16_384;

// TypeScript does not know it yet; Node has it since version 21.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function passes(check: (text: string) => unknown, text: string): boolean {
  try {
    check(text);
    return true;
  } catch {
    return false;
  }
}

const parses = (text: string): boolean => passes(JSON.parse, text);
/** `rawJSON` reads one value, here one that starts and ends with a quote, and makes nothing of it. */
const isStringLiteral = (literal: string): boolean => passes(rawJSON, literal);

/**
 * The text with what stands between two quotes left out where that is long and could stand in a string. If the rest is JSON, so is the
 * text: up to the first of the quotes both are the same. Either a parser is inside of a string there, and what is left out leaves it there;
 * or a string has just ended, and then another begins at once in the rest, which is not JSON.
 */
function withoutLongStrings(text: string, long: number): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = long; at < text.length; at += long) {
    const close = text.indexOf('"', at);
    if (close === -1) break;
    if (close - at < long) continue;
    // Not far: a stretch without quotes that began before the last step would have been found by it.
    const open = text.lastIndexOf('"', at - 1);
    if (open !== -1 && isStringLiteral(text.slice(open, close + 1))) {
      kept.push(text.slice(from, open + 1));
      from = close;
    }
    at = close;
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from);
}

/** Whether a text is JSON, as `JSON.parse` has it. `long`: how long a string is that is looked at by itself. */
export function isJson(text: string, long = LONG): boolean {
  const rest = withoutLongStrings(text, long);
  return parses(rest) || (rest.length < text.length && parses(text));
}
