import type { Json } from '../shared/json.ts';
import { ExpressionError } from './expression-error.ts';
import { aliasCard, aliasPreserveFormat, aliasPreserveLength } from './alias-filters.ts';
import { valueOf, type FilterArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import { checkKinds, NO_PARAMETERS, type Kind, type Parameters } from './parameters.ts';
import { charge, lengthOf, longest, SHALLOW, type Cost } from './filter-cost.ts';
import { cardBin, cardMask, last4, reveal, revealFirst, revealLast } from './masking-filters.ts';
import { json, padLeft, padRight, stringify, toBoolean, toNumber, toText } from './value-filters.ts';
import { chargedTextOf, WRITE_JSON } from './weight.ts';

/** A filter of the service. It charges the budget before it does any work. */
export type Filter = (budget: Budget, value: Json, args: readonly FilterArgument[]) => Json;

type TextFilter = (text: string, ...args: FilterArgument[]) => Json;

/** The kinds of the arguments that filters of the service take. */
const KINDS = {
  n: 'count',
  first: 'count',
  last: 'count',
  length: 'length',
  bin: 'boolean',
  last4: 'boolean',
  mask: 'short text',
  preserve: 'short text',
  fill: 'short text',
  path: 'path',
} as const satisfies Readonly<Record<string, Kind>>;

/** An argument that is required, and one that may be left out. */
type Parameter = keyof typeof KINDS | `${keyof typeof KINDS}?`;

/** Parameters of a filter of the service, each by position or by name. */
const parametersOf = (parameters: readonly Parameter[]): Parameters => ({
  positions: parameters.map((parameter) => {
    const name = parameter.replace('?', '') as keyof typeof KINDS;
    return { name, kind: KINDS[name], isRequired: name === parameter };
  }),
  named: [],
});

/** The result is longer by the length of the mask, and each character is searched in `preserve`. */
const hiding: Cost = { each: 10, more: (value, args) => lengthOf(value) * (90 + 6 * longest(args)) };
const cardHiding: Cost = { each: 10, more: (value, args) => lengthOf(value) * (90 + 6 * longest(args)) };
const ALIAS_CHARACTER = 1_500;
const ALIAS: Cost = { each: 4, more: (value) => ALIAS_CHARACTER * lengthOf(value) };
const padding: Cost = { each: 4, more: (_, [length]) => (Number(length) > 0 ? Number(length) : 0) };

/**
 * Filters of the service on text (docs/contract.md#filters). Any other value is converted to text
 * first; those that show a part take no object and no list.
 */
const ON_TEXT: Readonly<
  Record<string, readonly [filter: TextFilter, cost: Cost, ...parameters: readonly Parameter[]]>
> = {
  last4: [last4, SHALLOW],
  reveal_last: [revealLast, hiding, 'n', 'mask?'],
  reveal_first: [revealFirst, hiding, 'n', 'mask?'],
  reveal: [reveal, hiding, 'first?', 'last?', 'mask?', 'preserve?'],
  card_mask: [cardMask, cardHiding, 'bin?', 'last4?', 'mask?', 'preserve?'],
  card_bin: [cardBin, { each: 40 }],
  pad_left: [padLeft, padding, 'length', 'fill?'],
  pad_right: [padRight, padding, 'length', 'fill?'],
  to_string: [toText, SHALLOW],
};

/** Filters of the service on text that draw random characters. */
const ALIASES = {
  alias_card: [aliasCard, 'bin?', 'last4?'],
  alias_preserve_format: [aliasPreserveFormat, 'first?', 'last?'],
  alias_preserve_length: [aliasPreserveLength, 'first?', 'last?'],
} as const;

/** Filters of the service that take a value of any type. */
const ON_VALUES: Readonly<Record<string, Filter>> = {
  json: (budget, value, [path]) => json(value, valueOf(path) as string, budget),
  stringify(budget, value) {
    charge(budget, { each: typeof value === 'string' ? 0 : WRITE_JSON }, value, []);
    return stringify(value);
  },
  to_number(budget, value) {
    charge(budget, { each: 10 }, value, []);
    return toNumber(value);
  },
  to_boolean(budget, value) {
    charge(budget, { each: 10 }, value, []);
    return toBoolean(value);
  },
};

function textFilter(filter: TextFilter, cost: Cost): Filter {
  return (budget, value, args) => {
    const text = typeof value === 'string' ? value : chargedTextOf(value, budget);
    charge(budget, cost, text, args);
    return filter(text, ...args);
  };
}

/** The budget of the evaluation has the random source. */
function aliasFilter([filter]: (typeof ALIASES)[keyof typeof ALIASES]): Filter {
  return (budget, value, args) => {
    const draw: TextFilter = (text, ...rest) => filter(budget.randomInt, text, ...rest);
    return textFilter(draw, ALIAS)(budget, value, args);
  };
}

/** Filters that replace a value with random characters. */
export const ALIAS_FILTERS: readonly string[] = Object.keys(ALIASES);
/** Filters that hide a part of a value. */
export const MASKING_FILTERS: readonly string[] = [
  'last4',
  'card_bin',
  'reveal_last',
  'reveal_first',
  'reveal',
  'card_mask',
];

/** The parameters that each filter of the service has. */
export const OWN_PARAMETERS: ReadonlyMap<string, Parameters> = new Map<string, Parameters>([
  ...Object.entries(ON_TEXT).map(([name, [, , ...parameters]]) => [name, parametersOf(parameters)] as const),
  ...Object.entries(ALIASES).map(([name, [, ...parameters]]) => [name, parametersOf(parameters)] as const),
  ...Object.keys(ON_VALUES).map((name) => [name, NO_PARAMETERS] as const),
  ['json', parametersOf(['path'])],
]);

/** A part of the JSON of an object could be any of its members, such as the cvc of a card. */
function checkPart(name: string, value: Json): void {
  const showsPart = MASKING_FILTERS.includes(name) || ALIAS_FILTERS.includes(name);
  if (showsPart && typeof value === 'object' && value !== null)
    throw new ExpressionError(`has the filter \`${name}\` on an object or a list; it takes a text`);
}

const ofText =
  (name: string, filter: Filter): Filter =>
  (budget, value, args) => {
    checkPart(name, value);
    return filter(budget, value, args);
  };

/**
 * The filters of the service by name; `standard-filters.ts` has those of Liquid. The
 * caller of one has checked its arguments: `misfit` those of a source, {@link checkOwnKinds} those
 * of the data.
 */
export const OWN_FILTERS: ReadonlyMap<string, Filter> = new Map(
  [
    ...Object.entries(ON_TEXT).map(([name, [filter, cost]]) => [name, textFilter(filter, cost)] as const),
    ...Object.entries(ALIASES).map(([name, filter]) => [name, aliasFilter(filter)] as const),
    ...Object.entries(ON_VALUES),
  ].map(([name, filter]) => [name, ofText(name, filter)]),
);

/** Throws {@link ExpressionError} for an argument of a kind that a filter of the service lacks. */
export const checkOwnKinds = (name: string, args: readonly FilterArgument[]): void => {
  checkKinds(name, OWN_PARAMETERS.get(name) ?? NO_PARAMETERS, args);
};
