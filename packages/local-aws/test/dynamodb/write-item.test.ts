import { aDynamoDb, aThing, n, ofBytes, plain, s, tableArn, thingKey, things } from './a-dynamodb.ts';

const put = (Item: object, more: object = {}): object => ({ TableName: 'Things', Item, ...more });

describe('conditions', () => {
  it('a failed condition changes nothing and returns the old item on request', async () => {
    const { send, failureOf } = await aDynamoDb();
    const old = aThing('a', '1', { name: s('first') });
    await send('PutItem', put(old));
    const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
    const failure = await failureOf(
      'PutItem',
      put(aThing('a', '1'), { ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    );
    expect(failure.wire).toEqual({
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
      message: 'The conditional request failed',
      Item: old,
    });
    const silent = await failureOf('PutItem', put(aThing('a', '1'), condition));
    expect(silent.wire).not.toHaveProperty('Item');
    expect((await send('GetItem', { TableName: 'Things', Key: thingKey('a') })).Item).toEqual(old);
  });

  it('a failed condition on an item that does not exist returns no item', async () => {
    const { failureOf } = await aDynamoDb();
    for (const target of ['UpdateItem', 'DeleteItem']) {
      const failure = await failureOf(target, {
        TableName: 'Things',
        Key: thingKey('none'),
        ConditionExpression: 'attribute_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      expect(failure.code).toBe('ConditionalCheckFailedException');
      expect(failure.wire).not.toHaveProperty('Item');
    }
  });

  it('exactly one of several concurrent conditional puts succeeds', async () => {
    const { send } = await aDynamoDb();
    const attempts = Array.from({ length: 20 }, (_, index) =>
      send(
        'PutItem',
        put(aThing('a', '1', { name: n(index) }), { ConditionExpression: 'attribute_not_exists(pk)' }),
      ),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('concurrent counters lose no increment', async () => {
    const { send } = await aDynamoDb();
    const add = {
      TableName: 'Things',
      Key: thingKey('a'),
      UpdateExpression: 'ADD hits :one',
      ExpressionAttributeValues: { ':one': n(1) },
    };
    await Promise.all(Array.from({ length: 50 }, () => send('UpdateItem', add)));
    expect((await send('GetItem', { TableName: 'Things', Key: thingKey('a') })).Item?.['hits']).toEqual(
      n(50),
    );
  });
});

describe('expressions', () => {
  it.each<[string, boolean]>([
    ['size(#text) = :four', true],
    ['size(bin) = :four', true],
    ['begins_with(#text, :ab)', true],
    ['contains(#text, :ab)', true],
    ['contains(tags, :ab)', true],
    ['attribute_type(num, :type)', true],
    ['num BETWEEN :four AND :ten', true],
    ['num IN (:four, :ten)', false],
    ['nested.deep = :ab', true],
    ['elements[1] = :ab', true],
    ['elements[2] = :ab', false],
    ['NOT attribute_exists(absent) AND (num > :ten OR num < :ten)', true],
    ['absent <> :ab', true],
    ['absent < :ten', false],
  ])('%s is %s', async (ConditionExpression, expected) => {
    const { send, failureOf } = await aDynamoDb();
    await send('PutItem', {
      TableName: 'Plain',
      Item: {
        id: s('a'),
        text: s('abcd'),
        bin: { B: 'AAAAAA==' },
        tags: { SS: ['ab', 'cd'] },
        num: n(7),
        nested: { M: { deep: s('ab') } },
        elements: { L: [s('x'), s('ab')] },
      },
    });
    const values = { ':four': n(4), ':ten': n(10), ':ab': s('ab'), ':type': s('N') };
    const used = Object.entries(values).filter(([name]) => ConditionExpression.includes(name));
    const request = {
      TableName: 'Plain',
      Item: { id: s('a') },
      ConditionExpression,
      ...(ConditionExpression.includes('#text') && { ExpressionAttributeNames: { '#text': 'text' } }),
      ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
    };
    if (expected) await send('PutItem', request);
    else expect((await failureOf('PutItem', request)).code).toBe('ConditionalCheckFailedException');
  });

  it('a reserved word needs a placeholder', async () => {
    const { failureOf } = await aDynamoDb();
    const failure = await failureOf('UpdateItem', {
      TableName: 'Things',
      Key: thingKey('a'),
      UpdateExpression: 'SET name = :v',
      ExpressionAttributeValues: { ':v': s('x') },
    });
    expect(failure.wire['__type']).toBe('com.amazon.coral.validate#ValidationException');
    expect(failure.message).toMatch(/reserved keyword: name/);
  });

  it('an unused value is rejected', async () => {
    const { failureOf } = await aDynamoDb();
    const failure = await failureOf('PutItem', {
      ...put(aThing('a', '1')),
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':v': s('x') },
    });
    expect(failure.message).toMatch(/unused in expressions: keys: {:v}/);
  });

  it('comparing a list or map is rejected, not evaluated wrongly', async () => {
    const { failureOf } = await aDynamoDb();
    const failure = await failureOf('PutItem', {
      ...put(aThing('a', '1')),
      ConditionExpression: 'attribute_exists(pk) OR tags = :list',
      ExpressionAttributeValues: { ':list': { L: [] } },
    });
    expect(failure.code).toBe('UnknownOperationException');
  });

  it('an expression has at most 4 KB', async () => {
    const { failureOf } = await aDynamoDb();
    const ConditionExpression = `attribute_exists(${'a'.repeat(4096)})`;
    const failure = await failureOf('PutItem', put(aThing('a', '1'), { ConditionExpression }));
    expect(failure.message).toMatch(/Expression size has exceeded the maximum allowed size/);
  });
});

describe('limits', () => {
  it('an item has at most 400 KB, counted in bytes of UTF-8', async () => {
    const { send, failureOf } = await aDynamoDb();
    const fits = { id: s('a'), v: { S: 'é'.repeat((400 * 1024 - 4) / 2) } };
    await send('PutItem', { TableName: 'Plain', Item: fits });
    const failure = await failureOf('PutItem', { TableName: 'Plain', Item: { ...fits, w: s('') } });
    expect(failure.message).toMatch(/Item size has exceeded the maximum allowed size/);
  });

  it('an update cannot make an item larger than that', async () => {
    const { send, failureOf } = await aDynamoDb();
    await send('PutItem', { TableName: 'Plain', Item: { id: s('a'), v: ofBytes(300 * 1024) } });
    const failure = await failureOf('UpdateItem', {
      TableName: 'Plain',
      Key: { id: s('a') },
      UpdateExpression: 'SET w = :w',
      ExpressionAttributeValues: { ':w': ofBytes(150 * 1024) },
    });
    expect(failure.code).toBe('ValidationException');
  });

  it.each([
    ['an empty key', { pk: s(''), sk: s('1') }],
    ['a key of another type', { pk: n(1), sk: s('1') }],
    ['a missing key', { pk: s('a') }],
    ['an index key of another type', { pk: s('a'), sk: s('1'), group: n(1) }],
    ['an empty index key', { pk: s('a'), sk: s('1'), group: s('') }],
  ])('%s is rejected', async (_title, item) => {
    const { failureOf } = await aDynamoDb();
    expect((await failureOf('PutItem', put(item))).code).toBe('ValidationException');
  });
});

describe('calls', () => {
  it('an unsupported call fails by name', async () => {
    const { failureOf } = await aDynamoDb();
    for (const target of ['ExecuteTransaction', 'CreateGlobalTable', 'toString']) {
      const failure = await failureOf(target, {});
      expect(failure.code).toBe('UnknownOperationException');
      expect(failure.message).toContain(target);
    }
  });

  it('an unknown table is not found', async () => {
    const { failureOf } = await aDynamoDb();
    for (const [target, input] of [
      ['PutItem', { Item: { id: s('a') } }],
      ['GetItem', { Key: { id: s('a') } }],
      ['Scan', {}],
      ['DescribeTable', {}],
    ] as const) {
      expect((await failureOf(target, { TableName: 'Nothing', ...input })).code).toBe(
        'ResourceNotFoundException',
      );
    }
  });

  it('a table may be named by its ARN', async () => {
    const { send } = await aDynamoDb();
    await send('PutItem', { TableName: tableArn, Item: aThing('a', '1') });
    expect((await send('GetItem', { TableName: 'Things', Key: thingKey('a') })).Item).toEqual(
      aThing('a', '1'),
    );
  });

  it('UpdateItem returns the requested values', async () => {
    const { send } = await aDynamoDb();
    await send('PutItem', put(aThing('a', '1', { v: n(1), w: n(1) })));
    const update = (ReturnValues: string): object => ({
      TableName: 'Things',
      Key: thingKey('a'),
      UpdateExpression: 'SET v = v + :one, made = if_not_exists(made, :one) REMOVE w',
      ExpressionAttributeValues: { ':one': n(1) },
      ReturnValues,
    });
    expect((await send('UpdateItem', update('ALL_NEW'))).Attributes).toEqual(
      aThing('a', '1', { v: n(2), made: n(1) }),
    );
    expect((await send('UpdateItem', update('UPDATED_OLD'))).Attributes).toEqual({ v: n(2), made: n(1) });
    expect(await send('UpdateItem', update('NONE'))).toEqual({});
  });
});

describe('tables', () => {
  it('creating a table again preserves its items', async () => {
    const { service, send } = await aDynamoDb();
    await send('PutItem', put(aThing('a', '1')));
    await service.createTable(things);
    expect((await send('Scan', { TableName: 'Things' })).Count).toBe(1);
  });

  it('creating it with other keys or indexes fails with its name', async () => {
    const { service } = await aDynamoDb();
    await expect(service.createTable({ ...plain, name: 'Things' })).rejects.toThrow(/table Things exists/);
    await expect(service.createTable({ ...things, globalSecondaryIndexes: [] })).rejects.toThrow(/Things/);
  });

  it('a definition that DynamoDB would reject fails with its name', async () => {
    const { service } = await aDynamoDb();
    const broken = {
      ...plain,
      name: 'Broken',
      keySchema: [{ AttributeName: 'other', KeyType: 'HASH' as const }],
    };
    await expect(service.createTable(broken)).rejects.toThrow(
      /table Broken: .*not defined in AttributeDefinitions/,
    );
  });

  it('DescribeTable and ListTables return them', async () => {
    const { send } = await aDynamoDb();
    const { Table } = await send('DescribeTable', { TableName: tableArn });
    expect(Table).toMatchObject({ TableArn: tableArn, TableStatus: 'ACTIVE', KeySchema: things.keySchema });
    expect((await send('ListTables', {})).TableNames).toEqual(['Plain', 'Things']);
  });

  it('ListTagsOfResource returns the tags of their template', async () => {
    const { send, service } = await aDynamoDb();
    await service.createTable({ ...things, name: 'Tagged', tags: { owner: 'me' } });
    const tagsOf = (ResourceArn: string) => send('ListTagsOfResource', { ResourceArn });
    expect(await tagsOf(tableArn.replace('Things', 'Tagged'))).toEqual({
      Tags: [{ Key: 'owner', Value: 'me' }],
    });
    expect(await tagsOf(tableArn)).toEqual({ Tags: [] });
  });
});
