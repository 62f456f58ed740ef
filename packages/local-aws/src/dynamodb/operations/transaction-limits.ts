import { validationFailure } from '../failures.ts';

export const MAX_TRANSACTION_ITEMS = 100;
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/** `keys` are table and item together. Throws AwsError ValidationException when one comes twice. */
export function requireDistinct(keys: readonly string[]): void {
  if (new Set(keys).size === keys.length) return;
  throw validationFailure('Transaction request cannot include multiple operations on one item');
}
