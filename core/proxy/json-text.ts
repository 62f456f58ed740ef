import type { FieldReporter } from '../shared/field-reporter.ts';
import { jsonTemplate, Pieces, type Renderable } from './text-template.ts';

const STRING = /"(?:[^"\\]|\\.)*"/gs;

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
  for (const match of text.matchAll(STRING)) {
    if (fields.isFull) break;
    const [literal] = match;
    const end = match.index + literal.length;
    if (!literal.includes('{{') && !/\\u007b/i.test(literal)) continue;
    if (isMemberName(text, end)) continue;
    const value: unknown = JSON.parse(literal);
    if (typeof value !== 'string' || !value.includes('{{')) continue;
    const template = jsonTemplate(value, 'body', fields);
    pieces.replace(match.index, end, {
      references: template.references,
      render: (filling) => JSON.stringify(template.render(filling)),
    });
  }
  return pieces.join();
}
