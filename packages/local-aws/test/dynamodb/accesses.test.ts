import { aDynamoDb, aThing, n, s, tableArn, thingKey } from './a-dynamodb.ts';

const plainArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Plain';
const leading = (...keys: string[]) => ({ context: { 'dynamodb:LeadingKeys': keys } });

it.each([
  ['PutItem', { TableName: 'Things', Item: aThing('a', '1') }],
  ['GetItem', { TableName: tableArn, Key: thingKey('a') }],
  ['DeleteItem', { TableName: 'Things', Key: thingKey('a') }],
  ['UpdateItem', { TableName: 'Things', Key: thingKey('a'), UpdateExpression: 'REMOVE x' }],
])('%s needs its action on the table, for the partition key', async (target, input) => {
  const { accesses } = await aDynamoDb();
  expect(accesses(target, input)).toEqual([
    { action: `dynamodb:${target}`, resource: tableArn, ...leading('a') },
  ]);
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
    { action: 'dynamodb:PutItem', resource: tableArn, ...leading('a', 'b') },
    { action: 'dynamodb:DeleteItem', resource: plainArn, ...leading('c') },
    { action: 'dynamodb:UpdateItem', resource: tableArn, ...leading('d') },
    { action: 'dynamodb:ConditionCheckItem', resource: tableArn, ...leading('e') },
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
