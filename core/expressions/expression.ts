import { Context, Drop, Liquid, Tokenizer, toValueSync, Value, type FilterImplOptions } from 'liquidjs';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { ExpressionError } from './expression-error.ts';
import { FILTERS } from './filters.ts';

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
    if (!isJsonObject(from) || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
    return Object.hasOwn(from, key) ? from[key] : undefined;
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
  if (typeof result === 'object') return JSON.parse(charge(budget, JSON.stringify(result))) as Json;
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

function compile(source: string): Expression {
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

const CACHED_MAX = 1_000;
const CACHED_SOURCE_MAX_LENGTH = 400;
const compiled = new Map<string, Expression>();

/**
 * Parses the inside of `{{ }}`: a value, then filters. Throws {@link ExpressionError} for a syntax error or an unknown filter.
 * Short expressions are parsed once and kept, oldest out first.
 */
export function parseExpression(source: string): Expression {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const expression = compile(source);
  if (source.length <= CACHED_SOURCE_MAX_LENGTH) {
    const oldest = compiled.size < CACHED_MAX ? undefined : compiled.keys().next().value;
    if (oldest !== undefined) compiled.delete(oldest);
    compiled.set(source, expression);
  }
  return expression;
}
