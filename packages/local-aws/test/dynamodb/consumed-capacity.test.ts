import { fc } from '../../../test-kit/src/properties.ts';
import { itemBytes } from '../../src/dynamodb/item-size.ts';
import type { Item } from '../../src/dynamodb/item.ts';
import {
  aDynamoDb,
  aThing,
  n,
  ofBytes,
  s,
  thingKey,
  type ConsumedCapacity,
  type TestDynamoDb,
} from './a-dynamodb.ts';

async function cost({ send }: TestDynamoDb, target: string, input: object): Promise<ConsumedCapacity> {
  const { ConsumedCapacity: capacity } = await send(target, { ...input, ReturnConsumedCapacity: 'INDEXES' });
  const [only] = Array.isArray(capacity) ? (capacity as ConsumedCapacity[]) : [capacity];
  if (only === undefined) throw new Error(`${target} returned no capacity`);
  return only;
}

const indexes = ({ GlobalSecondaryIndexes = {} }: ConsumedCapacity): object =>
  Object.fromEntries(
    Object.entries(GlobalSecondaryIndexes).map(([name, { CapacityUnits }]) => [name, CapacityUnits]),
  );

describe('sizes', () => {
  it.each<[string, Item, number]>([
    ['a string is its name and its bytes', { ab: s('abc') }, 5],
    ['text is counted in UTF-8', { é: s('€') }, 5],
    ['binary is counted unencoded', { b: { B: Buffer.alloc(100).toString('base64') } }, 101],
    ['a boolean is one byte', { b: { BOOL: true } }, 2],
    ['null is one byte', { b: { NULL: true } }, 2],
    ['zero', { n: n(0) }, 2],
    ['one digit', { n: n(7) }, 3],
    ['four digits', { n: n(1234) }, 4],
    ['zeros around do not count', { n: { N: '0.0012000' } }, 3],
    ['a sign is a byte', { n: n(-12) }, 4],
    ['a set is its members', { t: { SS: ['ab', 'c'] } }, 4],
    ['an empty list', { l: { L: [] } }, 4],
    ['a list and its elements', { l: { L: [s('ab'), s('c')] } }, 9],
    ['a map and its entries', { m: { M: { a: s('b') } } }, 7],
  ])('%s', (_title, item, expected) => {
    expect(itemBytes(item)).toBe(expected);
  });

  it('an attribute adds its own bytes and changes no other', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const item = { x: s(a), y: { L: [s(b)] } };
        expect(itemBytes({ ...item, zz: s(c) })).toBe(itemBytes(item) + 2 + Buffer.byteLength(c));
      }),
    );
  });
});

