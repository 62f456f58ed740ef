import { aDynamoDb, aThing, n, ofBytes, plain, s, tableArn, thingKey } from './a-dynamodb.ts';

describe('BatchGetItem', () => {
  it('returns the existing items, under the requested table name', async () => {
    const { send } = await aDynamoDb();
    await send('PutItem', { TableName: 'Things', Item: aThing('a', '1', { v: n(1) }) });
    await send('PutItem', { TableName: 'Plain', Item: { id: s('p') } });
    const { Responses, UnprocessedKeys } = await send('BatchGetItem', {
      RequestItems: {
        [tableArn]: { Keys: [thingKey('a'), thingKey('none')], ProjectionExpression: 'v' },
        [plain.name]: { Keys: [{ id: s('p') }] },
      },
    });
    expect(Responses).toEqual({ [tableArn]: [{ v: n(1) }], Plain: [{ id: s('p') }] });
    expect(UnprocessedKeys).toEqual({});
  });

  it('returns keys beyond 16 MB as unprocessed, ready for another request', async () => {
    const { send } = await aDynamoDb();
    const ids = Array.from({ length: 45 }, (_, index) => ({ id: s(`p${String(index)}`) }));
    await Promise.all(
      ids.map((id) => send('PutItem', { TableName: 'Plain', Item: { ...id, v: ofBytes(390 * 1024) } })),
    );
    const first = await send('BatchGetItem', {
      RequestItems: { Plain: { Keys: ids, ConsistentRead: true } },
    });
    const left = first.UnprocessedKeys?.['Plain'];
    expect(left).toMatchObject({ ConsistentRead: true });
    expect(left?.Keys).toHaveLength(3);
    const second = await send('BatchGetItem', { RequestItems: first.UnprocessedKeys });
    expect(second.UnprocessedKeys).toEqual({});
  });

  it('rejects more than 100 keys, or a duplicate key', async () => {
    const { failureOf } = await aDynamoDb();
    const many = Array.from({ length: 101 }, (_, index) => ({ id: s(`p${String(index)}`) }));
    expect((await failureOf('BatchGetItem', { RequestItems: { Plain: { Keys: many } } })).code).toBe(
      'ValidationException',
    );
    const twice = { RequestItems: { Plain: { Keys: [{ id: s('a') }, { id: s('a') }] } } };
    expect((await failureOf('BatchGetItem', twice)).message).toMatch(/duplicates/);
  });
});

describe('BatchWriteItem', () => {
  it('puts and deletes', async () => {
    const { send } = await aDynamoDb();
    await send('PutItem', { TableName: 'Things', Item: aThing('old', '1', { group: s('g') }) });
    await send('BatchWriteItem', {
      RequestItems: {
        [tableArn]: [
          { PutRequest: { Item: aThing('new', '1', { group: s('g') }) } },
          { DeleteRequest: { Key: thingKey('old') } },
        ],
      },
    });
    const { Items } = await send('Scan', { TableName: 'Things', IndexName: 'by-group' });
    expect(Items?.map(({ pk }) => pk)).toEqual([s('new')]);
  });

  it('rejects more than 25 writes, or a duplicate item, and writes nothing', async () => {
    const { send, failureOf } = await aDynamoDb();
    const write = (id: string): object => ({ PutRequest: { Item: { id: s(id) } } });
    const many = Array.from({ length: 26 }, (_, index) => write(String(index)));
    expect((await failureOf('BatchWriteItem', { RequestItems: { Plain: many } })).code).toBe(
      'ValidationException',
    );
    const spread = {
      Plain: many.slice(0, 20),
      Things: many.slice(0, 6).map(() => ({ PutRequest: { Item: aThing('a', '1') } })),
    };
    expect((await failureOf('BatchWriteItem', { RequestItems: spread })).message).toMatch(/Too many items/);
    const twice = { RequestItems: { Plain: [write('b'), write('a'), write('a')] } };
    expect((await failureOf('BatchWriteItem', twice)).message).toMatch(/duplicates/);
    expect((await send('Scan', { TableName: 'Plain' })).Count).toBe(0);
  });
});
