import type { Content } from '../core/shared/content.ts';
import { DEPTH_MAX, JsonExtentError, MEMBERS_MAX, membersOf } from '../core/shared/json-extent.ts';
import type { Json } from '../core/shared/json.ts';
import { parseJson } from '../core/shared/parse-json.ts';
import { ServiceError } from '../core/shared/service-error.ts';

/** May stand before the text and be ignored (RFC 8259, section 8.1). */
const BYTE_ORDER_MARK = '\ufeff';
const NOT_JSON = 'The body is not valid JSON.';

function refused(detail: string): ServiceError {
  return new ServiceError('validation_failed', detail);
}

/** `/0+$/` would look at every run of zeros again from each of its zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/**
 * A decimal number as its digits without leading and trailing zeros, and its exponent: equal for
 * equal values.
 */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${String(Number(exponent) - fraction.length + digits.length - significant.length)}`;
}

/**
 * Whether a number of the text would come back as another one: JSON has more numbers than a double
 * can hold (RFC 8259, section 6).
 */
function losesPrecision(text: string): boolean {
  const value = Number(text);
  return !Number.isFinite(value) || decimal(String(value)) !== decimal(text);
}

/** Numbers this short are always exact, unless they have an exponent. */
const EXACT_LENGTH = 15;
const NUMBER = /^-?\d/;

function checkNumber(text: string): void {
  const mayLose = text.length > EXACT_LENGTH || /e/i.test(text);
  if (mayLose && NUMBER.test(text) && losesPrecision(text))
    throw refused('The body has a number that cannot be kept exactly; send it as a string.');
}

const isString = (text: string, start: number): boolean => text.charCodeAt(start) === 0x22;

/**
 * Looks at a text before anything is made of it: how deep it nests, how much it holds, and whether
 * each long number survives.
 */
function check(text: string): void {
  membersOf(text, {
    look: (start, end) => {
      if (!isString(text, start)) checkNumber(text.slice(start, end));
    },
  });
}

const EXCESS = {
  depth: `The body is nested deeper than ${String(DEPTH_MAX)} levels.`,
  members: `The body holds more than ${MEMBERS_MAX.toLocaleString('en')} elements and members.`,
} as const;

/**
 * Parses a JSON body. Throws `validation_failed` if it is not JSON in UTF-8, nests deeper than 64
 * levels, holds more than 100,000 elements and members, or a number that would not come back as it
 * went in.
 */
export function parseJsonBody({ text: whole }: Content): Json {
  if (whole === undefined) throw refused(NOT_JSON);
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(BYTE_ORDER_MARK.length) : whole;
  let value: Json;
  try {
    check(text);
    value = parseJson(text);
  } catch (error) {
    if (error instanceof JsonExtentError) throw refused(EXCESS[error.exceeds]);
    // A syntax error of JSON.parse quotes the text, which may be card data: it is neither shown nor
    // kept.
    throw error instanceof ServiceError ? error : refused(NOT_JSON);
  }
  return value;
}
