import { digitsOf, type Kind } from './kind.ts';

const SEPARATOR = ' / ';
const TWO = 2;
const FOUR = 4;
const CENTURY = 2_000;
/** A year that begins so may have four digits. As a year of two digits it has passed. */
const LONG_YEAR = '20';
const MONTHS = 12;
/** Cards are valid for a few years. A later year is a mistake. */
const MOST_YEARS = 30;
/** A month of one digit that nothing can follow, or that a separator ends. */
const ONE_DIGIT_MONTHS = '23456789';
const SEPARATORS = '/-. ';

/** The month with two digits. 0 alone is no month yet. */
const monthOf = (digits: string): string => (digits.length === 1 && digits !== '0' ? `0${digits}` : digits);

/** Month and year of what may be `1230`, `12/30`, `1/30`, `12 / 2030` or `2030-12`. */
function partsOf(text: string): { readonly month: string; readonly year: string } {
  const trimmed = text.trim();
  const at = Array.from(trimmed).findIndex((character) => SEPARATORS.includes(character));
  const digits = digitsOf(trimmed);
  if (at === FOUR && digits.length > FOUR)
    return { month: monthOf(digits.slice(FOUR)), year: digits.slice(0, FOUR) };
  if (at === 1 || ONE_DIGIT_MONTHS.includes(digits.charAt(0) || '-'))
    return { month: monthOf(digits.charAt(0)), year: digits.slice(1) };
  return { month: digits.slice(0, TWO), year: digits.slice(TWO) };
}

function dateOf(text: string) {
  const { month, year } = partsOf(text);
  return { month: Number(month), year: year.length === TWO ? CENTURY + Number(year) : Number(year) };
}

export const cardExpiration: Kind = {
  autocomplete: 'cc-exp',
  inputMode: 'numeric',
  isDigits: true,
  format(text) {
    const { month: digits, year } = partsOf(text);
    const month = digits.slice(0, TWO);
    const long = year.slice(0, FOUR);
    const last = long.slice(TWO);
    // 2020 has four digits: with two it would look like the beginning of a later year.
    const isShortened = long.length === FOUR && long.startsWith(LONG_YEAR) && last !== LONG_YEAR;
    const short = isShortened ? last : long;
    return short === '' ? month : `${month}${SEPARATOR}${short}`;
  },
  check(text, { now, isLeft }) {
    const { month, year } = partsOf(text);
    const number = Number(month);
    const isMonth = month.length < TWO || (number >= 1 && number <= MONTHS);
    const complete =
      month.length === TWO &&
      (year.length === FOUR || (year.length === TWO && (year !== LONG_YEAR || isLeft)));
    if (!complete) return { complete, valid: isMonth && year.length <= FOUR };
    const today = new Date(now);
    const date = dateOf(text);
    const months = (date.year - today.getFullYear()) * MONTHS + date.month - (today.getMonth() + 1);
    const isPast = isMonth && months < 0;
    return { complete, valid: isMonth && !isPast && months <= MOST_YEARS * MONTHS, isPast };
  },
  valueOf(text, part) {
    const { month, year } = dateOf(text);
    if (part === 'month') return month;
    if (part === 'year') return year;
    return `${String(month).padStart(TWO, '0')}/${String(year)}`;
  },
};
