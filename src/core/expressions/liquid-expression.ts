import {
  Drop,
  Liquid,
  TokenKind,
  Tokenizer,
  toValueSync,
  Value,
  type FilterImplOptions,
  type Token,
} from 'liquidjs';
import type { Json } from '../shared/json.ts';
import { madeOnce } from '../shared/made-once.ts';
import { hintOf } from '../shared/known-names.ts';
import { jsonContext } from './json-context.ts';
import { ExpressionError } from './expression-error.ts';
import { NamedArgument, type FilterArgument } from './arguments.ts';
import { checkOwnKinds, OWN_FILTERS, OWN_PARAMETERS, type Filter } from './filters.ts';
import { checkUse, LATER, NO_PARAMETERS, type Parameters } from './parameters.ts';
import { resultOf, type Expression } from './result.ts';
import { STANDARD_FILTERS, STANDARD_PARAMETERS, type LiquidFilter } from './standard-filters.ts';
import { SyntaxProblem, unexpected, unreadable, type UsedName } from './syntax-problem.ts';

/*
 * LiquidJS is loaded on first use (tools/assets/bundle.ts): the top level of this module must not
 * use it.
 */

const PARAMETERS: ReadonlyMap<string, Parameters> = new Map([...STANDARD_PARAMETERS, ...OWN_PARAMETERS]);

export const FILTER_NAMES: readonly string[] = [...PARAMETERS.keys()];

/** Steps of parsing, for each character. */
const PARSE = 150;
/** Steps of an evaluation before any filter: Liquid creates a context and generators for it. */
const EVALUATE = 4_000;
/**
 * Steps of an evaluation for each character of its source: arguments and members are resolved one
 * by one.
 */
const EVALUATE_CHARACTER = 60;

/** A missing value is `null`, as are Liquid's own names for it (`nil`, `empty`). */
const present = (value: unknown): Json =>
  value === undefined || value instanceof Drop ? null : (value as Json);

const withContext = (name: string, filter: Filter): LiquidFilter =>
  function (value, ...args) {
    checkOwnKinds(name, args);
    return filter(this.context.budget, present(value), args);
  };

/** An argument as LiquidJS parses it. One with a name is a pair. */
type ParsedArgument = object | readonly [name: string, value: object];

const isNamed = (argument: ParsedArgument): argument is readonly [name: string, value: object] =>
  Array.isArray(argument);

/** How LiquidJS calls a filter: the source says which arguments have names, not their values. */
type Called = ThisParameterType<LiquidFilter> & {
  readonly token: { readonly args: readonly ParsedArgument[] };
};

const withNames = (filter: LiquidFilter) =>
  function (this: Called, value: unknown, ...args: readonly unknown[]) {
    const named = args.map((argument, at) => {
      const parsed = this.token.args[at];
      return parsed !== undefined && isNamed(parsed)
        ? new NamedArgument(parsed[0], (argument as readonly unknown[])[1])
        : argument;
    });
    return filter.call(this, value, ...named);
  };

function createLiquid(): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    // An output statement has a value and filters; only tags have comparisons.
    operators: {},
    timezoneOffset: 0,
    locale: 'en-US',
    // LiquidJS never reads a file here, because the language has no tags.
    templates: {},
  });
  for (const name of Object.keys(liquid.filters)) liquid.unregisterFilter(name);
  for (const name of Object.keys(liquid.tags)) Reflect.deleteProperty(liquid.tags, name);
  const register = (name: string, filter: LiquidFilter) => {
    liquid.registerFilter(name, withNames(filter) as unknown as FilterImplOptions);
  };
  for (const [name, filter] of STANDARD_FILTERS) register(name, filter);
  for (const [name, filter] of OWN_FILTERS) register(name, withContext(name, filter));
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

const A_VALUE = 'a value';
const A_FILTER_OR_END = '`|` and a filter, or `}}`';
const MORE_OR_END = '`,` and an argument, `|` and a filter, or `}}`';
const ARGUMENTS_OR_MORE = `\`:\` and arguments, ${A_FILTER_OR_END}`;

/** Liquid's parser expected this, by the start of its message, and had read so far by then. */
const EXPECTED: readonly (readonly [message: string, expected: string, readBeyond: 0 | 1])[] = [
  ['invalid value expression', A_VALUE, 0],
  ['unexpected token', A_VALUE, 0],
  ['expected "|" before filter', A_FILTER_OR_END, 1],
  ['expected filter name', 'the name of a filter', 0],
  ['expected ":" after filter name', ARGUMENTS_OR_MORE, 0],
  ['unexpected character', MORE_OR_END, 0],
  ['[ not closed', '`]`', 0],
  ['invalid range syntax', 'a range such as `(1..3)`', 0],
];

/** The error of Liquid's parser in our own words, because its message quotes the source. */
function problemOf(error: unknown): ExpressionError {
  if (error instanceof ExpressionError || !(error instanceof Error)) return error as ExpressionError;
  const known = EXPECTED.find(([start]) => error.message.startsWith(start));
  const token = 'token' in error ? (error.token as { readonly begin?: unknown }) : {};
  if (known === undefined || typeof token.begin !== 'number') return unreadable();
  const [, expected, readBeyond] = known;
  return unexpected(token.begin - readBeyond, expected);
}

/** The names of unknown filters that a message may quote: a word, which is never a value. */
const FILTER_NAME = /^[a-z][a-z_]{0,30}\d?$/i;

