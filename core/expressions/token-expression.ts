import type { Json } from '../shared/json.ts';
import { ExpressionError } from './expression-error.ts';
import { parseExpression, type Expression } from './expression.ts';
import { hasExpression } from './template.ts';
import { textOf } from './text-of.ts';

/*
 * Detokenization expressions: `{{ <id> }}`, `{{ <id> | filters }}`, `{{ token: <id> | filters }}`. An id may hold nearly anything but `|`
 * and braces, so it ends at the first of those; filters are those of every other expression.
 */

/** A reference to a token in a text. */
export interface TokenReference {
  readonly id: string;
  /** Whether the whole Token object is meant, not only its data. */
  readonly isWhole: boolean;
  /** What is made of the value; absent for the value as it is. */
  readonly filters?: Expression;
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'token'; readonly reference: TokenReference };

/** A text with references to tokens, parsed. */
export type TokenTemplate = readonly Part[];

const OPEN = '{{';
const CLOSE = '}}';
const EXPRESSION_MAX_LENGTH = 10_000;
const WHOLE = /^token\s*:\s*/;

/** Where the filters that start at `from` end; quoted text inside may hold anything. */
function endOfFilters(text: string, from: number): number {
  let quote: string | undefined;
  for (let at = from; at < text.length && at - from <= EXPRESSION_MAX_LENGTH; at += 1) {
    const character = text[at];
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (text.startsWith(CLOSE, at)) {
      return at;
    }
  }
  return -1;
}

/** The end of the expression that starts at `from`, and where its filters start. */
function boundaries(
  text: string,
  from: number,
): { readonly head: string; readonly filters: string | undefined; readonly end: number } {
  const close = text.indexOf(CLOSE, from);
  const bar = text.indexOf('|', from);
  const hasFilters = bar !== -1 && (close === -1 || bar < close);
  const end = hasFilters ? endOfFilters(text, bar + 1) : close;
  if (end === -1 || end - from > EXPRESSION_MAX_LENGTH)
    throw new ExpressionError('has an expression that is not closed');
  return {
    head: text.slice(from, hasFilters ? bar : end).trim(),
    filters: hasFilters ? text.slice(bar + 1, end) : undefined,
    end,
  };
}

function referenceOf(head: string, filters: string | undefined): TokenReference {
  const id = head.replace(WHOLE, '');
  if (id === '' || /[{}\n\r]/.test(id))
    throw new ExpressionError('has an expression without the id of a token');
  return {
    id,
    isWhole: WHOLE.test(head),
    ...(filters === undefined ? {} : { filters: parseExpression(`value |${filters}`) }),
  };
}

/** Parses a text with references to tokens. Every `{{` must open one. Throws {@link ExpressionError}. */
export function parseTokenTemplate(text: string): TokenTemplate {
  if (!hasExpression(text)) return [{ kind: 'text', text }];
  const parts: Part[] = [];
  let at = 0;
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, at)) {
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) });
    const { head, filters, end } = boundaries(text, open + OPEN.length);
    parts.push({ kind: 'token', reference: referenceOf(head, filters) });
    at = end + CLOSE.length;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return parts;
}

/** The references in a template. */
export function referencesOf(template: TokenTemplate): readonly TokenReference[] {
  return template.flatMap((part) => (part.kind === 'token' ? [part.reference] : []));
}

/**
 * Fills a template in. A text that is one reference alone keeps the JSON type of its value; otherwise values are joined as text, each
 * passed through `encode` first. What was filled in is never looked at again.
 */
export function fillTokenTemplate(
  template: TokenTemplate,
  valueOf: (reference: TokenReference) => Json,
  encode: (text: string) => string = (text) => text,
): Json {
  const evaluate = (reference: TokenReference): Json => {
    const value = valueOf(reference);
    return reference.filters === undefined ? value : reference.filters({ value });
  };
  const [only] = template;
  if (template.length === 1 && only?.kind === 'token') return evaluate(only.reference);
  return template
    .map((part) => (part.kind === 'text' ? part.text : encode(textOf(evaluate(part.reference)))))
    .join('');
}
