import { isJsonObject, type Json } from '../shared/json.ts';
import { passesAbaChecksum } from './aba-routing.ts';
import type { DataCheck, Report } from './data-check.ts';

/** Reports what is wrong with an ABA routing number: nine digits whose checksum is right. */
export function checkRoutingNumber(number: Json, path: string, report: Report): void {
  if (typeof number !== 'string') report(path, 'must be a string');
  else if (!/^\d{9}$/.test(number)) report(path, 'must be nine digits');
  else if (!passesAbaChecksum(number)) report(path, 'is not a valid routing number');
}

/** Reports what is wrong with a bank account number: digits, from `shortest` to seventeen of them. */
export function checkAccountNumber(number: Json, path: string, report: Report, shortest: number): void {
  if (typeof number !== 'string') report(path, 'must be a string');
  else if (!/^\d{1,17}$/.test(number) || number.length < shortest) {
    report(
      path,
      shortest > 1 ? `must be ${String(shortest)} to seventeen digits` : 'must be up to seventeen digits',
    );
  }
}

function required(value: Json | undefined, path: string, report: Report): Json {
  if (value === undefined || value === null) report(path, 'is required');
  return value ?? null;
}

/**
 * The data of a bank account (docs/contract.md#bank-data). Members that a bank account does not
 * have are dropped.
 */
export const checkBank: DataCheck = (data, report) => {
  if (!isJsonObject(data)) {
    report('data', 'must be an object');
    return { data };
  }
  const routing = required(data['routing_number'], 'data.routing_number', report);
  const account = required(data['account_number'], 'data.account_number', report);
  if (routing !== null) checkRoutingNumber(routing, 'data.routing_number', report);
  if (account !== null) checkAccountNumber(account, 'data.account_number', report, 1);
  return { data: { routing_number: routing, account_number: account } };
};
