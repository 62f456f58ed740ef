import { EXPRESSIONS_MAX, TOO_MANY_EXPRESSIONS } from '../shared/field-reporter.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import type { LazyPath } from '../shared/member-path.ts';
import { createBudget, type Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { parseExpression } from './parse-expression.ts';
import { chargeText, type Expression } from './result.ts';
import { located, SyntaxProblem } from './syntax-problem.ts';
import { endOfExpression, hasExpression, notClosed, TEMPLATE_MAX_LENGTH } from './template.ts';
import { chargedTextOf, weigh, WRITE_JSON } from './weight.ts';

/*
 * Detokenization expressions (docs/contract.md#detokenization-expressions). An id may contain
 * almost any character except `|` and braces, so the first of these ends it.
 */

/** A token whose value an expression asks for. */
export interface TokenReference {
  readonly id: string;
  /** Whether the reference means the whole Token object, not only its data. */
  readonly isWhole: boolean;
  /** Filters on the value; absent if the value is used unchanged. */
  readonly filters?: Expression;
  /** The path of the text in the request that has the reference, for errors. */
  readonly path?: LazyPath;
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'token'; readonly reference: TokenReference };

/** A text after parsing, which may have references to tokens. */
export type TokenTemplate = readonly Part[];

const OPEN = '{{';
const CLOSE = '}}';
const WHOLE = /^token\s*:\s*/;

/** Filters without the id before them, and their offset in the text. */
interface FilterSource {
  readonly source: string;
  readonly at: number;
}

/** The end of the expression whose `{{` is at `open`, and its filters. */
function boundaries(
  text: string,
  open: number,
): { readonly head: string; readonly filters: FilterSource | undefined; readonly end: number } {
  const from = open + OPEN.length;
  const close = text.indexOf(CLOSE, from);
  if (close === -1 || close - from > TEMPLATE_MAX_LENGTH) throw notClosed(open);
  // Searches only up to the next `}}`, so that a text with many expressions is read just once.
  const head = text.slice(from, close);
  const bar = head.indexOf('|');
  if (bar === -1) return { head: head.trim(), filters: undefined, end: close };
  const at = from + bar + 1;
  const end = endOfExpression(text, open, at);
  return { head: head.slice(0, bar).trim(), filters: { source: text.slice(at, end), at }, end };
}

/** Parsing evaluates no filter. */
function drawNothing(): never {
  throw new Error('token expression: a filter was evaluated while parsing');
}

/**
 * Whether an expression with this text as its id refers to exactly this text, with and without
 * spaces, filters and `token:`. The valid ids are among these (`tokens/token-id.ts`).
 */
export function readsAsId(text: string): boolean {
  return [`{{${text}}}`, `{{ ${text} }}`, `{{token:${text}}}`, `{{ ${text} | last4 }}`].every((template) => {
    try {
      const parts = parseTokenTemplate(template, createBudget(drawNothing));
      const [only] = parts;
      if (parts.length !== 1 || only?.kind !== 'token') return false;
      return only.reference.id === text && only.reference.isWhole === template.includes('{{token:');
    } catch (error) {
      if (error instanceof ExpressionError) return false;
      throw error;
    }
  });
}

/** The name of the token's value in the source that Liquid parses. */
const VALUE = 'value |';

/** Parses filters on the value of a token. They may use no names except the value. */
function parseFilters(text: string, { source, at }: FilterSource, budget: Budget): Expression {
  return located(text, at - VALUE.length, () => {
    const expression = parseExpression(`${VALUE}${source}`, budget);
    const [, name] = expression.names;
    if (name !== undefined)
      throw new SyntaxProblem('has a name', name.at, { hint: '; filters see the value alone' });
    return expression;
  });
}

/** The reference of the expression whose `{{` is at `open`, and its end. */
function readReference(
  text: string,
  open: number,
  budget: Budget,
  path: LazyPath | undefined,
): { readonly reference: TokenReference; readonly end: number } {
  const { head, filters, end } = located(text, 0, () => boundaries(text, open));
  const id = head.replace(WHOLE, '');
  if (id === '' || /[{}\n\r]/.test(id))
    throw new SyntaxProblem('has an expression without the id of a token', open).inText(text, 0);
  const reference = defined({
    id,
    isWhole: WHOLE.test(head),
    filters: filters === undefined ? undefined : parseFilters(text, filters, budget),
    path,
  });
  return { reference, end };
}

/** Steps that a reference costs: it is stored until the tokens are read, and then filled in. */
const REFERENCE = 300;

/**
 * Parses a text at a path, with references to tokens. Every `{{` must open a reference. Throws
 * {@link ExpressionError}, also if the request then has too many references.
 */
export function parseTokenTemplate(text: string, budget: Budget, path?: LazyPath): TokenTemplate {
  if (!hasExpression(text)) return [{ kind: 'text', text }];
  const parts: Part[] = [];
  let at = 0;
  let count = 0;
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, at)) {
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) });
    budget.charge(REFERENCE);
    count += 1;
    if (count > EXPRESSIONS_MAX) throw new ExpressionError(TOO_MANY_EXPRESSIONS);
    const { reference, end } = readReference(text, open, budget, path);
    parts.push({ kind: 'token', reference });
    at = end + CLOSE.length;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return parts;
}

/** The references that a template has. */
export function referencesOf(template: TokenTemplate): readonly TokenReference[] {
  return template.flatMap((part) => (part.kind === 'token' ? [part.reference] : []));
}

/** Steps of encoding text for its context, for each character. */
const ENCODE = 8;

/** The values that a request's references have, and the budget of the request. */
export interface Filling {
  readonly valueOf: (reference: TokenReference) => Json;
  readonly budget: Budget;
}

/**
 * Fills in the values. A single reference returns the value with its JSON type; within text,
 * `encode` applies. Filled-in values are never parsed again. Throws {@link ExpressionError}, also
 * if the budget is exceeded.
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
