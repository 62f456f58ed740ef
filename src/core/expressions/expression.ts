import { Drop, Liquid, TokenKind, Tokenizer, toValueSync, Value, type FilterImplOptions } from 'liquidjs';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { hintOf } from '../shared/known-names.ts';
import type { Budget } from './budget.ts';
import { JsonContext, memberOf } from './context.ts';
import { ExpressionError } from './expression-error.ts';
import { FILTERS } from './filters.ts';
import { parsedOnce } from './parsed-once.ts';
import { weigh, WRITE_JSON } from './weight.ts';

/** Filters in a row; with no loops in the language this bounds the depth of an evaluation. */
const FILTERS_MAX = 30;

/** Steps of parsing for each character: of names alone, and of what Liquid parses. */
const PARSE_NAME = 40;
const PARSE = 150;
/**
 * Steps of an evaluation before any filter: of names alone, and by Liquid, which makes a context
 * and generators for it.
 */
const EVALUATE_NAME = 50;
const EVALUATE = 4_000;
/**
 * Steps of an evaluation by Liquid for each character of its source: arguments and members are
 * looked up one by one.
 */
const EVALUATE_CHARACTER = 60;
/**
 * Steps of text that is a result, for each character: it is not copied. Lists and objects cost what
 * it takes to write them.
 */
const RESULT_CHARACTER = 0.25;
/** Steps of what fails: an error, and those that Liquid makes of it. */
const FAILURE = 60_000;

/** A parsed expression. */
export interface Expression {
  /** The names that its value and its arguments start with, as often as they stand there. */
  readonly names: readonly string[];
  /** The names of its filters. */
  readonly filters: readonly string[];
  /** Steps of parsing it. */
  readonly parsing: number;
  /**
   * The JSON that it gives under bindings. Throws {@link ExpressionError} if a filter fails or the
   * budget is used up.
   */
  evaluate(bindings: JsonObject, budget: Budget): Json;
}

function createLiquid(): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    // An output statement is a value and filters; comparisons belong to tags.
    operators: {},
    timezoneOffset: 0,
    locale: 'en-US',
    // No file is ever looked up: the language has no tags.
    templates: {},
  });
  for (const name of Object.keys(liquid.filters)) liquid.unregisterFilter(name);
  for (const name of Object.keys(liquid.tags)) Reflect.deleteProperty(liquid.tags, name);
  for (const [name, filter] of FILTERS) liquid.registerFilter(name, filter as unknown as FilterImplOptions);
  return liquid;
}

const liquid = createLiquid();

/**
 * The JSON that a result is: what JSON cannot say is `null`. Filters make lists of anything;
 * objects are the caller's own JSON.
 */
function jsonOf(result: unknown): Json {
  if (Array.isArray(result)) return (result as readonly unknown[]).map(jsonOf);
  if (typeof result === 'number') return Number.isFinite(result) ? result : null;
  if (typeof result === 'string' || typeof result === 'boolean') return result;
  return isJsonObject(result) && !(result instanceof Drop) ? result : null;
}

/** Charges for text that is passed on as it is. */
export function chargeText(budget: Budget, text: string): void {
  budget.charge(Math.ceil(text.length * RESULT_CHARACTER));
}

function resultOf(result: unknown, budget: Budget): Json {
  if (typeof result === 'number' && !Number.isFinite(result))
    throw new ExpressionError('has a filter with a result that is not a number');
  weigh(result, typeof result === 'string' ? RESULT_CHARACTER : WRITE_JSON, budget);
  return jsonOf(result);
}

/**
 * `reveal_last: 4, mask='*'` is how the interface writes named arguments; Liquid writes
 * `mask: '*'`.
 */
function withLiquidArguments(source: string): string {
  return source.replace(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|([,:]\s*[a-z_]\w*\s*)=(?!=)/gis,
    (match: string, name: string | undefined) => (name === undefined ? match : `${name}:`),
  );
}

/**
 * LiquidJS stops reading at what it does not know; a mask must not lose its filters to a stray
 * comma, so all must have been read.
 */
function readWhole(source: string): Value {
  const tokenizer = new Tokenizer(source, liquid.options.operators);
  const value = new Value(tokenizer.readFilteredValue(), liquid);
  const isOneValue = value.initial.postfix.length === 1;
  if (!isOneValue || !tokenizer.end() || source.trimEnd().endsWith('|'))
    throw new ExpressionError('is not a valid expression');
  return value;
}

/** How Liquid says it, with what stands there. */
const UNKNOWN_FILTER = /^undefined filter: ([^\s,]*)/;
/** What is shown of a filter that is not known: a word, never a value. */
const FILTER_NAME = /^[a-z][a-z_]{0,30}\d?$/i;

