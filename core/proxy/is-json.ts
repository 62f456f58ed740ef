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
 * The text with what stands between two neighbouring quotes left out where that is long and is what a string may hold. If the rest is JSON,
 * so is the text. Both are the same up to the first of the two quotes, and that is either
 * - the beginning of a string, or an escaped quote inside of one: what is left out is inside of the string, and valid there; or
 * - the end of a string: in the rest another string would begin at once, which is not JSON.
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
