/** White space between the tokens of JSON (RFC 8259, section 2), as UTF-16 code units. */
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Position of the closing quote of the JSON string that starts with the quote at `start`; the
 * text's length if there is none.
 */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at;
  }
  return text.length;
}

/** Whether the JSON string with its closing quote at `close` is the name of a member. */
export function isMemberName(text: string, close: number): boolean {
  // This is a loop because megabytes of spaces are too many for a regular expression.
  let at = close + 1;
  while (SPACES.has(text.charCodeAt(at))) at += 1;
  return text[at] === ':';
}
