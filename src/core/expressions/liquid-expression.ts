import { Drop, Liquid, TokenKind, Tokenizer, toValueSync, Value, type FilterImplOptions } from 'liquidjs';
import type { Json } from '../shared/json.ts';
import { madeOnce } from '../shared/made-once.ts';
import { hintOf } from '../shared/known-names.ts';
import { jsonContext } from './json-context.ts';
import { ExpressionError } from './expression-error.ts';
import { OWN_FILTERS, type Filter } from './filters.ts';
import { resultOf, type Expression } from './result.ts';
import { STANDARD_FILTERS, type LiquidFilter } from './standard-filters.ts';

/*
 * LiquidJS is loaded on first use (lib/bundle.ts): the top level of this module must not use it.
 */

/** The names of all filters of the language. */
export const FILTER_NAMES: readonly string[] = [...STANDARD_FILTERS.keys(), ...OWN_FILTERS.keys()];

/** Steps of parsing, for each character. */
const PARSE = 150;
/** Steps of an evaluation before any filter: Liquid creates a context and generators for it. */
const EVALUATE = 4_000;
/**
 * Steps of an evaluation for each character of its source: arguments and members are resolved one
 * by one.
 */
const EVALUATE_CHARACTER = 60;

/** A missing value is `null`, and so are Liquid's own names for it (`nil`, `empty`). */
const present = (value: unknown): Json =>
  value === undefined || value instanceof Drop ? null : (value as Json);

const withContext = (filter: Filter): LiquidFilter =>
  function (value, ...args) {
    return filter(this.context.budget, present(value), args);
  };

function createLiquid(): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    // An output statement has a value and filters; only tags have comparisons.
    operators: {},
    timezoneOffset: 0,
    locale: 'en-US',
    // No file is ever read: the language has no tags.
    templates: {},
  });
  for (const name of Object.keys(liquid.filters)) liquid.unregisterFilter(name);
  for (const name of Object.keys(liquid.tags)) Reflect.deleteProperty(liquid.tags, name);
  const register = (name: string, filter: LiquidFilter) => {
    liquid.registerFilter(name, filter as unknown as FilterImplOptions);
  };
  for (const [name, filter] of STANDARD_FILTERS) register(name, filter);
  for (const [name, filter] of OWN_FILTERS) register(name, withContext(filter));
  return liquid;
}

const liquid = madeOnce(createLiquid);

/**
 * The API writes named arguments as `reveal_last: 4, mask='*'`; Liquid writes them as `mask: '*'`.
 */
function withLiquidArguments(source: string): string {
  return source.replace(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|([,:]\s*[a-z_]\w*\s*)=(?!=)/gis,
    (match: string, name: string | undefined) => (name === undefined ? match : `${name}:`),
  );
}

/**
 * LiquidJS stops reading at unknown input. A mask must not lose its filters because of a stray
 * comma, so the whole source must have been read.
 */
function readWhole(source: string): Value {
  const tokenizer = new Tokenizer(source, liquid().options.operators);
  const value = new Value(tokenizer.readFilteredValue(), liquid());
  const isOneValue = value.initial.postfix.length === 1;
  if (!isOneValue || !tokenizer.end() || source.trimEnd().endsWith('|'))
    throw new ExpressionError('is not a valid expression');
  return value;
}

/** Liquid's message, with the name of the filter. */
const UNKNOWN_FILTER = /^undefined filter: ([^\s,]*)/;
/** The form of an unknown filter's name that a message may quote: a word, never a value. */
const FILTER_NAME = /^[a-z][a-z_]{0,30}\d?$/i;

function unknownFilter(name: string): string {
  const shown = FILTER_NAME.test(name) ? ` \`${name}\`` : '';
  return `has an unknown filter${shown}${hintOf(name, FILTER_NAMES)}`;
}

function parse(source: string): Value {
  // Outside the `try`: a failure to load Liquid is not the fault of the source.
  liquid();
  try {
    return readWhole(withLiquidArguments(source));
  } catch (error) {
    const [, filter] = UNKNOWN_FILTER.exec(error instanceof Error ? error.message : '') ?? [];
    throw new ExpressionError(filter === undefined ? 'is not a valid expression' : unknownFilter(filter));
  }
}

/** LiquidJS wraps errors of filters. */
const thrownInside = (error: unknown): unknown =>
  error instanceof Error && 'originalError' in error ? error.originalError : error;

/** The parts of a token of Liquid's parser: names and nested tokens. */
interface ParsedToken {
  readonly kind?: TokenKind;
  readonly content?: unknown;
  readonly variable?: unknown;
  readonly props?: readonly unknown[];
  readonly lhs?: unknown;
  readonly rhs?: unknown;
}

/** Adds the names that a parsed value starts with, including names inside brackets and ranges. */
function addRoots(token: unknown, names: string[]): void {
  if (typeof token !== 'object' || token === null) return;
  const { kind, variable, props = [], lhs, rhs } = token as ParsedToken;
  if (kind === TokenKind.Range) for (const end of [lhs, rhs]) addRoots(end, names);
  if (kind !== TokenKind.PropertyAccess) return;
  const [root] = props as readonly ParsedToken[];
  if (variable === undefined) names.push(String(root?.content));
  for (const inside of [variable, ...props]) addRoots(inside, names);
}

/** Every name in an expression. A named argument is a pair of its own name and a value. */
function rootsIn(value: Value): readonly string[] {
  const names: string[] = [];
  for (const token of value.initial.postfix) addRoots(token, names);
  for (const { args } of value.filters)
    for (const argument of args as readonly unknown[])
      addRoots(Array.isArray(argument) ? argument[1] : argument, names);
  return names;
}

/** Parses any expression of the language. Throws {@link ExpressionError}. */
export function liquidExpression(source: string): Expression {
  const value = parse(source);
  return {
    names: rootsIn(value),
    filters: value.filters.map(({ name }) => name),
    parsing: source.length * PARSE,
    evaluate(bindings, budget) {
      budget.charge(EVALUATE + source.length * EVALUATE_CHARACTER);
      const scope = Object.assign(Object.create(null) as object, bindings);
      let result;
      try {
        result = toValueSync<unknown>(value.value(jsonContext(scope, budget, liquid())));
      } catch (error) {
        throw thrownInside(error);
      }
      return resultOf(result, budget);
    },
  };
}
