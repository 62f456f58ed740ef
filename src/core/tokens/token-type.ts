import type { Container } from '../shared/container.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import { checkAccountNumber, checkBank, checkRoutingNumber } from './bank.ts';
import { checkCard, checkCardNumber, identifyingNumber } from './card.ts';
import type { DataCheck, Report } from './data-check.ts';
import { lastFourOf, type IdentifyingValue } from './identifying-value.ts';

/** What a token type brings with it (docs/contract.md#token-types). */
export interface TokenType {
  readonly check: DataCheck;
  readonly containers: readonly Container[];
  /** Mask of tokens that have none of their own; `null` for none. */
  readonly mask: Json;
  readonly fingerprintExpression: string;
  readonly searchIndexes: readonly string[];
  /** What of the data identifies what the token stands for; empty where that is not known. Ids must not tell it. */
  readonly identifying: (data: Json) => readonly IdentifyingValue[];
}

const LAST_FOUR = '{{ data | reveal_last: 4 }}';

/** A type whose data is one text, checked by `check`. */
function textType(
  check: (data: Json, path: string, report: Report) => void,
  definition: Pick<TokenType, 'containers'> & Partial<TokenType>,
): TokenType {
  return {
    check(data, report) {
      check(data, 'data', report);
      return { data };
    },
    mask: LAST_FOUR,
    fingerprintExpression: '{{ data }}',
    searchIndexes: [],
    identifying: lastFourOf,
    ...definition,
  };
}

const checkNineDigits = (data: Json, path: string, report: Report): void => {
  if (typeof data !== 'string') report(path, 'must be a string');
  else if (!/^\d{9}$/.test(data.replaceAll('-', '')) || data.length > 20) report(path, 'must be nine digits');
};

const nineDigits = textType(checkNineDigits, {
  containers: ['/pii/high/'],
  fingerprintExpression: "{{ data | remove: '-' }}",
  searchIndexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
});

/** Every token type by its name. */
export const TOKEN_TYPES = {
  token: {
    check(data, report) {
      if (data === null) report('data', 'must not be null');
      return { data };
    },
    containers: ['/general/high/'],
    mask: null,
    fingerprintExpression: '{{ data | stringify }}',
    searchIndexes: [],
    identifying: () => [],
  },
  card: {
    check: checkCard,
    containers: ['/pci/high/'],
    mask: {
      number: '{{ data.number | reveal_last: 4 }}',
      expiration_month: '{{ data.expiration_month }}',
      expiration_year: '{{ data.expiration_year }}',
    },
    fingerprintExpression: '{{ data.number }}',
    searchIndexes: [],
    identifying: (data) => identifyingNumber(isJsonObject(data) ? data['number'] : undefined),
  },
  bank: {
    check: checkBank,
    containers: ['/bank/high/'],
    mask: {
      routing_number: '{{ data.routing_number }}',
      account_number: '{{ data.account_number | reveal_last: 4 }}',
    },
    fingerprintExpression: '{{ data.account_number }}|{{ data.routing_number }}',
    searchIndexes: [],
    // The routing number is the bank's: every masked reader sees it.
    identifying: (data) => lastFourOf(isJsonObject(data) ? data['account_number'] : undefined),
  },
  card_number: textType(checkCardNumber, { containers: ['/pci/high/'], identifying: identifyingNumber }),
  us_bank_account_number: textType(
    (data, path, report) => {
      checkAccountNumber(data, path, report, 3);
    },
    { containers: ['/bank/high/'] },
  ),
  us_bank_routing_number: textType(checkRoutingNumber, { containers: ['/bank/low/'] }),
  social_security_number: nineDigits,
  employer_id_number: nineDigits,
} as const satisfies Record<string, TokenType>;

export type TokenTypeName = keyof typeof TOKEN_TYPES;

/** Every type name. */
export const TOKEN_TYPE_NAMES = Object.keys(TOKEN_TYPES) as readonly TokenTypeName[];

/** The definition of a type. */
export function tokenType(name: TokenTypeName): TokenType {
  return TOKEN_TYPES[name];
}