describe('writes', () => {
  const put = (Item: Item): object => ({ TableName: 'Things', Item });

  it('1 KB is one unit and one byte more is two', async () => {
    const database = await aDynamoDb();
    const item = (bytes: number): object => ({
      TableName: 'Plain',
      Item: { id: s('a'), v: ofBytes(bytes - 4) },
    });
    expect((await cost(database, 'PutItem', item(1024))).CapacityUnits).toBe(1);
    expect((await cost(database, 'PutItem', item(1025))).CapacityUnits).toBe(2);
    // The larger of the two images counts, also when the item shrinks or is deleted.
    expect((await cost(database, 'PutItem', item(10))).CapacityUnits).toBe(2);
    expect(
      (await cost(database, 'DeleteItem', { TableName: 'Plain', Key: { id: s('a') } })).CapacityUnits,
    ).toBe(1);
    expect(
      (await cost(database, 'DeleteItem', { TableName: 'Plain', Key: { id: s('a') } })).CapacityUnits,
    ).toBe(1);
  });

  it('an index costs by the changes in it', async () => {
    const database = await aDynamoDb();
    const base = { group: s('g'), rank: n(1), name: s('x'), secret: s('y') };
    const put1 = await cost(database, 'PutItem', put(aThing('a', '1', base)));
    expect(put1).toMatchObject({ CapacityUnits: 4, Table: { CapacityUnits: 1 } });
    expect(indexes(put1)).toEqual({ 'by-rank': 1, 'by-group': 1, whole: 1 });

    const same = await cost(database, 'PutItem', put(aThing('a', '1', base)));
    expect(same.CapacityUnits).toBe(1);
    expect(same).not.toHaveProperty('GlobalSecondaryIndexes');

    const unprojected = await cost(database, 'PutItem', put(aThing('a', '1', { ...base, secret: s('z') })));
    expect(indexes(unprojected)).toEqual({ whole: 1 });

    const projected = await cost(database, 'PutItem', put(aThing('a', '1', { ...base, name: s('w') })));
    expect(indexes(projected)).toEqual({ 'by-rank': 1, whole: 1 });

    const moved = await cost(
      database,
      'PutItem',
      put(aThing('a', '1', { ...base, group: s('h'), name: s('w') })),
    );
    expect(indexes(moved)).toEqual({ 'by-rank': 2, 'by-group': 2, whole: 1 });

    const sparse = await cost(database, 'PutItem', put(aThing('a', '1', { rank: n(1) })));
    expect(indexes(sparse)).toEqual({ 'by-rank': 1, 'by-group': 1, whole: 1 });

    expect(indexes(await cost(database, 'DeleteItem', { TableName: 'Things', Key: thingKey('a') }))).toEqual({
      whole: 1,
    });
  });

  it('an entry is charged by its own size, a move by both', async () => {
    const database = await aDynamoDb();
    const item = (group: string, name: number): Item =>
      aThing('a', '1', { group: s(group), rank: n(1), name: ofBytes(name), secret: ofBytes(5000) });
    await database.send('PutItem', put(item('g', 2500)));
    const shrunk = await cost(database, 'PutItem', put(item('g', 10)));
    expect(indexes(shrunk)).toEqual({ 'by-rank': 3, whole: 8 });
    const moved = await cost(database, 'PutItem', put(item('h', 2500)));
    expect(indexes(moved)).toEqual({ 'by-rank': 4, 'by-group': 2, whole: 8 });
  });

  it('a transaction costs twice on the table and once on its indexes', async () => {
    const database = await aDynamoDb();
    const transaction = {
      TransactItems: [
        { Put: { TableName: 'Things', Item: aThing('a', '1', { group: s('g') }) } },
        {
          ConditionCheck: {
            TableName: 'Things',
            Key: thingKey('b'),
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ],
      ClientRequestToken: 'token',
    };
    const first = await cost(database, 'TransactWriteItems', transaction);
    expect(first).toMatchObject({ CapacityUnits: 5, WriteCapacityUnits: 5, Table: { CapacityUnits: 4 } });
    expect(indexes(first)).toEqual({ 'by-group': 1 });
    const again = await cost(database, 'TransactWriteItems', transaction);
    expect(again).toMatchObject({ CapacityUnits: 4, ReadCapacityUnits: 4 });
  });

  it('a batch costs the sum of its writes', async () => {
    const database = await aDynamoDb();
    const RequestItems = {
      Things: ['a', 'b'].map((pk) => ({
        PutRequest: { Item: aThing(pk, '1', { group: s('g'), v: ofBytes(1500) }) },
      })),
    };
    expect(await cost(database, 'BatchWriteItem', { RequestItems })).toMatchObject({
      CapacityUnits: 6,
      Table: { CapacityUnits: 4 },
    });
  });

  it('a failed condition still costs, in the record of calls', async () => {
    const { service, send, failureOf } = await aDynamoDb();
    await send('PutItem', { TableName: 'Plain', Item: { id: s('a'), v: ofBytes(3000) } });
    const failing = {
      TableName: 'Plain',
      Item: { id: s('a') },
      ConditionExpression: 'attribute_not_exists(id)',
    };
    const spy = jest.spyOn(service, 'failure');
    await failureOf('PutItem', failing);
    expect(spy.mock.results[0]?.value).toMatchObject({ consumedCapacity: 3 });
  });
});

describe('reads', () => {
  const get = (more: object = {}): object => ({ TableName: 'Plain', Key: { id: s('a') }, ...more });

  it('4 KB is half a unit, one when consistent', async () => {
    const database = await aDynamoDb();
    expect((await cost(database, 'GetItem', get())).CapacityUnits).toBe(0.5);
    await database.send('PutItem', { TableName: 'Plain', Item: { id: s('a'), v: ofBytes(4097) } });
    expect((await cost(database, 'GetItem', get({ ProjectionExpression: 'id' }))).CapacityUnits).toBe(1);
    expect((await cost(database, 'GetItem', get({ ConsistentRead: true }))).CapacityUnits).toBe(2);
  });

  it('a query adds up sizes before it rounds, filtered items included', async () => {
    const database = await aDynamoDb();
    for (let sk = 0; sk < 10; sk += 1) {
      await database.send('PutItem', {
        TableName: 'Things',
        Item: aThing('a', String(sk), { v: ofBytes(1000), group: s('g') }),
      });
    }
    const query = {
      TableName: 'Things',
      KeyConditionExpression: 'pk = :a',
      ExpressionAttributeValues: { ':a': s('a') },
    };
    expect((await cost(database, 'Query', query)).CapacityUnits).toBe(1.5);
    expect((await cost(database, 'Query', { ...query, ConsistentRead: true })).CapacityUnits).toBe(3);
    expect(
      (await cost(database, 'Query', { ...query, FilterExpression: 'attribute_not_exists(v)' }))
        .CapacityUnits,
    ).toBe(1.5);
    expect((await cost(database, 'Query', { ...query, Limit: 2 })).CapacityUnits).toBe(0.5);
    const index = await cost(database, 'Scan', { TableName: 'Things', IndexName: 'by-group' });
    expect(index).toMatchObject({ CapacityUnits: 0.5, Table: { CapacityUnits: 0 } });
    expect(indexes(index)).toEqual({ 'by-group': 0.5 });
  });

  it('a batch rounds every item', async () => {
    const database = await aDynamoDb();
    const Keys = [{ id: s('a') }, { id: s('b') }, { id: s('c') }];
    for (const id of ['a', 'b']) await database.send('PutItem', { TableName: 'Plain', Item: { id: s(id) } });
    expect((await cost(database, 'BatchGetItem', { RequestItems: { Plain: { Keys } } })).CapacityUnits).toBe(
      1.5,
    );
  });

  it('a response has no capacity without a request for it, and TOTAL has no parts', async () => {
    const { send } = await aDynamoDb();
    expect(await send('GetItem', get())).toEqual({});
    const total = await send('GetItem', get({ ReturnConsumedCapacity: 'TOTAL' }));
    expect(total.ConsumedCapacity).toEqual({ TableName: 'Plain', CapacityUnits: 0.5 });
  });
});
