import type { Item } from '../../../../src/dynamodb/item.ts';
import { aThing, n, s, thingKey } from '../../a-dynamodb.ts';
import { ANY_ORDER, section, type Step } from './step.ts';

const put = (Item: Item): object => ({ PutRequest: { Item } });
const remove = (Key: Item): object => ({ DeleteRequest: { Key } });
const write = (RequestItems: object, more: object = {}): object => ({ RequestItems, ...more });
const many = <T>(length: number, make: (text: string) => T): readonly T[] =>
  Array.from({ length }, (_, index) => make(String(index)));
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };

const writeSteps: readonly Step[] = section('batch write', [
  [
    'two tables',
    'BatchWriteItem',
    write(
      {
        Things: [
          put(aThing('batch', '1', { group: s('batch') })),
          put(aThing('batch', '2')),
          put(aThing('batch', '3')),
        ],
        Plain: [put({ id: s('batch'), v: n(1) })],
      },
      INDEXES,
    ),
  ],
  [
    'a put and a delete',
    'BatchWriteItem',
    write({ Things: [put(aThing('batch', '4')), remove(thingKey('batch', '3'))] }),
  ],
  ['a delete of nothing', 'BatchWriteItem', write({ Things: [remove(thingKey('batch', 'none'))] }, INDEXES)],
  [
    'one item twice',
    'BatchWriteItem',
    write({ Things: [put(aThing('batch', '5')), remove(thingKey('batch', '5'))] }),
  ],
  ['25 items', 'BatchWriteItem', write({ Things: many(25, (sk) => put(aThing('batch of 25', sk))) })],
  ['26 items', 'BatchWriteItem', write({ Things: many(26, (sk) => put(aThing('batch of 26', sk))) })],
  [
    '26 items of two tables',
    'BatchWriteItem',
    write({
      Things: many(13, (sk) => put(aThing('batch of 26', sk))),
      Plain: many(13, (id) => put({ id: s(`batch of 26 ${id}`) })),
    }),
  ],
  ['no tables', 'BatchWriteItem', write({})],
  ['no items', 'BatchWriteItem', write({ Things: [] })],
  ['nothing at all', 'BatchWriteItem', {}],
  [
    'a request of two kinds',
    'BatchWriteItem',
    write({ Things: [{ ...put(aThing('batch', '6')), ...remove(thingKey('batch', '7')) }] }),
  ],
  ['a request of no kind', 'BatchWriteItem', write({ Things: [{}] })],
  [
    'a table that is not there',
    'BatchWriteItem',
    write({ Things: [put(aThing('batch', '6'))], Nothing: [put(aThing('batch', '6'))] }),
  ],
  ['a wrong key', 'BatchWriteItem', write({ Things: [put(aThing('batch', '6')), put({ pk: s('batch') })] })],
  ['an empty key', 'BatchWriteItem', write({ Things: [put(aThing('', '6'))] })],
  ['an empty index key', 'BatchWriteItem', write({ Things: [put(aThing('batch', '6', { group: s('') }))] })],
  [
    'what was written',
    'Query',
    {
      TableName: 'Things',
      KeyConditionExpression: 'pk = :batch',
      ExpressionAttributeValues: { ':batch': s('batch') },
    },
  ],
]);

const keys = [thingKey('batch', '1'), thingKey('batch', '2'), thingKey('batch', 'none')];

const readSteps: readonly Step[] = section('batch get', [
  [
    'two tables',
    'BatchGetItem',
    write({ Things: { Keys: keys }, Plain: { Keys: [{ id: s('batch') }, { id: s('none') }] } }, INDEXES),
    ANY_ORDER,
  ],
  [
    'consistent',
    'BatchGetItem',
    write({ Things: { Keys: keys.slice(0, 2), ConsistentRead: true } }, { ReturnConsumedCapacity: 'TOTAL' }),
    ANY_ORDER,
  ],
  [
    'a projection',
    'BatchGetItem',
    write({
      Things: { Keys: keys, ProjectionExpression: 'sk, #g', ExpressionAttributeNames: { '#g': 'group' } },
    }),
    ANY_ORDER,
  ],
  ['nothing found', 'BatchGetItem', write({ Plain: { Keys: [{ id: s('none') }] } })],
  ['one key twice', 'BatchGetItem', write({ Things: { Keys: [...keys, ...keys.slice(0, 1)] } })],
  [
    '100 keys',
    'BatchGetItem',
    write({ Things: { Keys: many(100, (sk) => thingKey('batch of 25', sk)) } }),
    ANY_ORDER,
  ],
  ['101 keys', 'BatchGetItem', write({ Things: { Keys: many(101, (sk) => thingKey('batch of 25', sk)) } })],
  [
    '101 keys of two tables',
    'BatchGetItem',
    write({
      Things: { Keys: many(51, (sk) => thingKey('batch', sk)) },
      Plain: { Keys: many(50, (id) => ({ id: s(id) })) },
    }),
  ],
  ['no keys', 'BatchGetItem', write({ Things: { Keys: [] } })],
  ['no tables', 'BatchGetItem', write({})],
  ['half a key', 'BatchGetItem', write({ Things: { Keys: [{ pk: s('batch') }] } })],
  ['an empty key', 'BatchGetItem', write({ Things: { Keys: [thingKey('', '1')] } })],
  ['a table that is not there', 'BatchGetItem', write({ Nothing: { Keys: keys } })],
  [
    'names that are not used',
    'BatchGetItem',
    write({ Things: { Keys: keys, ExpressionAttributeNames: { '#g': 'group' } } }),
  ],
]);

export const batchSteps: readonly Step[] = [...writeSteps, ...readSteps];
