import { Drop, filters as liquidFilters } from 'liquidjs';
import type { Json } from '../shared/json.ts';
import { aliasCard, aliasPreserveFormat, aliasPreserveLength } from './alias-filters.ts';
import type { FilterArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import type { JsonContext } from './context.ts';
import { ExpressionError } from './expression-error.ts';
import { cardBin, cardMask, last4, reveal, revealFirst, revealLast } from './masking-filters.ts';
import { json, padLeft, padRight, stringify, toBoolean, toNumber, toText } from './value-filters.ts';
import { chargedTextOf, weigh, WRITE_JSON } from './weight.ts';

type More = (value: unknown, given: readonly FilterArgument[]) => number;

/**
 * What a filter costs, in steps; `npm run bench -- expressions` finds the inputs for which a step
 * takes longest.
 */
interface Cost {
  /** For each character, element and member of its value and arguments. */
  readonly each: number;
  /** What it costs beyond that. */
  readonly more?: More;
}

/** Steps of any filter: its call, and what it reads of a few arguments. */
const CALL = 300;

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0;

/**
 * Length of the longest text among the arguments, at least 1; a named one is a pair of name and
 * value.
 */
const longest = (given: readonly FilterArgument[]): number =>
  given.reduce<number>((length, argument) => {
    const text: unknown = Array.isArray(argument) && argument.length === 2 ? argument[1] : argument;
    return typeof text === 'string' ? Math.max(length, text.length) : length;
  }, 1);

/**
 * A search compares the argument at each place of the text in the worst case; several compares fit
 * into a step.
 */
const COMPARES_PER_STEP = 2;
const search =
  (each: number): More =>
  (value, given) =>
    textLength(value) * (each + longest(given) / COMPARES_PER_STEP);

/** Length of the text that Liquid makes of a value, or more. */
function textLength(value: unknown): number {
  if (Array.isArray(value))
    return (value as readonly unknown[]).reduce<number>((sum, each) => sum + textLength(each), 20);
  return typeof value === 'string' ? value.length : 20;
}

/** A name or path is followed for each element, part by part. */
const path =
  (each: number, character = 70): More =>
  (value, given) =>
    Math.max(1, lengthOf(value)) * (each + longest(given) * character);

/** A comparison looks at two elements, and a sort makes about log2(n) of them for each. */
const sorting =
  (each: number): More =>
  (value, given) => {
    const count = Math.max(2, lengthOf(value));
    return (
      Math.log2(count) * each * (textLength(value) + count * 10) +
      (given.length > 0 ? path(100)(value, given) : 0)
    );
  };

/** The formats of a date that ask the environment for names make a formatter each. */
const NAMED_FORMATS = /[aAbBchxXZ]/g;
const dateFormat: More = (_, [format]) => {
  const text = typeof format === 'string' ? format : '';
  return 20_000 + text.length * 500 + (text.match(NAMED_FORMATS) ?? []).length * 70_000;
};

const NUMBER: Cost = { each: 16 };
const PLAIN_TEXT: Cost = { each: 4 };
/** Looks at a value and not into it. */
const SHALLOW: Cost = { each: 0 };

/**
 * The filters of Liquid itself, as its reference lists them (https://shopify.github.io/liquid/).
 * LiquidJS has more: those that evaluate an expression given as text (`where_exp`, ...), draw at
 * random (`sample`) or touch the environment are left out.
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
  join: { each: 6, more: (value, given) => lengthOf(value) * (60 + 2 * longest(given)) },
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

type Filter = (
  this: { readonly context: JsonContext },
  value: unknown,
  ...given: FilterArgument[]
) => unknown;

/**
 * A mask of several characters makes the text longer by as much, and preserved characters are
 * looked for one by one.
 */
const hiding: Cost = { each: 10, more: (value, given) => lengthOf(value) * (90 + 6 * longest(given)) };
const cardHiding: Cost = { each: 10, more: (value, given) => lengthOf(value) * (90 + 6 * longest(given)) };
const ALIAS_CHARACTER = 1_500;
const ALIAS: Cost = { each: 4, more: (value) => ALIAS_CHARACTER * lengthOf(value) };
const padding: Cost = { each: 4, more: (_, [length]) => (Number(length) > 0 ? Number(length) : 0) };

/**
 * The filters of the service on text (docs/contract.md#filters); everything else reaches them as it
 * reads inside text.
 */
const ON_TEXT: Readonly<
  Record<string, readonly [filter: (text: string, ...given: FilterArgument[]) => unknown, cost: Cost]>
> = {
  last4: [last4, SHALLOW],
  reveal_last: [revealLast, hiding],
  reveal_first: [revealFirst, hiding],
  reveal: [reveal, hiding],
  card_mask: [cardMask, cardHiding],
  card_bin: [cardBin, { each: 40 }],
  alias_card: [aliasCard, ALIAS],
  alias_preserve_format: [aliasPreserveFormat, ALIAS],
  alias_preserve_length: [aliasPreserveLength, ALIAS],
  pad_left: [padLeft, padding],
  pad_right: [padRight, padding],
  to_string: [toText, SHALLOW],
};

/** The filters of the service on any value. */
const ON_VALUES: Readonly<Record<string, Filter>> = {
  json(value, path) {
    return json(present(value), path, this.context.budget);
  },
  stringify(value) {
    charge(this.context.budget, { each: typeof value === 'string' ? 0 : WRITE_JSON }, value, []);
    return stringify(present(value));
  },
  to_number(value) {
    charge(this.context.budget, { each: 10 }, value, []);
    return toNumber(present(value));
  },
  to_boolean(value) {
    charge(this.context.budget, { each: 10 }, value, []);
    return toBoolean(present(value));
  },
};

/**
 * Standard filters whose argument may be as long as any value: they look at none of it more than
 * once.
 */
const LONG_ARGUMENTS: readonly string[] = ['append', 'prepend', 'default'];
/**
 * Longest argument of the others: they search for it, or follow it, once for each element
 * (`remove`, `map`, `date`).
 */
const ARGUMENT_MAX_LENGTH = 1_000;

/** What is missing is `null`, and so are Liquid's own names for it (`nil`, `empty`). */
const present = (value: unknown): Json =>
  value === undefined || value instanceof Drop ? null : (value as Json);

/** Charges for a filter before it runs. */
function charge(
  budget: Budget,
  { each, more }: Cost,
  value: unknown,
  given: readonly FilterArgument[],
): void {
  budget.charge(CALL);
  if (each > 0) for (const part of [value, ...given]) weigh(part, each, budget);
  if (more !== undefined) budget.charge(Math.ceil(more(value, given)));
}

function standardFilter(name: string, cost: Cost): Filter {
  const filter = (liquidFilters as Readonly<Record<string, unknown>>)[name] as Filter | undefined;
  if (filter === undefined) throw new Error(`expressions: LiquidJS no longer has the filter ${name}`);
  return function (value, ...given) {
    if (!LONG_ARGUMENTS.includes(name) && longest(given) > ARGUMENT_MAX_LENGTH)
      throw new ExpressionError('has a filter with too long an argument');
    charge(this.context.budget, cost, value, given);
    // Liquid makes text of lists element by element.
    if (cost.each > 0 && Array.isArray(value)) this.context.budget.charge(textLength(value));
    return filter.call(this, value, ...given);
  };
}

function textFilter(filter: (text: string, ...given: FilterArgument[]) => unknown, cost: Cost): Filter {
  return function (value, ...given) {
    const { budget } = this.context;
    const text = typeof value === 'string' ? value : chargedTextOf(present(value), budget);
    charge(budget, cost, text, given);
    return filter(text, ...given);
  };
}

/** Filters that draw at random what they put in the place of a value. */
export const ALIAS_FILTERS: readonly string[] = [
  'alias_card',
  'alias_preserve_format',
  'alias_preserve_length',
];
/** Filters that hide a part of a value. */
export const MASKING_FILTERS: readonly string[] = [
  'last4',
  'card_bin',
  'reveal_last',
  'reveal_first',
  'reveal',
  'card_mask',
];

/** Every filter of the language by its name. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ...Object.entries(STANDARD).map(([name, cost]) => [name, standardFilter(name, cost)] as const),
  ...Object.entries(ON_TEXT).map(([name, [filter, cost]]) => [name, textFilter(filter, cost)] as const),
  ...Object.entries(ON_VALUES).map(([name, filter]) => [name, filter] as const),
]);
