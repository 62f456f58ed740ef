import { Drop, filters as liquidFilters, type Context } from 'liquidjs';
import type { Json } from '../shared/json.ts';
import { aliasCard, aliasPreserveFormat, aliasPreserveLength } from './alias-filters.ts';
import type { FilterArgument } from './arguments.ts';
import { ExpressionError } from './expression-error.ts';
import { cardBin, cardMask, last4, reveal, revealFirst, revealLast } from './masking-filters.ts';
import { textOf } from './text-of.ts';
import { json, padLeft, padRight, stringify, toBoolean, toNumber, toText } from './value-filters.ts';

/**
 * The filters of Liquid itself, as its reference lists them (https://shopify.github.io/liquid/). LiquidJS has more: those that
 * evaluate an expression given as text (`where_exp`, ...), draw at random (`sample`) or touch the environment are left out.
 */
const STANDARD = [
  'abs',
  'append',
  'at_least',
  'at_most',
  'base64_decode',
  'base64_encode',
  'capitalize',
  'ceil',
  'compact',
  'concat',
  'date',
  'default',
  'divided_by',
  'downcase',
  'escape',
  'escape_once',
  'first',
  'floor',
  'join',
  'last',
  'lstrip',
  'map',
  'minus',
  'modulo',
  'newline_to_br',
  'plus',
  'prepend',
  'remove',
  'remove_first',
  'remove_last',
  'replace',
  'replace_first',
  'replace_last',
  'reverse',
  'round',
  'rstrip',
  'size',
  'slice',
  'sort',
  'sort_natural',
  'split',
  'strip',
  'strip_html',
  'strip_newlines',
  'sum',
  'times',
  'truncate',
  'truncatewords',
  'uniq',
  'upcase',
  'url_decode',
  'url_encode',
  'where',
] as const;

type Filter = (this: { readonly context: Context }, value: unknown, ...given: FilterArgument[]) => unknown;

/** The filters of the service on text (decisions.md, section 4); everything else reaches them as it reads inside text. */
const ON_TEXT = {
  last4,
  reveal_last: revealLast,
  reveal_first: revealFirst,
  reveal,
  card_mask: cardMask,
  card_bin: cardBin,
  alias_card: aliasCard,
  alias_preserve_format: aliasPreserveFormat,
  alias_preserve_length: aliasPreserveLength,
  pad_left: padLeft,
  pad_right: padRight,
  to_string: toText,
};

/** The filters of the service on any value. */
const ON_VALUES = { json, stringify, to_number: toNumber, to_boolean: toBoolean };

/** Standard filters whose argument may be as long as any value: they look at none of it more than once. */
const LONG_ARGUMENTS: readonly string[] = ['append', 'prepend', 'default'];
/** Longest argument of the others: they search for it, or follow it, once for each element (`remove`, `map`, `date`). */
const ARGUMENT_MAX_LENGTH = 1_000;

/** What is missing is `null`, and so are Liquid's own names for it (`nil`, `empty`). */
const present = (value: unknown): Json =>
  value === undefined || value instanceof Drop ? null : (value as Json);

/** Length of the longest text among the arguments, at least 1; a named one is a pair of name and value. */
const longest = (given: readonly FilterArgument[]): number =>
  given.reduce<number>((length, argument) => {
    const text: unknown = Array.isArray(argument) && argument.length === 2 ? argument[1] : argument;
    return typeof text === 'string' ? Math.max(length, text.length) : length;
  }, 1);

/** Takes `amount` out of what the evaluation may use, and stops it when its time is over. */
function spend(context: Context, amount: number): void {
  context.renderLimit.check(performance.now());
  context.memoryLimit.use(amount);
}

/** LiquidJS counts most of what its filters produce; what goes into them is counted here, so that none is free. */
function standardFilter(name: (typeof STANDARD)[number]): Filter {
  const filter = liquidFilters[name] as Filter | undefined;
  if (filter === undefined) throw new Error(`expressions: LiquidJS no longer has the filter ${name}`);
  return function (value, ...given) {
    spend(this.context, typeof value === 'string' || Array.isArray(value) ? value.length : 0);
    if (!LONG_ARGUMENTS.includes(name) && longest(given) > ARGUMENT_MAX_LENGTH)
      throw new ExpressionError('has a filter with too long an argument');
    return filter.call(this, value, ...given);
  };
}

/** A mask of several characters makes the text longer by as much, so that is what it costs. */
function textFilter(filter: (text: string, ...given: FilterArgument[]) => unknown): Filter {
  return function (value, ...given) {
    const text = textOf(present(value));
    spend(this.context, text.length * longest(given));
    return filter(text, ...given);
  };
}

function valueFilter(filter: (value: Json, path?: unknown) => unknown): Filter {
  return function (value, ...given) {
    spend(this.context, typeof value === 'string' ? value.length : 0);
    return filter(present(value), ...given);
  };
}

/** Every filter of the language by its name. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ...STANDARD.map((name) => [name, standardFilter(name)] as const),
  ...Object.entries(ON_TEXT).map(([name, filter]) => [name, textFilter(filter)] as const),
  ...Object.entries(ON_VALUES).map(([name, filter]) => [name, valueFilter(filter)] as const),
]);
