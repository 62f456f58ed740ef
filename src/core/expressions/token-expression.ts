import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { parseExpression } from './expression.ts';
import { chargeText, type Expression } from './result.ts';
import { endOfExpression, hasExpression, TEMPLATE_MAX_LENGTH } from './template.ts';
import { chargedTextOf, weigh, WRITE_JSON } from './weight.ts';

/*
 * Detokenization expressions: `{{ <id> }}`, `{{ <id> | filters }}`, `{{ token: <id> | filters }}`.
 * An id may hold nearly anything but `|` and braces, so it ends at the first of those; filters are
 * those of every other expression.
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
const WHOLE = /^token\s*:\s*/;

/** The end of the expression that starts at `from`, and where its filters start. */
function boundaries(
  text: string,
  from: number,
): { readonly head: string; readonly filters: string | undefined; readonly end: number } {
  const close = text.indexOf(CLOSE, from);
  if (close === -1 || close - from > TEMPLATE_MAX_LENGTH)
    throw new ExpressionError('has an expression that is not closed');
  // Looked for up to the next `}}` only: a text of many expressions is read once, not once for each
  // of them.
  const head = text.slice(from, close);
  const bar = head.indexOf('|');
  if (bar === -1) return { head: head.trim(), filters: undefined, end: close };
  const end = endOfExpression(text, from + bar + 1);
  return { head: head.slice(0, bar).trim(), filters: text.slice(from + bar + 1, end), end };
}

/** Filters on the value of a token. There are no names in them: the value is all that they see. */
function parseFilters(filters: string, budget: Budget): Expression {
  const expression = parseExpression(`value |${filters}`, budget);
  if (expression.names.length > 1) throw new ExpressionError('has a name; filters see the value alone');
  return expression;
}

function referenceOf(head: string, filters: string | undefined, budget: Budget): TokenReference {
  const id = head.replace(WHOLE, '');
  if (id === '' || /[{}\n\r]/.test(id))
    throw new ExpressionError('has an expression without the id of a token');
  return defined({
    id,
    isWhole: WHOLE.test(head),
    filters: filters === undefined ? undefined : parseFilters(filters, budget),
  });
}

/** Steps of a reference: it is kept until the tokens are read, and filled in. */
const REFERENCE = 300;

/**
 * Parses a text with references to tokens. Every `{{` must open one. Throws
 * {@link ExpressionError}.
 */
export function parseTokenTemplate(text: string, budget: Budget): TokenTemplate {
  if (!hasExpression(text)) return [{ kind: 'text', text }];
  const parts: Part[] = [];
  let at = 0;
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, at)) {
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) });
    budget.charge(REFERENCE);
    const { head, filters, end } = boundaries(text, open + OPEN.length);
    parts.push({ kind: 'token', reference: referenceOf(head, filters, budget) });
    at = end + CLOSE.length;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return parts;
}

/** The references in a template. */
export function referencesOf(template: TokenTemplate): readonly TokenReference[] {
  return template.flatMap((part) => (part.kind === 'token' ? [part.reference] : []));
}

/** Steps of encoding text for where it stands, for each character. */
const ENCODE = 8;

/** What a request's references stand for, and the budget of the request. */
export interface Filling {
  readonly valueOf: (reference: TokenReference) => Json;
  readonly budget: Budget;
}

/**
 * Fills a template in. A text that is one reference alone keeps the JSON type of its value;
 * otherwise values are joined as text, each passed through `encode` first. What was filled in is
 * never looked at again. Throws {@link ExpressionError} for a filter that fails and for more than
 * the budget allows.
 */
export function fillTokenTemplate(
  template: TokenTemplate,
  filling: Filling,
  encode: (text: string) => string = (text) => text,
): Json {
  const { valueOf, budget } = filling;
  const evaluate = (reference: TokenReference): Json => {
    const value = valueOf(reference);
    return reference.filters === undefined ? value : reference.filters.evaluate({ value }, budget);
  };
  const encoded = (value: Json): string => {
    const plain = chargedTextOf(value, budget);
    budget.charge(plain.length * ENCODE);
    const text = encode(plain);
    chargeText(budget, text);
    return text;
  };
  const [only] = template;
  if (template.length === 1 && only?.kind === 'token') {
    const value = evaluate(only.reference);
    weigh(value, WRITE_JSON, budget);
    return value;
  }
  return template
    .map((part) => (part.kind === 'text' ? part.text : encoded(evaluate(part.reference))))
    .join('');
}
