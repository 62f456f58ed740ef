import { aDynamoDb, aThing, n, s, tableArn, thingKey } from './a-dynamodb.ts';

const plainArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Plain';
const leading = (...keys: string[]) => ({ context: { 'dynamodb:LeadingKeys': keys } });
const writing = (keys: readonly string[], attributes: readonly string[]) => ({
  context: { 'dynamodb:LeadingKeys': keys, 'dynamodb:Attributes': attributes },
});
const thing = Object.keys(aThing('a', '1'));
const key = Object.keys(thingKey('a'));

it.each([
  ['PutItem', { TableName: 'Things', Item: aThing('a', '1') }, writing(['a'], thing)],
  ['GetItem', { TableName: tableArn, Key: thingKey('a') }, leading('a')],
  ['DeleteItem', { TableName: 'Things', Key: thingKey('a') }, writing(['a'], key)],
  [
    'UpdateItem',
    {
      TableName: 'Things',
      Key: thingKey('a'),
      UpdateExpression: 'SET #y.z = rank1 + :n REMOVE x',
      ConditionExpression: 'attribute_not_exists(rank2) AND size(rank3) > :n',
      ExpressionAttributeNames: { '#y': 'y' },
      ExpressionAttributeValues: { ':n': n(1) },
    },
    writing(['a'], [...key, 'y', 'rank1', 'x', 'rank2', 'rank3']),
  ],
])('%s needs its action on the table, for partition keys and attributes', async (target, input, more) => {
  const { accesses } = await aDynamoDb();
  expect(accesses(target, input)).toEqual([{ action: `dynamodb:${target}`, resource: tableArn, ...more }]);
});

it('a query of a table needs permission on the table, and one of an index on the index only', async () => {
  const { accesses } = await aDynamoDb();
  const table = {
    TableName: 'Things',
    KeyConditionExpression: 'pk = :a',
    ExpressionAttributeValues: { ':a': s('a') },
  };
  expect(accesses('Query', table)).toEqual([
    { action: 'dynamodb:Query', resource: tableArn, ...leading('a') },
  ]);
  const index = {
    TableName: 'Things',
    IndexName: 'by-rank',
    KeyConditionExpression: '#g = :g AND #r > :r',
    ExpressionAttributeNames: { '#g': 'group', '#r': 'rank' },
    ExpressionAttributeValues: { ':g': s('g'), ':r': n(1) },
  };
  expect(accesses('Query', index)).toEqual([
    { action: 'dynamodb:Query', resource: `${tableArn}/index/by-rank`, ...leading('g') },
  ]);
  expect(accesses('Scan', { TableName: 'Things', IndexName: 'whole' })).toEqual([
    { action: 'dynamodb:Scan', resource: `${tableArn}/index/whole` },
  ]);
});

it('a transaction needs the permission of each of its parts', async () => {
  const { accesses } = await aDynamoDb();
  const check = { ConditionExpression: 'attribute_exists(pk)' };
  const TransactItems = [
    { Put: { TableName: 'Things', Item: aThing('a', '1') } },
    { Put: { TableName: 'Things', Item: aThing('b', '1') } },
    { Delete: { TableName: 'Plain', Key: { id: s('c') } } },
    { Update: { TableName: 'Things', Key: thingKey('d'), UpdateExpression: 'REMOVE x' } },
    { ConditionCheck: { TableName: 'Things', Key: thingKey('e'), ...check } },
  ];
  expect(accesses('TransactWriteItems', { TransactItems })).toEqual([
    { action: 'dynamodb:PutItem', resource: tableArn, ...writing(['a', 'b'], thing) },
    { action: 'dynamodb:DeleteItem', resource: plainArn, ...writing(['c'], ['id']) },
    { action: 'dynamodb:UpdateItem', resource: tableArn, ...writing(['d'], [...key, 'x']) },
    { action: 'dynamodb:ConditionCheckItem', resource: tableArn, ...writing(['e'], key) },
  ]);
});

it('a batch needs its own action on every table', async () => {
  const { accesses } = await aDynamoDb();
  const gets = { Things: { Keys: [thingKey('a'), thingKey('b')] }, Plain: { Keys: [{ id: s('c') }] } };
  expect(accesses('BatchGetItem', { RequestItems: gets })).toEqual([
    { action: 'dynamodb:BatchGetItem', resource: tableArn, ...leading('a', 'b') },
    { action: 'dynamodb:BatchGetItem', resource: plainArn, ...leading('c') },
  ]);
  const writes = {
    Plain: [{ PutRequest: { Item: { id: s('a') } } }, { DeleteRequest: { Key: { id: s('b') } } }],
  };
  expect(accesses('BatchWriteItem', { RequestItems: writes })).toEqual([
    { action: 'dynamodb:BatchWriteItem', resource: plainArn, ...leading('a', 'b') },
  ]);
});

it('a missing table is checked for permission first', async () => {
  const { accesses } = await aDynamoDb();
  expect(accesses('GetItem', { TableName: 'Nothing', Key: { id: s('a') } })).toEqual([
    { action: 'dynamodb:GetItem', resource: 'arn:aws:dynamodb:eu-west-1:123456789012:table/Nothing' },
  ]);
});
