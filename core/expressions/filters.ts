import { filters as liquidFilters } from 'liquidjs';
import { aliasCard, aliasPreserveFormat, aliasPreserveLength } from './alias-filters.ts';
import { cardBin, cardMask, last4, reveal, revealFirst, revealLast } from './masking-filters.ts';
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

/** The filters of the service (decisions.md, section 4). */
const OWN = {
  last4,
  reveal_last: revealLast,
  reveal_first: revealFirst,
  reveal,
  card_mask: cardMask,
  card_bin: cardBin,
  alias_card: aliasCard,
  alias_preserve_format: aliasPreserveFormat,
  alias_preserve_length: aliasPreserveLength,
  json,
  stringify,
  pad_left: padLeft,
  pad_right: padRight,
  to_string: toText,
  to_number: toNumber,
  to_boolean: toBoolean,
};

function standardFilter(name: (typeof STANDARD)[number]) {
  const filter = liquidFilters[name];
  if (filter === undefined) throw new Error(`expressions: LiquidJS no longer has the filter ${name}`);
  return filter;
}

/** Every filter of the language by its name. */
export const FILTERS = new Map<string, unknown>([
  ...STANDARD.map((name) => [name, standardFilter(name)] as const),
  ...Object.entries(OWN),
]);
