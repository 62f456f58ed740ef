import type { TemplateFields } from '../expressions/template-fields.ts';
import { isMemberName } from '../shared/json-strings.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Json } from '../shared/json.ts';
import type { BodyBytes } from '../shared/utf8.ts';
import { mayBeJson } from './body-kind.ts';
import { isJson } from './is-json.ts';
import { jsonPaths } from './json-paths.ts';
import { jsonTemplate, TextEdits, type Renderable } from './renderable.ts';

/** `{{` as a JSON string may write it: unescaped, or with an escaped brace. */
const OPENING = /\{\{|\\u007b/gi;
/** Every escaped brace starts with it: `\u007b` and `\u007d`. */
const ESCAPE = '\\u007';

const BYTE_ORDER_MARK = '\ufeff';
/** NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR, which JSON permits unescaped. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/**
 * `\n` separates the texts of NDJSON. The other character is before each text of a JSON sequence
 * (RFC 7464, section 2.2).
 */
export type RecordSeparator = '\n' | '\u001e';

/** Whether a JSON text may contain an expression; other texts are not parsed. */
export function mayHoldExpression(body: { includes(ascii: string): boolean }): boolean {
  return body.includes('{{') || body.includes(ESCAPE);
}

/**
 * The position of the next possible `{{` of a JSON text, at `from` or later; -1 if there is none.
 */
function nextOpening(text: string, from: number, mayBeEscaped: boolean): number {
  if (!mayBeEscaped) return text.indexOf('{{', from);
  OPENING.lastIndex = from;
  return OPENING.exec(text)?.index ?? -1;
}

/** Whether the quote at `at` is escaped: an odd number of backslashes precedes it. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

/** Start and end of the JSON string around the character at `at`, including the quotes. */
function stringAround(text: string, at: number): readonly [start: number, end: number] {
  let start = text.lastIndexOf('"', at);
  while (isEscaped(text, start)) start = text.lastIndexOf('"', start - 1);
  let close = text.indexOf('"', at);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return [start, close + 1];
}

const asLiteral = (value: Json): string => JSON.stringify(value);
/** Escapes line ends that JSON permits but some readers of lines split at. */
const asLiteralInLine = (value: Json): string =>
  asLiteral(value).replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Splits a text that is JSON, in which `{{` and backslashes occur only inside strings. */
function jsonPieces(
  text: string,
  path: string,
  fields: TemplateFields,
  literal: (value: Json) => string,
): TextEdits {
  const pieces = new TextEdits(text);
  const mayBeEscaped = text.includes(ESCAPE);
  const mark = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const pathAt = jsonPaths(text.slice(mark), path, mayHoldExpression);
  for (let at = 0; !fields.isFull;) {
    const opening = nextOpening(text, at, mayBeEscaped);
    if (opening === -1) break;
    const [start, end] = stringAround(text, opening);
    at = end;
    if (isMemberName(text, end - 1)) continue;
    const value = parseJson(text.slice(start, end));
    if (typeof value !== 'string' || !value.includes('{{')) continue;
    const template = jsonTemplate(value, () => pathAt(start - mark), fields);
    pieces.replace(start, end, {
      references: template.references,
      render: (filling) => literal(template.render(filling)),
    });
  }
  return pieces;
}

/** Whether a text is JSON, with or without a byte order mark. */
export function isJsonText(text: string): boolean {
  return mayBeJson(text) && isJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
}

/**
 * A JSON text with every string value that has references replaced by the result. All other bytes
 * are unchanged, including numbers and member names. The text must be JSON.
 */
export function jsonText(text: string, path: string, fields: TemplateFields): Renderable<BodyBytes> {
  return jsonPieces(text, path, fields, asLiteral).body();
}

/**
 * Fills in JSON texts with a separator between them. Texts without an expression are not parsed.
 * `undefined` if one of the parsed texts is not JSON.
 */
export function jsonRecords(
  text: string,
  separator: RecordSeparator,
  path: string,
  fields: TemplateFields,
): Renderable<BodyBytes> | undefined {
  const pieces = new TextEdits(text);
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
  return pieces.body();
}
