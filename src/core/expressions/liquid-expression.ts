import { Drop, Liquid, TokenKind, Tokenizer, toValueSync, Value, type FilterImplOptions } from 'liquidjs';
import type { Json } from '../shared/json.ts';
import { madeOnce } from '../shared/made-once.ts';
import { hintOf } from '../shared/known-names.ts';
import { jsonContext } from './context.ts';
import { ExpressionError } from './expression-error.ts';
import { OWN_FILTERS, type Filter } from './filters.ts';
import { resultOf, type Expression } from './result.ts';
import { STANDARD_FILTERS, type LiquidFilter } from './standard-filters.ts';

/*
 * LiquidJS is loaded when something of it is first used (lib/bundle.ts): nothing here may touch it
 * before.
 */

/** The names of all filters of the language. */
export const FILTER_NAMES: readonly string[] = [...STANDARD_FILTERS.keys(), ...OWN_FILTERS.keys()];

/** Steps of parsing, for each character. */
const PARSE = 150;
/** Steps of an evaluation before any filter: Liquid makes a context and generators for it. */
const EVALUATE = 4_000;
/**
 * Steps of an evaluation for each character of its source: arguments and members are looked up one
 * by one.
 */
const EVALUATE_CHARACTER = 60;

/** What is missing is `null`, and so are Liquid's own names for it (`nil`, `empty`). */
const present = (value: unknown): Json =>
  value === undefined || value instanceof Drop ? null : (value as Json);

const withContext = (filter: Filter): LiquidFilter =>
  function (value, ...given) {
    return filter(this.context.budget, present(value), given);
  };

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
  const register = (name: string, filter: LiquidFilter) => {
    liquid.registerFilter(name, filter as unknown as FilterImplOptions);
  };
  for (const [name, filter] of STANDARD_FILTERS) register(name, filter);
  for (const [name, filter] of OWN_FILTERS) register(name, withContext(filter));
  return liquid;
}

const liquid = madeOnce(createLiquid);

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
  const tokenizer = new Tokenizer(source, liquid().options.operators);
  const value = new Value(tokenizer.readFilteredValue(), liquid());
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
  return `has an unknown filter${shown}${hintOf(name, FILTER_NAMES)}`;
}

function parse(source: string): Value {
  // Not inside: that it cannot be loaded is no fault of the source.
  liquid();
  try {
    return readWhole(withLiquidArguments(source));
  } catch (error) {
    const [, filter] = UNKNOWN_FILTER.exec(error instanceof Error ? error.message : '') ?? [];
    throw new ExpressionError(filter === undefined ? 'is not a valid expression' : unknownFilter(filter));
  }
}

/** LiquidJS wraps what a filter threw. */
const thrownInside = (error: unknown): unknown =>
  error instanceof Error && 'originalError' in error ? error.originalError : error;

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

/** Any expression of the language, parsed. Throws {@link ExpressionError}. */
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
