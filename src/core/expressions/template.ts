import { ExpressionError } from './expression-error.ts';

/** Longest text with expressions, in characters (docs/contract.md#expressions). */
export const TEMPLATE_MAX_LENGTH = 10_000;

/**
 * A part of a template: unchanged text, or the source between `{{` and `}}`, including its spaces.
 */
export type TemplatePart =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'expression'; readonly source: string };

const OPEN = '{{';
const CLOSE = '}}';

/**
 * Position of the `}}` that ends the expression at `from`; quoted text may contain `}}`. Throws
 * {@link ExpressionError} if none is within {@link TEMPLATE_MAX_LENGTH}.
 */
export function endOfExpression(template: string, from: number): number {
  let quote: string | undefined;
  const end = Math.min(template.length, from + TEMPLATE_MAX_LENGTH);
  for (let at = from; at < end; at += 1) {
    const character = template[at];
    if (quote !== undefined) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (template.startsWith(CLOSE, at)) {
      return at;
    }
  }
  throw new ExpressionError('has an expression that is not closed');
}

/** Whether a text contains an expression. */
export function hasExpression(text: string): boolean {
  return text.includes(OPEN);
}

/**
 * Splits a template into its parts. `{{` always opens an expression. Throws {@link ExpressionError}
 * if one is not closed or the template is longer than {@link TEMPLATE_MAX_LENGTH}.
 */
export function parseTemplate(template: string): readonly TemplatePart[] {
  if (template.length > TEMPLATE_MAX_LENGTH && hasExpression(template)) {
    throw new ExpressionError(`must be at most ${String(TEMPLATE_MAX_LENGTH)} characters`);
  }
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf(OPEN, at);
    if (open === -1) break;
    if (open > at) parts.push({ kind: 'text', text: template.slice(at, open) });
    const close = endOfExpression(template, open + OPEN.length);
    parts.push({ kind: 'expression', source: template.slice(open + OPEN.length, close) });
    at = close + CLOSE.length;
  }
  if (at < template.length) parts.push({ kind: 'text', text: template.slice(at) });
  return parts;
}
