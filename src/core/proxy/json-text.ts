import type { TemplateFields } from '../expressions/template-fields.ts';
import { isMemberName } from '../shared/json-strings.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Json } from '../shared/json.ts';
import { mayBeJson } from './body-kind.ts';
import { isJson } from './is-json.ts';
import { jsonTemplate, Pieces, type Renderable } from './text-template.ts';

/** `{{` in a JSON string, as it is or with a brace that is escaped. */
const OPENING = /\{\{|\\u007b/gi;
/** What every escaped brace begins with. */
const ESCAPE = '\\u007';

const BYTE_ORDER_MARK = '\ufeff';
/** NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/**
 * What stands between the texts of NDJSON, and before each text of a JSON sequence (RFC 7464,
 * section 2.2).
 */
export type RecordSeparator = '\n' | '\u001e';

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

/** A filled-in string as JSON. */
const asLiteral = (value: Json): string => JSON.stringify(value);
/** Likewise, without the line ends that JSON may hold and that some readers of lines split at. */
const asLiteralInLine = (value: Json): string =>
  asLiteral(value).replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The pieces of a text that is JSON: neither two braces nor a backslash stand outside of its
 * strings then.
 */
function jsonPieces(
  text: string,
  path: string,
  fields: TemplateFields,
  literal: (value: Json) => string,
): Pieces {
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
    const template = jsonTemplate(value, path, fields);
    pieces.replace(start, end, {
      references: template.references,
      render: (filling) => literal(template.render(filling)),
    });
  }
  return pieces;
}

/** Whether a text is JSON, after a byte order mark or without. */
export function isJsonText(text: string): boolean {
  return mayBeJson(text) && isJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
}

/**
 * A JSON text in which every string value with references is replaced by what they stand for; every
 * other byte stays as it is, numbers and member names included. The text must be JSON.
 */
export function jsonText(text: string, path: string, fields: TemplateFields): Renderable<Buffer> {
  return jsonPieces(text, path, fields, asLiteral).bytes();
}

/**
 * JSON texts with a separator between them: those that hold an expression are filled in one by one,
 * all others are not looked at. `undefined` if one of them is not JSON.
 */
export function jsonRecords(
  text: string,
  separator: RecordSeparator,
  path: string,
  fields: TemplateFields,
): Renderable<Buffer> | undefined {
  const pieces = new Pieces(text);
  const mayBeEscaped = text.includes(ESCAPE);
  for (let at = 0; !fields.isFull;) {
    const opening = nextOpening(text, at, mayBeEscaped);
    if (opening === -1) break;
    const start = text.lastIndexOf(separator, opening) + 1;
    const next = text.indexOf(separator, opening);
    at = next === -1 ? text.length : next;
    const record = text.slice(start, at);
    if (isJsonText(record))
      pieces.replace(start, at, jsonPieces(record, path, fields, asLiteralInLine).join());
    else if (record.includes('{{')) return undefined;
  }
  return pieces.bytes();
}
