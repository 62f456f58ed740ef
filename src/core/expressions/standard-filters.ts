import { filters as liquidFilters } from 'liquidjs';
import type { FilterArgument } from './arguments.ts';
import type { JsonContext } from './json-context.ts';
import { ExpressionError } from './expression-error.ts';
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

const NUMBER: Cost = { each: 16 };
const PLAIN_TEXT: Cost = { each: 4 };
/**
 * The filters of https://shopify.github.io/liquid/. LiquidJS has more, which are left out because
 * they evaluate a text (`where_exp`, ...), draw at random or use the environment.
 */
const STANDARD: Readonly<Record<string, Cost>> = {
  abs: NUMBER,
  append: PLAIN_TEXT,
  at_least: NUMBER,
  at_most: NUMBER,
  base64_decode: { each: 15 },
  base64_encode: { each: 4 },
  capitalize: { each: 6 },
  ceil: NUMBER,
  compact: { each: 4 },
  concat: { each: 0, more: (value, [other]) => 4 * (lengthOf(value) + lengthOf(other)) },
  date: { each: 4, more: dateFormat },
  default: SHALLOW,
  divided_by: NUMBER,
  downcase: { each: 6 },
  escape: { each: 30 },
  escape_once: { each: 60 },
  first: SHALLOW,
  floor: NUMBER,
  join: { each: 6, more: (value, args) => lengthOf(value) * (60 + 2 * longest(args)) },
  last: SHALLOW,
  lstrip: { each: 12 },
  map: { each: 0, more: path(180) },
  minus: NUMBER,
  modulo: NUMBER,
  newline_to_br: { each: 30 },
  plus: NUMBER,
  prepend: PLAIN_TEXT,
  remove: { each: 4, more: search(12) },
  remove_first: { each: 4, more: search(2) },
  remove_last: { each: 4, more: search(2) },
  replace: { each: 4, more: search(12) },
  replace_first: { each: 4, more: search(2) },
  replace_last: { each: 4, more: search(2) },
  reverse: { each: 0, more: (value) => 4 * lengthOf(value) },
  round: NUMBER,
  rstrip: { each: 30 },
  size: SHALLOW,
  slice: { each: 45 },
  sort: { each: 4, more: sorting(6) },
  sort_natural: { each: 4, more: sorting(12) },
  split: { each: 4, more: search(12) },
  strip: { each: 30 },
  strip_html: { each: 40 },
  strip_newlines: { each: 30 },
  sum: { each: 4, more: path(180) },
  times: NUMBER,
  truncate: { each: 6 },
  truncatewords: { each: 30 },
  uniq: { each: 8 },
  upcase: { each: 6 },
  url_decode: { each: 15 },
  url_encode: { each: 30 },
  where: { each: 4, more: path(1_000, 320) },
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

function standardFilter(name: string, cost: Cost): LiquidFilter {
  return function (value, ...args) {
    const { budget } = this.context;
    if (!LONG_ARGUMENTS.includes(name) && longest(args) > ARGUMENT_MAX_LENGTH)
      throw new ExpressionError('has a filter with too long an argument');
    charge(budget, cost, value, args);
    // Liquid converts lists to text element by element.
    if (cost.each > 0 && Array.isArray(value)) budget.charge(textLength(value));
    return (liquidFilters as unknown as Readonly<Record<string, LiquidFilter>>)[name]?.call(
      this,
      value,
      ...args,
    );
  };
}

/** Liquid's own filters by name. */
export const STANDARD_FILTERS: ReadonlyMap<string, LiquidFilter> = new Map(
  Object.entries(STANDARD).map(([name, cost]) => [name, standardFilter(name, cost)] as const),
);
