import { longText, type Call } from '../calls.ts';
import {
  get,
  key,
  list,
  part,
  put,
  query,
  remove,
  sorted,
  transact,
  update,
  values,
  when,
  type Members,
} from './a-case.ts';

/** A request that DynamoDB refuses whatever is stored, in a database that has items to lose. */
export interface Refusal {
  readonly title: string;
  readonly call: Call;
}

export const BEFORE_REFUSALS: readonly Call[] = [
  put({ ...key('a'), x: 1, listPk: 'p', listSk: '1' }),
  put({ ...key('b'), x: 2 }),
];

const names = (ExpressionAttributeNames: Members): Members => ({ ExpressionAttributeNames });
const LONG = 'x'.repeat(2_049);

const EXPRESSIONS: readonly Refusal[] = [
  ['a value that no expression uses', put(key('a'), when('attribute_exists(pk)', { ':x': 1 }))],
  ['a value without an expression', put(key('a'), values({ ':x': 1 }))],
  [
    'a name that no expression uses',
    remove(key('a'), { ...when('attribute_exists(pk)'), ...names({ '#x': 'x' }) }),
  ],
  ['no value that an expression uses', put(key('a'), when('x = :x OR x = :y', { ':x': 1 }))],
  [
    'no value that the first condition makes needless',
    put(key('z'), when('attribute_exists(pk) AND x = :x')),
  ],
  ['no name that an expression uses', put(key('a'), when('#x = :x', { ':x': 1 }))],
  ['no values between braces', put(key('a'), when('attribute_exists(pk)', {}))],
  ['no names between braces', put(key('a'), { ...when('attribute_exists(pk)'), ...names({}) })],
  ['an expression without text', put(key('a'), { ConditionExpression: '' })],
  ['an expression that ends early', put(key('a'), when('x ='))],
  ['parentheses that stay open', put(key('a'), when('(attribute_exists(pk)'))],
  ['parentheses in parentheses', put(key('a'), when('((x = :x)) OR x = :x', { ':x': 1 }))],
  ['an expression of more than 4 KB', put(key('a'), when(`x = :x${' OR x = :x'.repeat(500)}`, { ':x': 1 }))],
  ['an order of booleans', put(key('a'), when('x < :x', { ':x': true }))],
  ['an order of lists', put(key('a'), when('x >= :x', { ':x': [1] }))],
  ['bounds of booleans', put(key('a'), when('x BETWEEN :x AND :y', { ':x': false, ':y': true }))],
  ['bounds that are swapped', put(key('a'), when('x BETWEEN :x AND :y', { ':x': 2, ':y': 1 }))],
  ['bounds of two types', put(key('a'), when('x BETWEEN :x AND :y', { ':x': 1, ':y': 'b' }))],
  ['the beginning of a number', put(key('a'), when('begins_with(x, :x)', { ':x': 1 }))],
  [
    'another ReturnValuesOnConditionCheckFailure',
    put(key('a'), { ReturnValuesOnConditionCheckFailure: 'ALL_NEW' }),
  ],
].map(([title, call]) => ({ title, call }) as Refusal);

const KEYS: readonly Refusal[] = [
  ['a partition key without text', put(key('a', ''))],
  ['a sort key without text', put(key(''))],
  ['no sort key', put({ pk: 'p' })],
  ['no key', put({ x: 1 })],
  ['a key of another type', put({ pk: 'p', sk: 1 })],
  ['a partition key of more than 2048 bytes', put(key('a', LONG))],
  ['a sort key of more than 1024 bytes', put(key(LONG.slice(0, 1_025)))],
  ['a key of an index without text', put({ ...key('a'), listPk: '' })],
  ['a key of an index of another type', put({ ...key('a'), listSk: 1 })],
  ['a key of an index that is null', put({ ...key('a'), duePk: null })],
  ['a deletion by half a key', remove({ pk: 'p' })],
  ['a deletion by more than a key', remove({ ...key('a'), x: 1 })],
  ['a deletion by a key without text', remove(key(''))],
  ['a deletion by a long key', remove(key('a', LONG))],
  ['an update of half a key', update({ sk: 'a' }, 'REMOVE x')],
  ['an update of a key without text', update(key('', 'p'), 'REMOVE x')],
  ['an update of the sort key', update(key('a'), 'SET sk = :x', values({ ':x': 'b' }))],
  ['an update of the partition key', update(key('a'), 'REMOVE #k', names({ '#k': 'pk' }))],
  ['an update that empties the key of an index', update(key('a'), 'SET listPk = :x', values({ ':x': '' }))],
  ['an update to another type of key of an index', update(key('a'), 'SET dueSk = :x', values({ ':x': 1 }))],
  ['an attribute without a name', put({ ...key('a'), map: { '': 1 } })],
].map(([title, call]) => ({ title, call }) as Refusal);

const UPDATES: readonly Refusal[] = [
  ['an update that sets an attribute twice', update(key('a'), 'SET x = :x, x = :x', values({ ':x': 1 }))],
  [
    'an update that sets an attribute twice by a name',
    update(key('a'), 'SET x = :x, #x = :x', { ...values({ ':x': 1 }), ...names({ '#x': 'x' }) }),
  ],
  [
    'an update that sets and removes an attribute',
    update(key('a'), 'SET x = :x REMOVE x', values({ ':x': 1 })),
  ],
  ['an update that removes an attribute twice', update(key('a'), 'REMOVE x, x')],
  ['an update without an action', update(key('a'), '')],
  ['an update with two parts of one kind', update(key('a'), 'REMOVE x REMOVE y')],
  ['an update without a value', update(key('a'), 'SET x = :x')],
  ['an update with an unused value', update(key('a'), 'SET x = :x', values({ ':x': 1, ':y': 1 }))],
].map(([title, call]) => ({ title, call }) as Refusal);

