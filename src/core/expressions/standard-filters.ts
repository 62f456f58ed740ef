import { filters as liquidFilters } from 'liquidjs';
import { booleanArgument, NamedArgument, type FilterArgument } from './arguments.ts';
import type { JsonContext } from './json-context.ts';
import { ExpressionError } from './expression-error.ts';
import { checkKinds, NO_PARAMETERS, type Kind, type Parameters } from './parameters.ts';
import { charge, lengthOf, longest, SHALLOW, textLength, type Cost, type More } from './filter-cost.ts';

/**
 * Comparisons that fit into one step. In the worst case a search compares the argument at each
 * position of the text.
 */
const COMPARES_PER_STEP = 2;
const search =
  (each: number): More =>
  (value, args) =>
    textLength(value) * (each + longest(args) / COMPARES_PER_STEP);

/** A name or path is resolved for each element, part by part. */
const path =
  (each: number, character = 70): More =>
  (value, args) =>
    Math.max(1, lengthOf(value)) * (each + longest(args) * character);

/** A comparison reads two elements, and a sort makes about log2(n) comparisons for each element. */
const sorting =
  (each: number): More =>
  (value, args) => {
    const count = Math.max(2, lengthOf(value));
    return (
      Math.log2(count) * each * (textLength(value) + count * 10) +
      (args.length > 0 ? path(100)(value, args) : 0)
    );
  };

/** Date formats that print names. Liquid creates a formatter for each of them. */
const NAMED_FORMATS = /[aAbBchxXZ]/g;
const dateFormat: More = (_, [format]) => {
  const text = typeof format === 'string' ? format : '';
  return 20_000 + text.length * 500 + (text.match(NAMED_FORMATS) ?? []).length * 70_000;
};

interface StandardFilter extends Cost {
  /** Kinds of the arguments, by position. Those that may be left out end in `?`. */
  readonly takes?: readonly (Kind | `${Kind}?`)[];
  readonly named?: readonly string[];
  /** Runs instead of a filter of this name, which LiquidJS does not have. */
  readonly by?: (
    run: (name: string, value: unknown, ...args: readonly unknown[]) => unknown,
    value: unknown,
    args: readonly unknown[],
  ) => unknown;
}

const ROUNDING: StandardFilter = { each: 16 };
const NUMBER: StandardFilter = { each: 16, takes: ['number'] };
/** `null` is empty text, as in a template. */
const PLAIN_TEXT: StandardFilter = { each: 4, takes: ['value'] };
const REMOVE: StandardFilter = { each: 4, more: search(2), takes: ['text'] };
const REPLACE: StandardFilter = { each: 4, more: search(2), takes: ['text', 'text'] };
/** Reads a member of each element, and compares it. */
const SELECT: StandardFilter = { each: 4, more: path(1_000, 320), takes: ['text', 'value?'] };

/** The alphabet of RFC 4648, 5, with padding, as Liquid writes it. */
const encodeForUrls: StandardFilter['by'] = (run, value) =>
  String(run('base64_encode', value)).replaceAll('+', '-').replaceAll('/', '_');

const decodeFromUrls: StandardFilter['by'] = (run, value) => {
  if (typeof value === 'string' && /[+/]/.test(value)) throw new ExpressionError('has no base64 for URLs');
  return run(
    'base64_decode',
    typeof value === 'string' ? value.replaceAll('-', '+').replaceAll('_', '/') : value,
  );
};

/** Liquid returns what is no date unchanged, and would show all of a value. */
const dateOnly: StandardFilter['by'] = (run, value, args) => {
  const mark = value === 'a date' ? 'no date' : 'a date';
  if (value !== null && value !== undefined && value !== '' && run('date', value, mark) !== mark)
    throw new ExpressionError('has the filter `date` on a value that is no date');
  return run('date', value, ...args);
};

/**
 * The filters of https://shopify.github.io/liquid/. LiquidJS has more, which are left out because
 * they evaluate a text (`where_exp`, ...), draw at random or use the environment.
 */
