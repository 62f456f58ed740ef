import { isJsonObject, jsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { parseExpression } from './parse-expression.ts';
import { chargeText } from './result.ts';
import { parsedOnce } from './parsed-once.ts';
import { hasExpression, parseTemplate, type TemplatePart } from './template.ts';
import { chargedTextOf } from './weight.ts';

/** Liquid trims the text next to `{{-` and `-}}`. */
function trimmed(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  const trimsLeft = (part: TemplatePart | undefined) =>
    part?.kind === 'expression' && part.source.startsWith('-');
  const trimsRight = (part: TemplatePart | undefined) =>
    part?.kind === 'expression' && part.source.endsWith('-');
  return parts.map((part, index) => {
    if (part.kind === 'expression')
      return {
        ...part,
        source: part.source.slice(trimsLeft(part) ? 1 : 0, trimsRight(part) ? -1 : undefined).trim(),
      };
    const text = trimsRight(parts[index - 1]) ? part.text.trimStart() : part.text;
    return { ...part, text: trimsLeft(parts[index + 1]) ? text.trimEnd() : text };
  });
}

function parseParts(template: string): readonly TemplatePart[] {
  const parts = trimmed(parseTemplate(template));
  if (parts.some((part) => part.kind === 'text' && part.text.includes('{%'))) {
    throw new ExpressionError('has a tag; only {{ }} is supported');
  }
  return parts;
}

/**
 * The parts of a template. Throws {@link ExpressionError} for a syntax error. Only templates
 * without text are cached: text between expressions may be sensitive data.
 */
const parsed = parsedOnce(parseParts, (parts) => parts.every(({ kind }) => kind === 'expression'));

/** Steps of any text that may be a template, and of a text that is one. */
const TEXT = 20;
const TEMPLATE = 400;

function parse(template: string, budget: Budget): readonly TemplatePart[] {
  budget.charge(hasExpression(template) ? TEMPLATE : TEXT);
  chargeText(budget, template);
  return parsed(template);
}

/**
 * A text that is exactly one expression returns the value with its JSON type; otherwise results are
 * joined as text. Throws {@link ExpressionError}, also if the budget is exceeded.
 */
export function renderTemplate(template: string, bindings: JsonObject, budget: Budget): Json {
  const parts = parse(template, budget);
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'expression')
    return parseExpression(only.source, budget).evaluate(bindings, budget);
  return parts
    .map((part) =>
      part.kind === 'text'
        ? part.text
        : chargedTextOf(parseExpression(part.source, budget).evaluate(bindings, budget), budget),
    )
    .join('');
}

/** The names and filters that the expressions of a template may use. */
export interface Allowed {
  readonly names: readonly string[];
  /** Absent: all filters. */
  readonly filters?: readonly string[];
}

/** The names and filters that the expressions of a template use, with repetitions. */
export interface Contents {
  readonly names: readonly string[];
  readonly filters: readonly string[];
}

/**
 * Checks a template without evaluating it; returns its names and filters. Throws
 * {@link ExpressionError} for a syntax error, and for a name or filter that is not allowed.
 */
export function checkTemplate(template: string, allowed: Allowed, budget: Budget): Contents {
  const expressions = parse(template, budget).flatMap((part) =>
    part.kind === 'expression' ? [parseExpression(part.source, budget)] : [],
  );
  const names = expressions.flatMap((expression) => expression.names);
  const filters = expressions.flatMap((expression) => expression.filters);
  if (!names.every((name) => allowed.names.includes(name)))
    throw new ExpressionError(`has a name other than ${allowed.names.join(' and ')}`);
  if (!filters.every((name) => allowed.filters?.includes(name) ?? true))
    throw new ExpressionError(`has a filter other than ${allowed.filters?.join(', ') ?? ''}`);
  return { names, filters };
}

/**
 * {@link renderTemplate} for every text of a JSON value such as a mask; other leaves are unchanged.
 */
export function renderTemplates(value: Json, bindings: JsonObject, budget: Budget): Json {
  if (typeof value === 'string') return renderTemplate(value, bindings, budget);
  budget.charge(TEXT);
  if (Array.isArray(value))
    return (value as readonly Json[]).map((element) => renderTemplates(element, bindings, budget));
  if (!isJsonObject(value)) return value;
  return jsonObject(
    Object.entries(value).map(([name, member]) => [name, renderTemplates(member, bindings, budget)] as const),
  );
}

/** {@link checkTemplate} for every text of a JSON value. */
export function checkTemplates(value: Json, allowed: Allowed, budget: Budget): void {
  const checkEach = (each: Json): void => {
    checkTemplates(each, allowed, budget);
  };
  budget.charge(TEXT);
  if (typeof value === 'string') checkTemplate(value, allowed, budget);
  else if (Array.isArray(value)) (value as readonly Json[]).forEach(checkEach);
  else if (isJsonObject(value)) Object.values(value).forEach(checkEach);
}
