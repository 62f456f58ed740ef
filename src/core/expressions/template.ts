import { ExpressionError } from './expression-error.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/** Longest text that may have expressions, in characters (docs/contract.md#expressions). */
export const TEMPLATE_MAX_LENGTH = 10_000;

/**
 * A part of a template: unchanged text, or the source between `{{` and `}}`, including its spaces.
 * `at` is its offset in the template.
 */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | { readonly kind: 'expression'; readonly source: string; readonly at: number };

const OPEN = '{{';
const CLOSE = '}}';

/** The error for an expression without an end, whose `{{` is at this position. */
export const notClosed = (open: number): SyntaxProblem =>
  new SyntaxProblem('has an expression that is not closed: its `{{` is', open);

/**
 * Position of the `}}` that ends the expression whose `{{` is at `open`, searched from `from` on;
 * quoted text may contain `}}`. Throws {@link SyntaxProblem} if none is within
 * {@link TEMPLATE_MAX_LENGTH}.
 */
export function endOfExpression(template: string, open: number, from = open + OPEN.length): number {
  let quote: string | undefined;
  let quotedFrom = 0;
  const end = Math.min(template.length, from + TEMPLATE_MAX_LENGTH);
  for (let at = from; at < end; at += 1) {
    const character = template[at];
    if (quote !== undefined) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") {
      quote = character;
      quotedFrom = at;
    } else if (template.startsWith(CLOSE, at)) {
      return at;
    }
  }
  throw quote === undefined
    ? notClosed(open)
    : new SyntaxProblem('has a text in quotation marks that is not closed: it starts', quotedFrom);
}

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
    if (open > at) parts.push({ kind: 'text', text: template.slice(at, open), at });
    const close = endOfExpression(template, open);
    const from = open + OPEN.length;
    parts.push({ kind: 'expression', source: template.slice(from, close), at: from });
    at = close + CLOSE.length;
  }
  if (at < template.length) parts.push({ kind: 'text', text: template.slice(at), at });
  return parts;
}