const STANDARD: Readonly<Record<string, StandardFilter>> = {
  abs: ROUNDING,
  append: PLAIN_TEXT,
  at_least: NUMBER,
  at_most: NUMBER,
  base64_decode: { each: 15 },
  base64_encode: { each: 4 },
  base64_url_safe_decode: { each: 20, by: decodeFromUrls },
  base64_url_safe_encode: { each: 10, by: encodeForUrls },
  capitalize: { each: 6 },
  ceil: ROUNDING,
  compact: { each: 4 },
  concat: { each: 0, more: (value, [other]) => 4 * (lengthOf(value) + lengthOf(other)), takes: ['list'] },
  date: { each: 4, more: dateFormat, takes: ['text'], by: dateOnly },
  default: { ...SHALLOW, takes: ['value'], named: ['allow_false'] },
  divided_by: NUMBER,
  downcase: { each: 6 },
  escape: { each: 30 },
  escape_once: { each: 60 },
  find: SELECT,
  find_index: SELECT,
  first: SHALLOW,
  floor: ROUNDING,
  has: SELECT,
  join: { each: 6, more: (value, args) => lengthOf(value) * (60 + 2 * longest(args)), takes: ['text?'] },
  last: SHALLOW,
  lstrip: { each: 12 },
  map: { each: 0, more: path(180), takes: ['text'] },
  minus: NUMBER,
  modulo: NUMBER,
  newline_to_br: { each: 30 },
  plus: NUMBER,
  prepend: PLAIN_TEXT,
  reject: SELECT,
  remove: { ...REMOVE, more: search(12) },
  remove_first: REMOVE,
  remove_last: REMOVE,
  replace: { ...REPLACE, more: search(12) },
  replace_first: REPLACE,
  replace_last: REPLACE,
  reverse: { each: 0, more: (value) => 4 * lengthOf(value) },
  round: { each: 16, takes: ['number?'] },
  rstrip: { each: 30 },
  size: SHALLOW,
  slice: { each: 45, takes: ['number', 'number?'] },
  sort: { each: 4, more: sorting(6), takes: ['text?'] },
  sort_natural: { each: 4, more: sorting(12), takes: ['text?'] },
  split: { each: 4, more: search(12), takes: ['text'] },
  strip: { each: 30 },
  strip_html: { each: 40 },
  strip_newlines: { each: 30 },
  sum: { each: 4, more: path(180), takes: ['text?'] },
  times: NUMBER,
  truncate: { each: 6, takes: ['number?', 'text?'] },
  truncatewords: { each: 30, takes: ['number?', 'text?'] },
  uniq: { each: 8 },
  upcase: { each: 6 },
  url_decode: { each: 15 },
  url_encode: { each: 30 },
  where: SELECT,
};

/** Standard filters that read their argument only once, so that it may be as long as any value. */
const LONG_ARGUMENTS: readonly string[] = ['append', 'prepend', 'default'];
/**
 * Longest argument of the other filters, which search for it, or resolve it, once for each element
 * (`remove`, `map`, `date`).
 */
const ARGUMENT_MAX_LENGTH = 1_000;

/** A filter as Liquid calls it. */
export type LiquidFilter = (
  this: { readonly context: JsonContext },
  value: unknown,
  ...args: FilterArgument[]
) => unknown;

/** LiquidJS takes a named argument, which is a boolean, as a pair of its name and value. */
const forLiquid = (argument: FilterArgument): FilterArgument =>
  argument instanceof NamedArgument ? [argument.name, booleanArgument(argument.value, false)] : argument;

function standardFilter(name: string, filter: StandardFilter): LiquidFilter {
  const parameters = STANDARD_PARAMETERS.get(name) ?? NO_PARAMETERS;
  return function (value, ...args) {
    const { budget } = this.context;
    if (!LONG_ARGUMENTS.includes(name) && longest(args) > ARGUMENT_MAX_LENGTH)
      throw new ExpressionError(`has the filter \`${name}\` with too long an argument`);
    charge(budget, filter, value, args);
    checkKinds(name, parameters, args);
    // Liquid converts lists to text element by element.
    if (filter.each > 0 && Array.isArray(value)) budget.charge(textLength(value));
    const run = (called: string, on: unknown, ...others: readonly unknown[]) =>
      (liquidFilters as unknown as Readonly<Record<string, LiquidFilter>>)[called]?.call(this, on, ...others);
    const passed = args.map(forLiquid);
    try {
      const result = filter.by === undefined ? run(name, value, ...passed) : filter.by(run, value, passed);
      if (typeof result !== 'number' || Number.isFinite(result)) return result;
    } catch (error) {
      if (error instanceof ExpressionError) throw error;
      throw new ExpressionError(`has the filter \`${name}\`, which fails on this value`);
    }
    throw new ExpressionError(`has the filter \`${name}\` with a result that is not a number`);
  };
}

/** The parameters that each of the standard filters has. */
export const STANDARD_PARAMETERS: ReadonlyMap<string, Parameters> = new Map(
  Object.entries(STANDARD).map(([name, { takes = [], named = [] }]) => [
    name,
    {
      positions: takes.map((takes) => {
        const kind = takes.replace('?', '') as Kind;
        return { kind, isRequired: kind === takes };
      }),
      named,
    },
  ]),
);

/** Liquid's own filters by name. */
export const STANDARD_FILTERS: ReadonlyMap<string, LiquidFilter> = new Map(
  Object.entries(STANDARD).map(([name, filter]) => [name, standardFilter(name, filter)] as const),
);
