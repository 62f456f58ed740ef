import {
  AUTOCOMPLETE_NAMES,
  FIELD_BRANDS,
  INPUT_MODES,
  STYLE_PROPERTIES,
  STYLE_STATES,
  type FieldTexts,
  type FixedOptions,
} from './protocol.ts';
import { NO_OPTIONS, type PageOptions } from './surroundings.ts';

const TEXTS = ['empty', 'incomplete', 'invalid', 'past'] as const satisfies readonly (keyof FieldTexts)[];
/** Names that people use for a brand beside its own. */
const OTHER_NAMES = new Map([
  ['amex', 'american-express'],
  ['diners', 'diners-club'],
  ['mc', 'mastercard'],
  ['cup', 'unionpay'],
]);

/** The options that are decided when a field is made. */
export const FIXED_OPTIONS = [
  'required',
  'maxLength',
  'inputMode',
  'autocomplete',
] as const satisfies readonly (keyof FixedOptions)[];
/** The options of a field that all fields of a form may share. */
export const SHARED_OPTIONS = [
  'locale',
  'style',
  'colorScheme',
  'direction',
] as const satisfies readonly (keyof PageOptions)[];
export const PAGE_OPTIONS: readonly string[] = Object.keys(NO_OPTIONS);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');

/** Throws `TypeError` for a name that is not known; it says which ones are. */
export function requireKnown(name: unknown, known: readonly string[], what: string): void {
  const text = String(name);
  if (known.includes(text)) return;
  const meant = known.find((each) => plain(each) === plain(text)) ?? OTHER_NAMES.get(plain(text));
  const hint = meant === undefined || !known.includes(meant) ? '' : ` Say '${meant}'.`;
  throw new TypeError(`There is no ${what} '${text}'.${hint} Known: ${known.join(', ')}`);
}

/** Throws `TypeError` for a member that is not known. */
export function requireNames(value: unknown, known: readonly string[], what: string): void {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(`An object is missing, with a name for each ${what}. Known: ${known.join(', ')}`);
  for (const name of Object.keys(value)) requireKnown(name, known, what);
}

function checkStyle(style: object, known: readonly string[]): void {
  requireNames(style, known, 'state of a style');
  for (const [state, rules] of Object.entries(style))
    if (rules === undefined) continue;
    else if (state === 'dark') checkStyle(rules as object, STYLE_STATES);
    else requireNames(rules, STYLE_PROPERTIES, 'property of a style');
}

/** Lists the options whose value is one of a few. */
const CHOICES = {
  direction: ['ltr', 'rtl'],
  colorScheme: ['light', 'dark'],
  inputMode: INPUT_MODES,
  autocomplete: AUTOCOMPLETE_NAMES,
} as const;

/** Throws `TypeError` for options of a field that are not known, or have names that are not. */
export function checkOptions(options: PageOptions & FixedOptions, known: readonly string[]): void {
  requireNames(options, known, 'option');
  const { brands, style, texts } = options;
  if (brands !== undefined) {
    if (!Array.isArray(brands)) throw new TypeError('The option brands is a list');
    for (const brand of brands) requireKnown(brand, FIELD_BRANDS, 'brand');
  }
  if (style !== undefined) checkStyle(style, [...STYLE_STATES, 'dark']);
  if (texts !== undefined) requireNames(texts, TEXTS, 'text');
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = options[name as keyof typeof CHOICES];
    if (value !== undefined) requireKnown(value, choices, name);
  }
}
