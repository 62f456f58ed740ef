import type { Report } from '../../shared/field-reporter.ts';
import { isJsonObject, type Json } from '../../shared/json.ts';
import { lastFourOf } from '../identifying-value.ts';
import { routingProblem } from './is-aba-routing.ts';
import { textType, type TokenType } from './definition.ts';

/** Reports an ABA routing number that is not nine digits with a valid prefix and checksum. */
function checkRoutingNumber(number: Json, path: string, report: Report): void {
  if (typeof number !== 'string') report(path, 'must be a string');
  else if (!/^\d{9}$/.test(number)) report(path, 'must be 9 digits');
  else {
    const problem = routingProblem(number);
    if (problem !== undefined) report(path, `is not a valid routing number: ${problem}`);
  }
}

/** Reports a bank account number that is not `shortest` to seventeen digits. */
function checkAccountNumber(number: Json, path: string, report: Report, shortest: number): void {
  if (typeof number !== 'string') report(path, 'must be a string');
  else if (!/^\d{1,17}$/.test(number) || number.length < shortest) {
    report(path, shortest > 1 ? `must be ${String(shortest)} to 17 digits` : 'must be up to 17 digits');
  }
}

function required(value: Json | undefined, path: string, report: Report): Json {
  if (value === undefined || value === null) report(path, 'is required');
  return value ?? null;
}

/**
 * The data of a bank account (docs/contract.md#bank-data), without members that a bank account does
 * not have.
 */
function checkBank(data: Json, report: Report): Json {
  if (!isJsonObject(data)) {
    report('data', 'must be an object');
    return data;
  }
  const routing = required(data['routing_number'], 'data.routing_number', report);
  const account = required(data['account_number'], 'data.account_number', report);
  if (routing !== null) checkRoutingNumber(routing, 'data.routing_number', report);
  if (account !== null) checkAccountNumber(account, 'data.account_number', report, 1);
  return { routing_number: routing, account_number: account };
}

export const bank = {
  name: 'bank',
  check: checkBank,
  dataMembers: ['routing_number', 'account_number'],
  texts: ['routing_number', 'account_number'],
  containers: ['/bank/high/'],
  mask: {
    routing_number: '{{ data.routing_number }}',
    account_number: '{{ data.account_number | reveal_last: 4 }}',
  },
  fingerprintExpression: '{{ data.account_number }}|{{ data.routing_number }}',
  searchIndexes: [],
  // The routing number is the bank's, so every masked reader sees it.
  identifying: (data) => lastFourOf(isJsonObject(data) ? data['account_number'] : undefined),
} as const satisfies TokenType;

export const usBankAccountNumber = textType({
  name: 'us_bank_account_number',
  check(data, path, report) {
    checkAccountNumber(data, path, report, 3);
  },
  containers: ['/bank/high/'],
});

export const usBankRoutingNumber = textType({
  name: 'us_bank_routing_number',
  check: checkRoutingNumber,
  containers: ['/bank/low/'],
});
