import type { FieldReporter } from '../shared/field-reporter.ts';
import { jsonTemplate, Pieces, type Renderable } from './text-template.ts';

/** Whether the quote at `at` is escaped: an odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

/** Where each string of a JSON text begins and ends, quotes included. */
function* stringsOf(text: string): Generator<readonly [start: number, end: number]> {
  for (let start = text.indexOf('"'); start !== -1;) {
    let close = text.indexOf('"', start + 1);
    while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
    if (close === -1) return;
    yield [start, close + 1];
    start = text.indexOf('"', close + 1);
  }
}

/** Whether the string that ends at `end` is the name of a member. */
function isMemberName(text: string, end: number): boolean {
  return /^\s*:/.test(text.slice(end, end + 64)) || /^\s{64,}:/.test(text.slice(end));
}

/**
 * A JSON text in which every string value with references is replaced by what they stand for; every other byte stays as it is, numbers
 * and member names included. The text must be JSON.
 */
export function jsonText(text: string, fields: FieldReporter): Renderable<string> {
  const pieces = new Pieces(text);
  const mayBeEscaped = text.includes('\\u007');
  for (const [start, end] of stringsOf(text)) {
    if (fields.isFull) break;
    const literal = text.slice(start, end);
    if (!literal.includes('{{') && !(mayBeEscaped && /\\u007b/i.test(literal))) continue;
    if (isMemberName(text, end)) continue;
    const value: unknown = JSON.parse(literal);
    if (typeof value !== 'string' || !value.includes('{{')) continue;
    const template = jsonTemplate(value, 'body', fields);
    pieces.replace(start, end, {
      references: template.references,
      render: (filling) => JSON.stringify(template.render(filling)),
    });
  }
  return pieces.join();
}
