import type { AttributeValue, Item } from '../../../../src/dynamodb/item.ts';
import { aThing, n, ofBytes, s, thingKey } from '../../a-dynamodb.ts';
import { list, map, placeholders, section, type Step } from './step.ts';

const put = (Item: Item, more: object = {}): object => ({ TableName: 'Things', Item, ...more });
const about = (Key: Item, more: object = {}): object => ({ TableName: 'Things', Key, ...more });
const condition = (ConditionExpression: string): object => ({
  ConditionExpression,
  ...placeholders(ConditionExpression),
});
const RETURN_OLD = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };
const key = thingKey('items');

/** PutItem, GetItem, UpdateItem and DeleteItem of one item, and their return values. */
export const itemSteps: readonly Step[] = section('item', [
  ['get of nothing', 'GetItem', about(key)],
  ['put', 'PutItem', put(aThing('items', '1', { v: n(1) }))],
  ['put over it returns it', 'PutItem', put(aThing('items', '1', { v: n(2) }), { ReturnValues: 'ALL_OLD' })],
  ['put of a new item returns none', 'PutItem', put(aThing('items', '2'), { ReturnValues: 'ALL_OLD' })],
  ['put cannot return the new item', 'PutItem', put(aThing('items', '2'), { ReturnValues: 'ALL_NEW' })],
  ['get', 'GetItem', about(key)],
  ['consistent get', 'GetItem', about(key, { ConsistentRead: true, ...INDEXES })],
  ['a failed condition', 'PutItem', put(aThing('items', '1'), condition('attribute_not_exists(pk)'))],
  [
    'a failed condition returns the item',
    'PutItem',
    put(aThing('items', '1'), { ...condition('v = :one'), ...RETURN_OLD }),
  ],
  [
    'a failed condition on no item',
    'UpdateItem',
    about(thingKey('items', 'none'), { ...condition('attribute_exists(pk)'), ...RETURN_OLD }),
  ],
  [
    'a failed condition of UpdateItem',
    'UpdateItem',
    about(key, {
      UpdateExpression: 'SET v = :ten',
      ConditionExpression: 'v = :five',
      ...placeholders('SET v = :ten v = :five'),
      ...RETURN_OLD,
    }),
  ],
  [
    'a failed condition of DeleteItem',
    'DeleteItem',
    about(key, { ...condition('v = :five'), ...RETURN_OLD, ReturnValues: 'ALL_OLD' }),
  ],
  ['delete of nothing', 'DeleteItem', about(thingKey('items', 'none'), { ReturnValues: 'ALL_OLD' })],
  ['delete of nothing, with capacity', 'DeleteItem', about(thingKey('items', 'none'), INDEXES)],
  ['delete cannot return the new item', 'DeleteItem', about(key, { ReturnValues: 'ALL_NEW' })],
  [
    'delete under a condition',
    'DeleteItem',
    about(key, { ...condition('v = :two'), ReturnValues: 'ALL_OLD', ...INDEXES }),
  ],
  ['get of what was deleted', 'GetItem', about(key)],
  [
    'all types are returned as sent',
    'PutItem',
    put(
      aThing('items', 'types', {
        text: s('ä€😀 "\\'),
        number: { N: '1.50' },
        bin: { B: 'AAEC/w==' },
        yes: { BOOL: true },
        nothing: { NULL: true },
        words: { SS: ['z', 'a', ''] },
        numbers: { NS: ['10', '9', '1.0'] },
        blobs: { BS: ['Ag==', 'AQ=='] },
        lst: list(s('a'), list(), map({})),
        doc: map({ 'a.b': map({ c: list(n(1)) }) }),
      }),
    ),
  ],
  ['get of all types', 'GetItem', about(thingKey('items', 'types'))],
  [
    'projection of parts',
    'GetItem',
    about(thingKey('items', 'types'), {
      ProjectionExpression: '#doc.#dot.c[0], lst[1], lst[5], absent, words, #doc.absent',
      ExpressionAttributeNames: { '#doc': 'doc', '#dot': 'a.b' },
    }),
  ],
  [
    'projection of nothing there',
    'GetItem',
    about(thingKey('items', 'types'), { ProjectionExpression: 'absent' }),
  ],
  ['AttributesToGet', 'GetItem', about(thingKey('items', 'types'), { AttributesToGet: ['text', 'pk'] })],
  ['an empty set', 'PutItem', put(aThing('items', 'x', { v: { SS: [] } }))],
  ['a set with a duplicate', 'PutItem', put(aThing('items', 'x', { v: { SS: ['a', 'a'] } }))],
  ['a set of equal numbers', 'PutItem', put(aThing('items', 'x', { v: { NS: ['1', '1.0'] } }))],
  ['a set with an empty binary', 'PutItem', put(aThing('items', 'x', { v: { BS: [''] } }))],
  ['NULL false', 'PutItem', put(aThing('items', 'x', { v: { NULL: false } }))],
  ['a value of two types', 'PutItem', put(aThing('items', 'x', { v: { S: 'a', N: '1' } }))],
  ['a value of no type', 'PutItem', put(aThing('items', 'x', { v: {} }))],
  ['binary that is no base64', 'PutItem', put(aThing('items', 'x', { v: { B: '***' } }))],
  ['an attribute without a name', 'PutItem', put(aThing('items', 'x', { '': s('a') }))],
  ['an index key of another type', 'PutItem', put(aThing('items', 'x', { rank: s('a') }))],
  ['an index key that is NULL', 'PutItem', put(aThing('items', 'x', { group: { NULL: true } }))],
  ['an empty index key', 'PutItem', put(aThing('items', 'x', { group: s('') }))],
  ['a map member without a name', 'PutItem', put(aThing('items', 'x', { v: map({ '': s('a') }) }))],
  ['what was stored of all that', 'GetItem', about(thingKey('items', 'x'))],
]);

