import type { FieldReporter } from '../shared/field-reporter.ts';
import { isMemberName } from '../shared/json-strings.ts';
import { parseJson } from '../shared/parse-json.ts';
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

/** Where the JSON string with the character at `at` begins and ends, quotes included. */
function stringAround(text: string, at: number): readonly [start: number, end: number] {
  let start = text.lastIndexOf('"', at);
  while (isEscaped(text, start)) start = text.lastIndexOf('"', start - 1);
  let close = text.indexOf('"', at);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return [start, close + 1];
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
    if (isMemberName(text, end - 1)) continue;
    const value = parseJson(text.slice(start, end));
    if (typeof value !== 'string' || !value.includes('{{')) continue;
    const template = jsonTemplate(value, 'body', fields);
    pieces.replace(start, end, {
      references: template.references,
      render: (filling) => JSON.stringify(template.render(filling)),
    });
  }
  return pieces.bytes();
}
