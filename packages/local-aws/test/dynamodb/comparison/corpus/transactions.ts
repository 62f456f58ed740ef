import type { Item } from '../../../../src/dynamodb/item.ts';
import { aThing, n, ofBytes, s, thingKey } from '../../a-dynamodb.ts';
import { ANY_ORDER, placeholders, section, type Step } from './step.ts';

const OLD = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };
const PRESENT = { ConditionExpression: 'attribute_exists(pk)' };
const key = (sk: string): Item => thingKey('transact', sk);

const put = (sk: string, more: object = {}, item: Item = {}): object => ({
  Put: { TableName: 'Things', Item: aThing('transact', sk, item), ...more },
});
const remove = (sk: string, more: object = {}): object => ({
  Delete: { TableName: 'Things', Key: key(sk), ...more },
});
const check = (sk: string, more: object = {}): object => ({
  ConditionCheck: { TableName: 'Things', Key: key(sk), ...more },
});
const update = (sk: string, UpdateExpression: string, more: object = {}): object => ({
  Update: { TableName: 'Things', Key: key(sk), UpdateExpression, ...placeholders(UpdateExpression), ...more },
});
const transact = (TransactItems: readonly object[], more: object = {}): object => ({
  TransactItems,
  ...more,
});
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };
const TOTAL = { ReturnConsumedCapacity: 'TOTAL' };
const counter = (ClientRequestToken: string, by = ':one'): object =>
  transact([update('counter', `ADD hits ${by}`)], { ClientRequestToken, ...TOTAL });
const call = 'TransactWriteItems';

/** Reads what the steps before have left. */
const state = (title: string) =>
  [
    title,
    'Query',
    { TableName: 'Things', KeyConditionExpression: 'pk = :transact', ...placeholders(':transact') },
  ] as const;

const committed: readonly Step[] = section('transaction', [
  [
    'puts',
    call,
    transact([put('1', ABSENT, { group: s('transact'), rank: n(1) }), put('2', {}, { v: n(2) })], INDEXES),
  ],
  [
    'over two tables',
    call,
    transact([put('3'), { Put: { TableName: 'Plain', Item: { id: s('transact'), v: n(1) } } }], INDEXES),
  ],
  [
    'all kinds',
    call,
    transact(
      [
        put('4'),
        update('2', 'SET v = v + :one'),
        remove('3', PRESENT),
        check('1', PRESENT),
        {
          Update: {
            TableName: 'Plain',
            Key: { id: s('upsert') },
            UpdateExpression: 'ADD v :one',
            ...placeholders(':one'),
          },
        },
      ],
      TOTAL,
    ),
  ],
  ['one part', call, transact([remove('4')], TOTAL)],
  ['a delete of nothing', call, transact([remove('none')], TOTAL)],
  ['a check alone', call, transact([check('1', PRESENT)], TOTAL)],
  state('the items after it'),
  [
    'the other table after it',
    'BatchGetItem',
    { RequestItems: { Plain: { Keys: [{ id: s('transact') }, { id: s('upsert') }] } } },
    ANY_ORDER,
  ],
  [
    '100 parts',
    call,
    transact(
      Array.from({ length: 100 }, (_, index) => ({
        Put: { TableName: 'Plain', Item: { id: s(`hundred ${String(index)}`) } },
      })),
    ),
  ],
]);

const cancelled: readonly Step[] = section('transaction cancelled', [
  ['a condition fails first', call, transact([put('1', ABSENT), put('9')])],
  ['a condition fails last', call, transact([put('9'), put('1', ABSENT)])],
  ['a check fails', call, transact([put('9'), check('none', PRESENT)])],
  ['two conditions fail', call, transact([put('1', ABSENT), put('9'), remove('none', PRESENT)])],
  [
    'the items are returned',
    call,
    transact([
      put('9'),
      put('1', { ...ABSENT, ...OLD }),
      check('2', { ...ABSENT, ...OLD }),
      remove('none', { ...PRESENT, ...OLD }),
    ]),
  ],
  ['an update fails', call, transact([update('1', 'SET v = :one', { ...ABSENT, ...OLD }), put('9')])],
  ['an operand of the wrong type', call, transact([put('9'), update('1', 'ADD #group :one')])],
  ['an attribute that is missing', call, transact([put('9'), update('1', 'SET v = absent + :one')])],
  ['half a key', call, transact([put('9'), { Delete: { TableName: 'Things', Key: { pk: s('transact') } } }])],
  [
    'a key of another type',
    call,
    transact([put('9'), { Put: { TableName: 'Things', Item: { pk: s('transact'), sk: n(1) } } }]),
  ],
  ['an index key of another type', call, transact([put('9'), put('8', {}, { rank: s('a') })])],
  ['an empty index key', call, transact([put('9'), put('8', {}, { group: s('') })])],
  ['an update to an empty index key', call, transact([put('9'), update('1', 'SET #group = :empty')])],
  ['an item over 400 KB', call, transact([put('9'), put('8', {}, { v: ofBytes(400 * 1024) })])],
  ['an update of the key', call, transact([put('9'), update('1', 'SET sk = :one')])],
  state('nothing has happened'),
]);

const refused: readonly Step[] = section('transaction refused', [
  ['no parts', call, transact([])],
  ['nothing at all', call, {}],
  ['101 parts', call, transact(Array.from({ length: 101 }, (_, index) => put(`many ${String(index)}`)))],
  ['one item twice', call, transact([put('9'), check('9', ABSENT)])],
  ['one item put and deleted', call, transact([put('9'), remove('9')])],
  [
    'one item of two tables is no duplicate',
    call,
    transact([{ Put: { TableName: 'Plain', Item: { id: s('same') } } }, put('same')]),
  ],
  ['a part of two kinds', call, transact([{ ...put('9'), ...remove('8') }])],
  ['a part of no kind', call, transact([{}])],
  ['a check without a condition', call, transact([check('1')])],
  ['an update without an expression', call, transact([{ Update: { TableName: 'Things', Key: key('1') } }])],
  ['an expression that does not parse', call, transact([put('9', { ConditionExpression: 'pk ==' })])],
  ['values that are not used', call, transact([put('9', { ...ABSENT, ...placeholders(':one') })])],
  [
    'a table that is not there',
    call,
    transact([put('9'), { Put: { TableName: 'Nothing', Item: { id: s('a') } } }]),
  ],
  ['an empty key', call, transact([put('9'), { Put: { TableName: 'Things', Item: aThing('', '1') } }])],
  ['a number that is none', call, transact([put('9', {}, { v: { N: 'x' } })])],
  ['a token of 37 characters', call, transact([put('9')], { ClientRequestToken: 'x'.repeat(37) })],
  state('only the item that is no duplicate was written'),
]);

const tokens: readonly Step[] = section('token', [
  ['a first use', call, counter('token-1')],
  ['a repeat does nothing', call, counter('token-1')],
  ['another request under it', call, counter('token-1', ':two')],
  ['another token', call, counter('token-2')],
  [
    'a cancelled transaction',
    call,
    transact([put('9'), check('later', PRESENT)], { ClientRequestToken: 'token-3' }),
  ],
  ['what it waited for', 'PutItem', { TableName: 'Things', Item: aThing('transact', 'later') }],
  [
    'the cancelled transaction again',
    call,
    transact([put('9'), check('later', PRESENT)], { ClientRequestToken: 'token-3' }),
  ],
  ['the counter', 'GetItem', { TableName: 'Things', Key: key('counter') }],
  state('the end'),
]);

export const transactionSteps: readonly Step[] = [...committed, ...cancelled, ...refused, ...tokens];