const sized = (sk: string, bytes: number, more: Item = {}): Item =>
  aThing('sizes', sk, { v: ofBytes(bytes), ...more });
const nested = (depth: number): AttributeValue => (depth === 0 ? s('x') : list(nested(depth - 1)));

/** Sizes in bytes: their costs, and the largest. `pk` and `sk` and their values are about 11. */
export const sizeSteps: readonly Step[] = section('size', [
  ['a put of 1 KB', 'PutItem', put(sized('1', 1024 - 11), INDEXES)],
  ['a put of 1 KB and a byte', 'PutItem', put(sized('1', 1024 - 10), INDEXES)],
  ['a put over a larger item', 'PutItem', put(sized('1', 10), INDEXES)],
  [
    'a put into all indexes',
    'PutItem',
    put(sized('2', 3000, { group: s('g'), rank: n(1), name: s('n') }), INDEXES),
  ],
  [
    'a put that changes no index',
    'PutItem',
    put(sized('2', 3000, { group: s('g'), rank: n(1), name: s('n') }), INDEXES),
  ],
  [
    'a put that moves in the indexes',
    'PutItem',
    put(sized('2', 3000, { group: s('h'), rank: n(2), name: s('n') }), INDEXES),
  ],
  [
    'a put that changes what an index shows',
    'PutItem',
    put(sized('2', 3000, { group: s('h'), rank: n(2), name: s('o') }), INDEXES),
  ],
  ['a put that leaves the indexes', 'PutItem', put(sized('2', 3000), INDEXES)],
  ['a get of 3 KB', 'GetItem', about(thingKey('sizes', '2'), INDEXES)],
  ['a put of 4 KB', 'PutItem', put(sized('3', 4096 - 11), INDEXES)],
  ['a get of 4 KB', 'GetItem', about(thingKey('sizes', '3'), { ...INDEXES, ProjectionExpression: 'sk' })],
  ['a put of 4 KB and a byte', 'PutItem', put(sized('3', 4096 - 10), INDEXES)],
  [
    'a get of 4 KB and a byte',
    'GetItem',
    about(thingKey('sizes', '3'), { ...INDEXES, ProjectionExpression: 'sk' }),
  ],
  [
    'a consistent get of 4 KB and a byte',
    'GetItem',
    about(thingKey('sizes', '3'), {
      ReturnConsumedCapacity: 'TOTAL',
      ConsistentRead: true,
      ProjectionExpression: 'sk',
    }),
  ],
  ['a delete of 4 KB and a byte', 'DeleteItem', about(thingKey('sizes', '3'), INDEXES)],
  ['400 KB', 'PutItem', put(sized('4', 400 * 1024 - 11), INDEXES)],
  ['400 KB and a byte', 'PutItem', put(sized('5', 400 * 1024 - 10), INDEXES)],
  [
    '400 KB by an update',
    'UpdateItem',
    about(thingKey('sizes', '4'), { UpdateExpression: 'SET a = :one', ...placeholders(':one') }),
  ],
  [
    '400 KB in a batch',
    'BatchWriteItem',
    { RequestItems: { Things: [{ PutRequest: { Item: sized('6', 400 * 1024) } }] } },
  ],
  ['a partition key of 2048 bytes', 'PutItem', put(aThing('p'.repeat(2048), '1'))],
  ['a partition key of 2049 bytes', 'PutItem', put(aThing('p'.repeat(2049), '1'))],
  ['a sort key of 1024 bytes', 'PutItem', put(aThing('sizes', 's'.repeat(1024)))],
  ['a sort key of 1025 bytes', 'PutItem', put(aThing('sizes', 's'.repeat(1025)))],
  ['a get by a sort key of 1025 bytes', 'GetItem', about(thingKey('sizes', 's'.repeat(1025)))],
  ['an index key of 2049 bytes', 'PutItem', put(aThing('sizes', '7', { group: s('g'.repeat(2049)) }))],
  ['31 lists in each other', 'PutItem', put(aThing('sizes', '8', { v: nested(31) }))],
  ['32 lists in each other', 'PutItem', put(aThing('sizes', '8', { v: nested(32) }))],
  ['33 lists in each other', 'PutItem', put(aThing('sizes', '8', { v: nested(33) }))],
  [
    'the sizes of a partition',
    'Query',
    {
      TableName: 'Things',
      KeyConditionExpression: 'pk = :sizes',
      ...placeholders(':sizes'),
      ...INDEXES,
      Select: 'COUNT',
    },
  ],
]);
