import { dynaliteDb } from './dynalite.ts';
import type { DynaliteError } from './dynalite-types.ts';
import type { AttributeValue, Item } from './item.ts';
import type { TableDescription } from './table.ts';

/** A value of an attribute is at level 1, an element of a list or map one below it. */
const MAX_LEVELS = 32;
const MAX_DIGITS = 38;
const MAX_INTEGER_DIGITS = 126;
const MAX_KEY_BYTES = { HASH: 2048, RANGE: 1024 };

/** A number in a request is valid; the result of an update's arithmetic may not be. */
function numberProblem(text: string): string | undefined {
  const [integer = '', fraction = ''] = text.replace('-', '').split('.');
  if (integer.length > MAX_INTEGER_DIGITS)
    return 'Number overflow. Attempting to store a number with magnitude larger than supported range';
  const significant = `${integer}${fraction}`.replace(/^0+/, '').replace(/0+$/, '');
  return significant.length > MAX_DIGITS
    ? 'Attempting to store more than 38 significant digits in a Number'
    : undefined;
}

function mapProblem(members: Item, level: number): string | undefined {
  if ('' in members) return 'Empty attribute name';
  return firstProblem(Object.values(members), level);
}

function firstProblem(values: readonly AttributeValue[], level: number): string | undefined {
  for (const value of values) {
    const problem = valueProblem(value, level);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function valueProblem({ N, L, M }: AttributeValue, level: number): string | undefined {
  if (level > MAX_LEVELS)
    return 'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
  if (N !== undefined) return numberProblem(N);
  if (M !== undefined) return mapProblem(M, level + 1);
  return L === undefined ? undefined : firstProblem(L, level + 1);
}

function keyBytes({ S, B }: AttributeValue): number {
  return S === undefined ? Buffer.byteLength(B ?? '', 'base64') : Buffer.byteLength(S);
}

function indexKeyProblem(table: TableDescription, item: Item): string | undefined {
  const keys = (table.GlobalSecondaryIndexes ?? []).flatMap(({ KeySchema }) => KeySchema);
  const tooLong = keys.some(
    ({ AttributeName, KeyType }) => keyBytes(item[AttributeName] ?? {}) > MAX_KEY_BYTES[KeyType],
  );
  return tooLong ? 'One or more parameter values were invalid: Size limit exceeded' : undefined;
}

/**
 * The problem of a value that DynamoDB rejects and dynalite would store
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html).
 */
export function limitExceeded(table: TableDescription, item: Item): DynaliteError | undefined {
  const problem = mapProblem(item, 1) ?? indexKeyProblem(table, item);
  return problem === undefined ? undefined : dynaliteDb.validationError(problem);
}
