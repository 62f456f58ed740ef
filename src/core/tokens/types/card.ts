import { binLength } from '../../expressions/masking-filters.ts';
import { cardBrand } from './card-brand.ts';
import { defined } from '../../shared/defined.ts';
import type { Report } from '../../shared/field-reporter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import type { IdentifyingValue } from '../identifying-value.ts';
import { textType, type TokenType } from './definition.ts';
import { passesLuhn } from './passes-luhn.ts';

const NUMBER = /^\d{12,19}$/;
const CVC = /^\d{3,4}$/;

/**
 * Reports a card number that is not 12 to 19 digits, without separators, that pass the Luhn check
 * and are not all zero.
 */
function checkCardNumber(number: Json, path: string, report: Report): void {
  if (typeof number !== 'string') report(path, 'must be a string');
  else if (!NUMBER.test(number)) report(path, 'must be 12 to 19 digits; remove blanks and dashes');
  else if (!passesLuhn(number)) {
    const problem = Number(number) === 0 ? 'it is all zeros' : 'its check digit (Luhn) does not fit';
    report(path, `is not a valid card number: ${problem}`);
  }
}

/**
 * A card number of which the BIN and the last four digits may be shown (PCI DSS 4.0.1, requirement
 * 3.4.1).
 */
function identifyingNumber(number: Json | undefined): readonly IdentifyingValue[] {
  return typeof number === 'string' ? [{ value: number, first: binLength(number.length), last: 4 }] : [];
}

/** Reads a whole number, which may be text; `undefined` for anything else. */
function wholeNumber(value: Json): number | undefined {
  const number = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}

function checkedNumber(
  value: Json | undefined,
  range: readonly [number, number],
  path: string,
  what: string,
  report: Report,
) {
  if (value === undefined || value === null) return undefined;
  const number = wholeNumber(value);
  if (number === undefined || number < range[0] || number > range[1]) report(path, what);
  return number;
}

function checkedCvc(value: Json | undefined, report: Report): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'number' && Number.isInteger(value) ? String(value) : value;
  if (typeof text === 'string' && CVC.test(text)) return text;
  report('data.cvc', 'must be three or four digits');
  return undefined;
}

/**
 * The data of a card (docs/contract.md#card-data), without members that a card does not have. A
 * past expiry is accepted.
 */
function checkCard(data: Json, report: Report): Json {
  if (!isJsonObject(data)) {
    report('data', 'must be an object');
    return data;
  }
  const number = data['number'] ?? null;
  if (number === null) report('data.number', 'is required');
  else checkCardNumber(number, 'data.number', report);
  const month = checkedNumber(
    data['expiration_month'],
    [1, 12],
    'data.expiration_month',
    'must be a month from 1 to 12',
    report,
  );
  const year = checkedNumber(
    data['expiration_year'],
    [1000, 9999],
    'data.expiration_year',
    'must be a four-digit year',
    report,
  );
  const cvc = checkedCvc(data['cvc'], report);
  return defined({ number, expiration_month: month, expiration_year: year, cvc });
}

/** Details that the first digits of a number reveal, if these are shown. */
function enrichmentsOf(number: Json | undefined): JsonObject | undefined {
  if (typeof number !== 'string' || !/^\d+$/.test(number)) return undefined;
  return { bin_details: { card_brand: cardBrand(number), bin_length: binLength(number.length) } };
}

const numberOf = (data: Json): Json | undefined => (isJsonObject(data) ? data['number'] : undefined);

export const card = {
  name: 'card',
  check: checkCard,
  dataMembers: ['number', 'expiration_month', 'expiration_year', 'cvc'],
  texts: ['number'],
  containers: ['/pci/high/'],
  mask: {
    number: '{{ data.number | reveal_last: 4 }}',
    expiration_month: '{{ data.expiration_month }}',
    expiration_year: '{{ data.expiration_year }}',
  },
  fingerprintExpression: '{{ data.number }}',
  hasPartialFingerprint: true,
  renewable: ['expiration_month', 'expiration_year'],
  searchIndexes: [],
  maskedIndexes: ['{{ data.number | last4 }}'],
  identifying: (data) => identifyingNumber(numberOf(data)),
  separateMember: 'cvc',
  enrich: (shown) => enrichmentsOf(numberOf(shown)),
} as const satisfies TokenType;

export const cardNumber = textType({
  name: 'card_number',
  check: checkCardNumber,
  containers: ['/pci/high/'],
  maskedIndexes: ['{{ data | last4 }}'],
  identifying: identifyingNumber,
  enrich: enrichmentsOf,
});