function unknownFilter(name: string): string {
  const shown = FILTER_NAME.test(name) ? ` \`${name}\`` : '';
  return `has an unknown filter${shown}${hintOf(name, [...FILTERS.keys()])}`;
}

function parse(source: string): Value {
  try {
    return readWhole(withLiquidArguments(source));
  } catch (error) {
    const [, filter] = UNKNOWN_FILTER.exec(error instanceof Error ? error.message : '') ?? [];
    throw new ExpressionError(filter === undefined ? 'is not a valid expression' : unknownFilter(filter));
  }
}

/**
 * Own filters say what is wrong with them; Liquid's messages may quote values, so they are not
 * passed on.
 */
function failure(error: unknown): ExpressionError {
  const original: unknown = error instanceof Error && 'originalError' in error ? error.originalError : error;
  return original instanceof ExpressionError
    ? original
    : new ExpressionError('has a filter that fails on this value');
}

/** Names of members with dots between them. */
const PATH = /^[a-z_]\w*(?:\.[a-z_]\w*)*$/i;
/** Names that Liquid takes for values. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank']);

/**
 * The names of an expression that is nothing but names, as most of a mask's are; `undefined` for
 * any other.
 */
function namesIn(source: string): readonly string[] | undefined {
  const names = PATH.test(source) ? source.split('.') : [];
  return names.length === 0 || names.some((name) => WORDS.has(name)) ? undefined : names;
}

/** What a token of Liquid's parser may hold: names and the tokens inside of it. */
interface ParsedToken {
  readonly kind?: TokenKind;
  readonly content?: unknown;
  readonly variable?: unknown;
  readonly props?: readonly unknown[];
  readonly lhs?: unknown;
  readonly rhs?: unknown;
}

/** Adds the names that a parsed value starts with, those inside of brackets and ranges included. */
function addRoots(token: unknown, names: string[]): void {
  if (typeof token !== 'object' || token === null) return;
  const { kind, variable, props = [], lhs, rhs } = token as ParsedToken;
  if (kind === TokenKind.Range) for (const end of [lhs, rhs]) addRoots(end, names);
  if (kind !== TokenKind.PropertyAccess) return;
  const [root] = props as readonly ParsedToken[];
  if (variable === undefined) names.push(String(root?.content));
  for (const inside of [variable, ...props]) addRoots(inside, names);
}

/** Every name of an expression. A named argument is a pair of its own name and a value. */
function rootsIn(value: Value): readonly string[] {
  const names: string[] = [];
  for (const token of value.initial.postfix) addRoots(token, names);
  for (const { args } of value.filters)
    for (const argument of args as readonly unknown[])
      addRoots(Array.isArray(argument) ? argument[1] : argument, names);
  return names;
}

function compile(source: string): Expression {
  const names = namesIn(source);
  // What Liquid would answer, without the context that it needs for it.
  if (names !== undefined)
    return {
      names: names.slice(0, 1),
      filters: [],
      parsing: source.length * PARSE_NAME,
      evaluate(bindings, budget) {
        budget.charge(EVALUATE_NAME);
        return resultOf(names.reduce<unknown>(memberOf, bindings), budget);
      },
    };
  const value = parse(source);
  if (value.filters.length > FILTERS_MAX)
    throw new ExpressionError(`has more than ${String(FILTERS_MAX)} filters`);
  return {
    names: rootsIn(value),
    filters: value.filters.map(({ name }) => name),
    parsing: source.length * PARSE,
    evaluate(bindings, budget) {
      try {
        budget.charge(EVALUATE + source.length * EVALUATE_CHARACTER);
        const scope = Object.assign(Object.create(null) as object, bindings);
        const context = new JsonContext(scope, budget, liquid);
        return resultOf(toValueSync<unknown>(value.value(context)), budget);
      } catch (error) {
        budget.charge(FAILURE);
        throw failure(error);
      }
    },
  };
}

const compiled = parsedOnce(compile);

/**
 * Parses the inside of `{{ }}`: a value, then filters. Throws {@link ExpressionError} for a syntax
 * error or an unknown filter. Short expressions are parsed once and cached; they cost the same each
 * time, so that no cache decides what passes.
 */
export function parseExpression(source: string, budget: Budget): Expression {
  try {
    const expression = compiled(source);
    budget.charge(expression.parsing);
    return expression;
  } catch (error) {
    budget.charge(FAILURE + source.length * PARSE);
    throw error;
  }
}
