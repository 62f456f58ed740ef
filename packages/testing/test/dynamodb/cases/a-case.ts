import type { Call } from '../calls.ts';

/** Calls to an empty database, and what they show about it. */
export interface Case {
  readonly title: string;
  readonly calls: readonly Call[];
}

export type Members = Readonly<Record<string, unknown>>;

const TABLE = 'Tokens';

/** Short forms of the calls that the cases make, most of them to one table. */
export const key = (sk: string, pk = 'p') => ({ pk, sk });
export const put = (Item: Members, more: Members = {}): Call => ({
  call: 'put',
  input: { TableName: TABLE, Item, ...more },
});
export const remove = (Key: Members, more: Members = {}): Call => ({
  call: 'delete',
  input: { TableName: TABLE, Key, ...more },
});
export const update = (Key: Members, UpdateExpression: string, more: Members = {}): Call => ({
  call: 'update',
  input: { TableName: TABLE, Key, UpdateExpression, ...more },
});
export const get = (...Keys: readonly Members[]): Call => ({
  call: 'get',
  input: { RequestItems: { [TABLE]: { Keys, ConsistentRead: true } } },
});
export const transact = (...TransactItems: readonly Members[]): Call => ({
  call: 'transact',
  input: { TransactItems },
});
/** Makes a part of a transaction. */
export const part = (kind: 'Put' | 'Delete' | 'Update' | 'ConditionCheck', request: Members): Members => ({
  [kind]: { TableName: TABLE, ...request },
});

export const values = (ExpressionAttributeValues: Members, more: Members = {}): Members => ({
  ExpressionAttributeValues,
  ...more,
});
/** A condition that shows the item that it found. */
export const when = (ConditionExpression: string, passed?: Members): Members => ({
  ConditionExpression,
  ...(passed && values(passed)),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/** Queries the partition `p` of the table or of an index. */
export const query = (more: Members = {}): Call => ({
  call: 'query',
  input: {
    TableName: TABLE,
    KeyConditionExpression: 'pk = :p',
    ...more,
    ExpressionAttributeValues: { ':p': 'p', ...(more['ExpressionAttributeValues'] as Members | undefined) },
  },
});
export const sorted = (condition: string, passed: Members, more: Members = {}): Call =>
  query({ ...values(passed), KeyConditionExpression: `pk = :p AND ${condition}`, ...more });
export const list = (more: Members = {}): Call =>
  query({ IndexName: 'list', KeyConditionExpression: 'listPk = :p', ...more });
/** Reads all pages of a query. */
export const walk = (page: Call): Call => ({ ...page, call: 'walk' }) as Call;

export const insert = (...items: readonly Readonly<Record<string, object>>[]): Call => ({
  call: 'insert',
  input: { Statements: items.map((item) => statement(item)) },
});
/** An item in DynamoDB's own format, as a statement that inserts it. */
export const statement = (item: Readonly<Record<string, object>>, table = 'Audit') => ({
  Statement: `INSERT INTO "${table}" VALUE {${Object.keys(item)
    .map((name) => `'${name}': ?`)
    .join(', ')}}`,
  Parameters: Object.values(item),
});
export const expire = (seconds: number): Call => ({ call: 'expire', seconds });
