import { Context, Drop, Liquid, Tokenizer, toValueSync, Value, type FilterImplOptions } from 'liquidjs';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { parseJson } from '../shared/parse-json.ts';
import { ExpressionError } from './expression-error.ts';
import { FILTERS } from './filters.ts';
import { parsedOnce } from './parsed-once.ts';

/** Filters in a row; with no loops in the language this bounds the steps of an evaluation. */
const FILTERS_MAX = 30;
/** Characters and elements that the expressions under one budget may produce, in all their steps together. */
const MEMORY_LIMIT = 16_000_000;
/** Milliseconds after which no further filter starts: a bound against what the other bounds forgot. */
const TIME_LIMIT_MS = 2_000;

/** What may still be used up. The expressions of one template, and the templates of one mask, share one. */
export type Budget = Pick<Context, 'memoryLimit' | 'renderLimit'>;

/** A parsed expression: evaluates to JSON under bindings. Throws {@link ExpressionError} if a filter fails or the budget is used up. */
export type Expression = (bindings: JsonObject, budget?: Budget) => Json;

function createLiquid(): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    // An output statement is a value and filters; comparisons belong to tags.
    operators: {},
    timezoneOffset: 0,
    locale: 'en-US',
    memoryLimit: MEMORY_LIMIT,
    renderLimit: TIME_LIMIT_MS,
    // No file is ever looked up: the language has no tags.
    templates: {},
  });
  for (const name of Object.keys(liquid.filters)) liquid.unregisterFilter(name);
  for (const name of Object.keys(liquid.tags)) Reflect.deleteProperty(liquid.tags, name);
  for (const [name, filter] of FILTERS) liquid.registerFilter(name, filter as FilterImplOptions);
  return liquid;
}

const liquid = createLiquid();

/**
 * The bindings of one evaluation. Liquid also knows `size`, `first` and `last` of any value, and JavaScript knows much
 * more; here a name is an own member of a JSON object or an index of an array, and nothing else (decisions.md, section 4).
 */
class JsonContext extends Context {
  override readProperty(from: object, key: unknown): unknown {
    if (Array.isArray(from)) return typeof key === 'number' ? (from as unknown[]).at(key) : undefined;
    return typeof key === 'string' || typeof key === 'number' ? memberOf(from, String(key)) : undefined;
  }

  override spawn(scope: object = {}): Context {
    return new JsonContext(scope, this.opts, { sync: true }, this);
  }
}

/** A fresh budget. */
export function createBudget(): Budget {
  return new JsonContext({}, liquid.options, { sync: true });
}

/** Takes a text out of a budget and hands it back. Throws {@link ExpressionError} if that is too much. */
export function charge(budget: Budget, text: string): string {
  try {
    budget.memoryLimit.use(text.length);
  } catch {
    throw new ExpressionError('has a result that is too large');
  }
  return text;
}

/** The JSON that a result is; what JSON cannot say is `null` (nothing there) or an error (not a number). */
function asJson(result: unknown, budget: Budget): Json {
  if (result === undefined || result === null || result instanceof Drop) return null;
  if (typeof result === 'number' && !Number.isFinite(result))
    throw new ExpressionError('has a filter with a result that is not a number');
  if (typeof result === 'object') return parseJson(charge(budget, JSON.stringify(result)));
  if (typeof result === 'string') return charge(budget, result);
  if (typeof result === 'number' || typeof result === 'boolean') return result;
  return null;
}

/** `reveal_last: 4, mask='*'` is how the interface writes named arguments; Liquid writes `mask: '*'`. */
function withLiquidArguments(source: string): string {
  return source.replace(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|([,:]\s*[a-z_]\w*\s*)=(?!=)/gis,
    (match: string, name: string | undefined) => (name === undefined ? match : `${name}:`),
  );
}

/** LiquidJS stops reading at what it does not know; a mask must not lose its filters to a stray comma, so all must have been read. */
function readWhole(source: string): Value {
  const tokenizer = new Tokenizer(source, liquid.options.operators);
  const value = new Value(tokenizer.readFilteredValue(), liquid);
  const isOneValue = value.initial.postfix.length === 1;
  if (!isOneValue || !tokenizer.end() || source.trimEnd().endsWith('|'))
    throw new ExpressionError('is not a valid expression');
  return value;
}

function parse(source: string): Value {
  try {
    return readWhole(withLiquidArguments(source));
  } catch (error) {
    const unknown = error instanceof Error && error.message.startsWith('undefined filter');
    throw new ExpressionError(unknown ? 'has an unknown filter' : 'is not a valid expression');
  }
}

/** Own filters say what is wrong with them; Liquid's messages may quote values, so they are not passed on. */
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

/** The names of an expression that is nothing but names, as most of a mask's are; `undefined` for any other. */
function namesIn(source: string): readonly string[] | undefined {
  const names = PATH.test(source) ? source.split('.') : [];
  return names.length === 0 || names.some((name) => WORDS.has(name)) ? undefined : names;
}

/** An own member of a JSON object; everything else has none by a name. */
function memberOf(from: unknown, name: string): unknown {
  return isJsonObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
}

function compile(source: string): Expression {
  const names = namesIn(source);
  // What Liquid would answer, without the context that it needs for it.
  if (names !== undefined)
    return (bindings, budget = createBudget()) => asJson(names.reduce<unknown>(memberOf, bindings), budget);
  const value = parse(source);
  if (value.filters.length > FILTERS_MAX)
    throw new ExpressionError(`has more than ${String(FILTERS_MAX)} filters`);
  return (bindings, budget = createBudget()) => {
    try {
      const scope = Object.assign(Object.create(null) as object, bindings);
      const { memoryLimit, renderLimit } = budget;
      const limits = { liquid, memoryLimit, renderLimit };
      const context = new JsonContext(scope, liquid.options, { sync: true }, limits);
      return asJson(toValueSync<unknown>(value.value(context)), budget);
    } catch (error) {
      throw failure(error);
    }
  };
}

/**
 * Parses the inside of `{{ }}`: a value, then filters. Throws {@link ExpressionError} for a syntax error or an unknown filter.
 * Short expressions are parsed once and kept.
 */
export const parseExpression: (source: string) => Expression = parsedOnce(compile);
