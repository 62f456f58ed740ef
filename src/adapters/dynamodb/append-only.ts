/*
 * These settings make the tables of the audit trail append-only. `lib/data-stack.ts` writes them
 * into the template, and the hourly check compares AWS with them (`trail-protection.ts`).
 */

/** Every write of DynamoDB that can change or remove an item. PartiQL's INSERT cannot. */
export const DENIED_WRITES: readonly string[] = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:PartiQLUpdate',
  'dynamodb:PartiQLDelete',
];

/** The attribute from which DynamoDB reads when an item expires. */
export const EXPIRY_ATTRIBUTE = 'ttl';