const check = (sk: string) => part('ConditionCheck', { Key: key(sk), ...when('attribute_exists(pk)') });

const SEVERAL: readonly Refusal[] = [
  ['a transaction without parts', transact()],
  [
    'a transaction with one item twice',
    transact(part('Put', { Item: key('c') }), part('Delete', { Key: key('c') })),
  ],
  ['a transaction that checks what it writes', transact(check('a'), part('Delete', { Key: key('a') }))],
  [
    'a part with two requests',
    transact({ ...part('Put', { Item: key('c') }), ...part('Delete', { Key: key('d') }) }),
  ],
  ['a part without a request', transact({})],
  ['a check without a condition', transact(part('ConditionCheck', { Key: key('a') }))],
  ['an update without an expression', transact(part('Update', { Key: key('a') }))],
  ['a part with an unused value', transact(part('Put', { Item: key('c'), ...values({ ':x': 1 }) }))],
  ['a part in a table that is missing', transact(part('Put', { Item: key('c'), TableName: 'Missing' }))],
  ['a batch without tables', { call: 'get', input: { RequestItems: {} } }],
  ['a batch without keys', get()],
  ['a batch with one key twice', get(key('a'), key('b'), key('a'))],
  ['a batch with half a key', get({ pk: 'p' })],
  ['a batch with more than a key', get({ ...key('a'), x: 1 })],
  ['a batch with a key without text', get(key(''))],
  [
    'a batch of a table that is missing',
    { call: 'get', input: { RequestItems: { Missing: { Keys: [key('a')] } } } },
  ],
  ['a batch without statements', { call: 'insert', input: { Statements: [] } }],
  ['a put in a table that is missing', { call: 'put', input: { TableName: 'Missing', Item: key('a') } }],
].map(([title, call]) => ({ title, call }) as Refusal);

const QUERIES: readonly Refusal[] = [
  ['a query of a table that is missing', query({ TableName: 'Missing' })],
  ['a query of an index that is missing', query({ IndexName: 'missing' })],
  ['a consistent read of an index', list({ ConsistentRead: true })],
  ['a query without a condition', query({ KeyConditionExpression: undefined })],
  ['a query without the partition', query({ KeyConditionExpression: 'sk = :p' })],
  ['a query of a part of the partitions', query({ KeyConditionExpression: 'begins_with(pk, :p)' })],
  ['a query of an index by the key of the table', list({ KeyConditionExpression: 'pk = :p' })],
  ['a query by another attribute', sorted('x = :x', { ':x': 1 })],
  ['a query by another sort key', sorted('sk <> :x', { ':x': 'a' })],
  ['a query by two sort keys', sorted('sk > :x AND sk < :y', { ':x': 'a', ':y': 'b' })],
  ['a query by one of several sort keys', sorted('sk IN (:x)', { ':x': 'a' })],
  ['a query by no sort key', sorted('attribute_exists(sk)', {})],
  ['a query by one or another', query({ KeyConditionExpression: 'pk = :p OR sk = :p' })],
  ['a query by what is not so', query({ KeyConditionExpression: 'NOT pk = :p' })],
  ['a query of a partition without text', query(values({ ':p': '' }))],
  ['a query of a partition that is a number', query(values({ ':p': 1 }))],
  ['a query of a sort key without text', sorted('sk >= :x', { ':x': '' })],
  ['a query of the beginning of no text', sorted('begins_with(sk, :x)', { ':x': '' })],
  ['a query of a sort key that is a number', sorted('sk >= :x', { ':x': 1 })],
  ['a query whose bounds are swapped', sorted('sk BETWEEN :x AND :y', { ':x': 'b', ':y': 'a' })],
  ['a query with an unused value', query(values({ ':x': 1 }))],
  ['a query with a missing value', query({ KeyConditionExpression: 'pk = :p AND sk = :x' })],
  ['a query of no items', query({ Limit: 0 })],
  ['a query of fewer than no items', query({ Limit: -1 })],
  ['a query of the sizes', query({ Select: 'SIZE' })],
].map(([title, call]) => ({ title, call }) as Refusal);

/** Both refuse these, and the error is the same. */
export const REFUSALS: readonly Refusal[] = [...EXPRESSIONS, ...KEYS, ...UPDATES, ...SEVERAL, ...QUERIES];

/**
 * AWS does not document whether a wrong key cancels a transaction or is an error of the request, so
 * any refusal will do.
 */
export const OPEN_REFUSALS: readonly Refusal[] = [
  ['a part without a sort key', transact(part('Put', { Item: { pk: 'p' } }), check('a'))],
  ['a part whose key has no text', transact(part('Delete', { Key: key('') }), check('a'))],
  ['a part whose key has another type', transact(part('Put', { Item: { pk: 'p', sk: 1 } }), check('a'))],
  ['a part whose key is too long', transact(part('Put', { Item: key('a', LONG) }), check('a'))],
  [
    'a part whose index key has no text',
    transact(part('Put', { Item: { ...key('c'), listPk: '' } }), check('a')),
  ],
  [
    'a part whose index key is too long',
    transact(part('Put', { Item: { ...key('c'), listPk: LONG } }), check('a')),
  ],
  [
    'a part that is too large',
    transact(part('Put', { Item: { ...key('c'), x: longText(410_000) } }), check('a')),
  ],
].map(([title, call]) => ({ title, call }) as Refusal);