/** Filters under the names that they have in other template languages. */
const NAMES_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['upper', 'upcase'],
  ['uppercase', 'upcase'],
  ['lower', 'downcase'],
  ['lowercase', 'downcase'],
  ['trim', 'strip'],
  ['substring', 'slice'],
  ['substr', 'slice'],
  ['last5', 'last4'],
  ['length', 'size'],
]);

function unknownFilter({ name, begin }: { readonly name: string; readonly begin: number }): SyntaxProblem {
  const shown = FILTER_NAME.test(name) ? ` \`${name}\`` : '';
  return new SyntaxProblem(`has an unknown filter${shown}`, begin, {
    hint: hintOf(NAMES_ELSEWHERE.get(name) ?? name, FILTER_NAMES),
  });
}

/** The parts of a token of Liquid's parser: names and nested tokens. */
interface ParsedToken {
  readonly begin?: number;
  readonly end?: number;
  readonly kind?: TokenKind;
  readonly content?: unknown;
  readonly variable?: ParsedToken;
  readonly props?: readonly unknown[];
  readonly lhs?: unknown;
  readonly rhs?: unknown;
}

const isLiteral = ({ kind }: ParsedToken): boolean =>
  kind === TokenKind.Quoted || kind === TokenKind.Number || kind === TokenKind.Literal;

/** An argument as the source has it: a literal, or a value that comes with the data. */
function writtenArgument(argument: ParsedArgument): FilterArgument {
  if (isNamed(argument)) return new NamedArgument(argument[0], writtenArgument(argument[1]));
  const token = argument as ParsedToken;
  return isLiteral(token) ? present(token.content) : LATER;
}

/**
 * A backslash in a JSONPath belongs to the path (RFC 9535, 2.3.1.1), except before the quotation
 * mark that encloses the path, where it is Liquid's.
 */
function readBackslashesOnce(args: readonly ParsedArgument[]): void {
  for (const argument of args) {
    const token = (isNamed(argument) ? argument[1] : argument) as Token;
    if (token.kind !== TokenKind.Quoted) continue;
    const text = token.getText();
    const quote = text.charAt(0);
    const path = text
      .slice(1, -1)
      .replace(/\\(.)/gs, (pair, character: string) => (character === quote ? quote : pair));
    Object.assign(token, { content: path });
  }
}

interface ReadValue {
  readonly value: Value;
  readonly filters: readonly UsedName[];
}

/**
 * LiquidJS stops reading at unknown input. A mask must not lose its filters because of a stray
 * comma, so the whole source must have been read.
 */
function readWhole(source: string): ReadValue {
  const tokenizer = new Tokenizer(source, liquid().options.operators);
  const token = tokenizer.readFilteredValue();
  const { filters } = token;
  const [, second] = token.initial.postfix;
  if (second !== undefined) throw unexpected(second.begin, A_FILTER_OR_END);
  const unknown = filters.find(({ name }) => !FILTER_NAMES.includes(name));
  if (unknown !== undefined) throw unknownFilter(unknown);
  const isWithoutArguments = filters.at(-1)?.args.length === 0;
  if (!tokenizer.end())
    throw unexpected(tokenizer.p, isWithoutArguments ? ARGUMENTS_OR_MORE : A_FILTER_OR_END);
  if (source.trimEnd().endsWith('|')) throw unexpected(source.length, 'the name of a filter');
  const used = filters.map(({ name, begin, args }) => {
    if (name === 'json') readBackslashesOnce(args);
    const written = (args as readonly ParsedArgument[]).map(writtenArgument);
    checkUse(PARAMETERS.get(name) ?? NO_PARAMETERS, { name, at: begin, args: written });
    return { name, at: begin };
  });
  return { value: new Value(token, liquid()), filters: used };
}

function parse(source: string): ReadValue {
  // Loads outside the `try`, because a failure to load Liquid is not the fault of the source.
  liquid();
  try {
    return readWhole(withLiquidArguments(source));
  } catch (error) {
    throw problemOf(error);
  }
}

/** The error that a filter threw, which LiquidJS wraps. */
const thrownInside = (error: unknown): unknown =>
  error instanceof Error && 'originalError' in error ? error.originalError : error;

function addMember(token: ParsedToken, names: UsedName[]): void {
  const { variable, props = [] } = token;
  const [root] = props as readonly ParsedToken[];
  if (variable === undefined) names.push({ name: String(root?.content), at: root?.begin ?? 0 });
  else if (isLiteral(variable)) throw unexpected(variable.end ?? 0, 'no member of a literal');
  for (const inside of [variable, ...props]) addRoots(inside, names);
}

/** Adds the names that a parsed value starts with, including names inside brackets and ranges. */
function addRoots(token: unknown, names: UsedName[]): void {
  if (typeof token !== 'object' || token === null) return;
  const { kind, lhs, rhs } = token as ParsedToken;
  if (kind === TokenKind.Range) for (const end of [lhs, rhs]) addRoots(end, names);
  if (kind === TokenKind.PropertyAccess) addMember(token, names);
}

/** Every name in an expression. A named argument is a pair of its own name and a value. */
function rootsIn(value: Value): readonly UsedName[] {
  const names: UsedName[] = [];
  for (const token of value.initial.postfix) addRoots(token, names);
  for (const { args } of value.filters)
    for (const argument of args as readonly unknown[])
      addRoots(Array.isArray(argument) ? argument[1] : argument, names);
  return names;
}

/** Parses any expression of the language. Throws {@link ExpressionError}. */
export function liquidExpression(source: string): Expression {
  const { value, filters } = parse(source);
  return {
    names: rootsIn(value),
    filters,
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
