import type { Content } from '../core/shared/content.ts';
import { endOfString } from '../core/shared/json-strings.ts';
import type { Json } from '../core/shared/json.ts';
import { parseJson } from '../core/shared/parse-json.ts';
import { ServiceError } from '../core/shared/service-error.ts';

/** Deepest nesting of objects and arrays (decisions.md, section 1). */
const DEPTH_MAX = 64;
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

/** A decimal number as its digits without leading and trailing zeros, and its exponent: equal for equal values. */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${String(Number(exponent) - fraction.length + digits.length - significant.length)}`;
}

/** Whether a number of the text would come back as another one: JSON has more numbers than a double can hold (RFC 8259, section 6). */
function losesPrecision(text: string): boolean {
  const value = Number(text);
  return !Number.isFinite(value) || decimal(String(value)) !== decimal(text);
}

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/iy;
/** Numbers this short are always exact. */
const EXACT_LENGTH = 15;

/** Walks the text outside of strings: how deep it nests, and whether each long number survives. */
function check(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > DEPTH_MAX) throw refused(`The body is nested deeper than ${String(DEPTH_MAX)} levels.`);
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (code >= 0x30 && code <= 0x39) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text)?.[0] ?? '';
      const mayLose = number.length > EXACT_LENGTH || /e/i.test(number);
      if (mayLose && losesPrecision(number))
        throw refused('The body has a number that cannot be kept exactly; send it as a string.');
      at += Math.max(number.length - 1, 0);
    }
  }
}

/**
 * Parses a JSON body. Throws `validation_failed` if it is not JSON in UTF-8, nests deeper than 64 levels, or holds a number that would not
 * come back as it went in.
 */
export function parseJsonBody({ text: whole }: Content): Json {
  if (whole === undefined) throw refused(NOT_JSON);
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(BYTE_ORDER_MARK.length) : whole;
  let value: Json;
  try {
    check(text);
    value = parseJson(text);
  } catch (error) {
    // A syntax error of JSON.parse quotes the text, which may be card data: it is neither shown nor kept.
    throw error instanceof ServiceError ? error : refused(NOT_JSON);
  }
  return value;
}
