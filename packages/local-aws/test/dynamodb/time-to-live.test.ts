import { aDynamoDb, aThing, n, s, thingKey, things } from './a-dynamodb.ts';

const now = 1_800_000_000;

describe('expireItems', () => {
  it('removes only expired items, also from indexes', async () => {
    const { service, send } = await aDynamoDb();
    const items = [
      aThing('past', '1', { gone_at: n(now - 1), group: s('g') }),
      aThing('this second', '1', { gone_at: n(now), group: s('g') }),
      aThing('future', '1', { gone_at: n(now + 1), group: s('g') }),
      aThing('long ago', '1', { gone_at: n(now - 6 * 365 * 86_400), group: s('g') }),
      aThing('text', '1', { gone_at: s(String(now - 1)), group: s('g') }),
      aThing('never', '1', { group: s('g') }),
    ];
    for (const Item of items) await send('PutItem', { TableName: 'Things', Item });
    expect(await service.expireItems(now)).toBe(1);
    const left = (await send('Scan', { TableName: 'Things', IndexName: 'by-group' })).Items?.map(
      ({ pk }) => pk?.S,
    );
    expect(left?.toSorted()).toEqual(['future', 'long ago', 'never', 'text', 'this second']);
    expect(await service.expireItems(now)).toBe(0);
  });

  it('uses the current expiry of the item', async () => {
    const { service, send } = await aDynamoDb();
    await send('PutItem', { TableName: 'Things', Item: aThing('later', '1', { gone_at: n(now - 5) }) });
    await send('PutItem', { TableName: 'Things', Item: aThing('saved', '1', { gone_at: n(now - 5) }) });
    await send('UpdateItem', {
      TableName: 'Things',
      Key: thingKey('later'),
      UpdateExpression: 'SET gone_at = :t',
      ExpressionAttributeValues: { ':t': n(now + 5) },
    });
    await send('UpdateItem', {
      TableName: 'Things',
      Key: thingKey('saved'),
      UpdateExpression: 'REMOVE gone_at',
    });
    expect(await service.expireItems(now)).toBe(0);
    expect(await service.expireItems(now + 6)).toBe(1);
    expect((await send('Scan', { TableName: 'Things' })).Items).toEqual([aThing('saved', '1')]);
  });

  it('removes many items', async () => {
    const { service, send } = await aDynamoDb();
    await Promise.all(
      Array.from({ length: 250 }, (_, index) =>
        send('PutItem', {
          TableName: 'Things',
          Item: aThing(String(index), '1', { gone_at: n(now - index - 1) }),
        }),
      ),
    );
    expect(await service.expireItems(now)).toBe(250);
  });
});

describe('settings', () => {
  it('an attribute that is turned on later also applies to existing items', async () => {
    const { service, send } = await aDynamoDb();
    await send('PutItem', { TableName: 'Plain', Item: { id: s('a'), until: n(now - 1) } });
    expect(await service.expireItems(now)).toBe(0);
    await send('UpdateTimeToLive', {
      TableName: 'Plain',
      TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
    });
    expect((await send('DescribeTimeToLive', { TableName: 'Plain' })).TimeToLiveDescription).toEqual({
      TimeToLiveStatus: 'ENABLED',
      AttributeName: 'until',
    });
    expect(await service.expireItems(now)).toBe(1);
  });

  it('a template may change the attribute of an existing table', async () => {
    const { service, send } = await aDynamoDb();
    await send('PutItem', { TableName: 'Things', Item: aThing('a', '1', { gone_at: n(now - 1) }) });
    const { timeToLiveAttribute: _attribute, ...withoutTtl } = things;
    await service.createTable(withoutTtl);
    expect((await send('DescribeTimeToLive', { TableName: 'Things' })).TimeToLiveDescription).toEqual({
      TimeToLiveStatus: 'DISABLED',
    });
    expect(await service.expireItems(now)).toBe(0);
    await service.createTable(things);
    expect(await service.expireItems(now)).toBe(1);
  });
});
