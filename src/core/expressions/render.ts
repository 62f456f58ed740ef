import { isJsonObject, jsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { nearestName } from '../shared/known-names.ts';
import type { MemberPlace } from '../shared/member-path.ts';
import { BudgetError, type Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { FAILURE, parseExpression } from './parse-expression.ts';
import { chargeText } from './result.ts';
import { parsedOnce } from './parsed-once.ts';
import { located, SyntaxProblem, type UsedName } from './syntax-problem.ts';
import { hasExpression, parseTemplate, type TemplatePart } from './template.ts';
import { chargedTextOf } from './weight.ts';

/** Liquid trims the text next to `{{-` and `-}}`. */
function trimmed(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  const trimsLeft = (part: TemplatePart | undefined) =>
    part?.kind === 'expression' && part.source.startsWith('-');
  const trimsRight = (part: TemplatePart | undefined) =>
    part?.kind === 'expression' && part.source.endsWith('-');
  return parts.map((part, index) => {
    if (part.kind === 'expression') {
      const dash = trimsLeft(part) ? 1 : 0;
      const inner = part.source.slice(dash, trimsRight(part) ? -1 : undefined);
      const blank = inner.length - inner.trimStart().length;
      return { ...part, source: inner.trim(), at: part.at + dash + blank };
    }
    const text = trimsRight(parts[index - 1]) ? part.text.trimStart() : part.text;
    return { ...part, text: trimsLeft(parts[index + 1]) ? text.trimEnd() : text };
  });
}

function parseParts(template: string): readonly TemplatePart[] {
  const parts = parseTemplate(template);
  for (const part of parts) {
    const tag = part.kind === 'text' ? part.text.indexOf('{%') : -1;
    if (tag !== -1)
      throw new SyntaxProblem('has a tag', part.at + tag, { hint: '; only {{ }} is supported' });
  }
  return trimmed(parts);
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
  return located(template, 0, () => parsed(template));
}

const parsePart = (
  template: string,
  { source, at }: { readonly source: string; readonly at: number },
  budget: Budget,
) => located(template, at, () => parseExpression(source, budget));

/**
 * Evaluates the expressions of a template. A text that is exactly one expression returns the value
 * with its JSON type; otherwise results are joined as text. Throws {@link ExpressionError}, also if
 * the budget is exceeded.
 */
export function renderTemplate(template: string, bindings: JsonObject, budget: Budget): Json {
  const parts = parse(template, budget);
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'expression')
    return parsePart(template, only, budget).evaluate(bindings, budget);
  return parts
    .map((part) =>
      part.kind === 'text'
        ? part.text
        : chargedTextOf(parsePart(template, part, budget).evaluate(bindings, budget), budget),
    )
    .join('');
}

/** The names and filters that the expressions of a template may use. */
export interface Allowed {
  readonly names: readonly string[];
  /** If absent, all filters are allowed. */
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
  const names: string[] = [];
  const filters: string[] = [];
  for (const part of parse(template, budget)) {
    if (part.kind === 'text') continue;
    const expression = parsePart(template, part, budget);
    located(template, part.at, () => {
      checkNames(expression.names, allowed.names, `a name other than ${allowed.names.join(' and ')}`);
      if (allowed.filters === undefined) return;
      checkNames(expression.filters, allowed.filters, `a filter other than ${allowed.filters.join(', ')}`);
    });
    names.push(...expression.names.map(({ name }) => name));
    filters.push(...expression.filters.map(({ name }) => name));
  }
  return { names, filters };
}

function checkNames(used: readonly UsedName[], allowed: readonly string[], other: string): void {
  const unknown = used.find(({ name }) => !allowed.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown.name, allowed);
  const hint = near === undefined ? '' : `; did you mean \`${near}\`?`;
  throw new SyntaxProblem(`has ${other}`, unknown.at, { hint });
}

/** Handles the error of one text of a JSON value, at this place in the value. */
export type HandleFailure = (error: ExpressionError, place: MemberPlace | undefined) => void;

const rethrow: HandleFailure = (error) => {
  throw error;
};

/**
 * Runs `render` for one text. An exceeded budget is not the fault of that text, so it is thrown.
 */
function attempt(place: MemberPlace | undefined, handle: HandleFailure, render: () => Json): Json {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof ExpressionError) || error instanceof BudgetError) throw error;
    handle(error, place);
    return null;
  }
}

/**
 * Runs {@link renderTemplate} for every text of a JSON value such as a mask; other leaves are
 * unchanged. `handle` may report the error of one text, and the others are still rendered.
 */
export function renderTemplates(
  value: Json,
  bindings: JsonObject,
  budget: Budget,
  handle: HandleFailure = rethrow,
  place?: MemberPlace,
): Json {
  const inside = (member: PropertyKey, each: Json): Json =>
    renderTemplates(each, bindings, budget, handle, { parent: place, member });
  if (typeof value === 'string') return attempt(place, handle, () => renderTemplate(value, bindings, budget));
  budget.charge(TEXT);
  if (Array.isArray(value)) return (value as readonly Json[]).map((element, index) => inside(index, element));
  if (!isJsonObject(value)) return value;
  return jsonObject(Object.entries(value).map(([name, member]) => [name, inside(name, member)] as const));
}

/**
 * Runs {@link checkTemplate} for every text of a JSON value; `handle` is as in
 * {@link renderTemplates}. Each failure is charged, so that a value full of wrong texts ends early.
 */
export function checkTemplates(
  value: Json,
  allowed: Allowed,
  budget: Budget,
  handle: HandleFailure = rethrow,
  place?: MemberPlace,
): void {
  const inside = (member: PropertyKey, each: Json): void => {
    checkTemplates(each, allowed, budget, handle, { parent: place, member });
  };
  budget.charge(TEXT);
  const charged: HandleFailure = (error, at) => {
    budget.charge(FAILURE);
    handle(error, at);
  };
  if (typeof value === 'string')
    attempt(place, charged, () => {
      checkTemplate(value, allowed, budget);
      return null;
    });
  else if (Array.isArray(value))
    (value as readonly Json[]).forEach((element, index) => {
      inside(index, element);
    });
  else if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) inside(name, member);
}
