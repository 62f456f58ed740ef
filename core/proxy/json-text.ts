import type { FieldReporter } from '../shared/field-reporter.ts';
import { jsonTemplate, Pieces, type Renderable } from './text-template.ts';

/** `{{` in a JSON string, as it is or with a brace that is escaped. */
const OPENING = /\{\{|\\u007b/gi;
/** What every escaped brace begins with. */
const ESCAPE = '\\u007';

/** Whether a JSON text may hold an expression; what does not is not looked at any further. */
export function mayHoldExpression(body: { includes(ascii: string): boolean }): boolean {
  return body.includes('{{') || body.includes(ESCAPE);
}

/** Where the next `{{` of a JSON text may stand, at `from` or after it; -1 if there is none. */
function nextOpening(text: string, from: number, mayBeEscaped: boolean): number {
  if (!mayBeEscaped) return text.indexOf('{{', from);
  OPENING.lastIndex = from;
  return OPENING.exec(text)?.index ?? -1;
}

/** Whether the quote at `at` is escaped: an odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

/** What may stand between the tokens of JSON (RFC 8259, section 2), as UTF-16 code units. */
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Where the JSON string with the character at `at` begins and ends, quotes included. */
function stringAround(text: string, at: number): readonly [start: number, end: number] {
  let start = text.lastIndexOf('"', at);
  while (isEscaped(text, start)) start = text.lastIndexOf('"', start - 1);
  let close = text.indexOf('"', at);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return [start, close + 1];
}

/** Whether the string that ends at `end` is the name of a member. */
function isMemberName(text: string, end: number): boolean {
  // Character by character: megabytes of spaces are too many for a regular expression.
  let at = end;
  while (SPACES.has(text.charCodeAt(at))) at += 1;
  return text[at] === ':';
}

/**
 * A JSON text in which every string value with references is replaced by what they stand for; every other byte stays as it is, numbers
 * and member names included. The text must be JSON: neither two braces nor a backslash stand outside of its strings then.
 */
export function jsonText(text: string, fields: FieldReporter): Renderable<Buffer> {
  const pieces = new Pieces(text);
  const mayBeEscaped = text.includes(ESCAPE);
  for (let at = 0; !fields.isFull;) {
    const opening = nextOpening(text, at, mayBeEscaped);
    if (opening === -1) break;
    const [start, end] = stringAround(text, opening);
    at = end;
    if (isMemberName(text, end)) continue;
    const value: unknown = JSON.parse(text.slice(start, end));
    if (typeof value !== 'string' || !value.includes('{{')) continue;
    const template = jsonTemplate(value, 'body', fields);
    pieces.replace(start, end, {
      references: template.references,
      render: (filling) => JSON.stringify(template.render(filling)),
    });
  }
  return pieces.bytes();
}
