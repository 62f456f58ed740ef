import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aDynamoDb, aThing, n, ofBytes, s, tableArn, thingKey } from './a-dynamodb.ts';

const put = (pk: string, more: object = {}): object => ({
  Put: { TableName: 'Things', Item: aThing(pk, '1'), ...more },
});
const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
const present = { ConditionExpression: 'attribute_exists(pk)' };

describe('all or nothing', () => {
  it('puts, updates, deletes and checks over several tables happen together', async () => {
    const { send } = await aDynamoDb();
    await send('PutItem', { TableName: 'Things', Item: aThing('old', '1') });
    await send('PutItem', { TableName: 'Plain', Item: { id: s('counter'), v: n(1) } });
    const response = await send('TransactWriteItems', {
      TransactItems: [
        put('new', absent),
        { Delete: { TableName: tableArn, Key: thingKey('old'), ...present } },
        {
          Update: {
            TableName: 'Plain',
            Key: { id: s('counter') },
            UpdateExpression: 'ADD v :one',
            ExpressionAttributeValues: { ':one': n(1) },
          },
        },
        {
          ConditionCheck: {
            TableName: 'Plain',
            Key: { id: s('none') },
            ConditionExpression: 'attribute_not_exists(id)',
          },
        },
      ],
    });
    expect(response).toEqual({});
    expect((await send('Scan', { TableName: 'Things' })).Items).toEqual([aThing('new', '1')]);
    expect((await send('Scan', { TableName: 'Plain' })).Items).toEqual([{ id: s('counter'), v: n(2) }]);
  });

  it('a failed condition cancels all, with one reason for each part in their order', async () => {
    const { send, failureOf } = await aDynamoDb();
    const old = aThing('there', '1', { v: n(1) });
    await send('PutItem', { TableName: 'Things', Item: old });
    const failure = await failureOf('TransactWriteItems', {
      TransactItems: [
        put('a'),
        put('there', { ...absent, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        put('b'),
        {
          Delete: {
            TableName: 'Things',
            Key: thingKey('none'),
            ...present,
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
      ],
    });
    const message =
      'Transaction cancelled, please refer cancellation reasons for specific reasons ' +
      '[None, ConditionalCheckFailed, None, ConditionalCheckFailed]';
    const failed = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' };
    expect(failure.wire).toEqual({
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      Message: message,
      CancellationReasons: [{ Code: 'None' }, { ...failed, Item: old }, { Code: 'None' }, failed],
    });
    expect((await send('Scan', { TableName: 'Things' })).Items).toEqual([old]);
  });

  it('conditions see the items as they were before the transaction', async () => {
    const { send, failureOf } = await aDynamoDb();
    const failure = await failureOf('TransactWriteItems', {
      TransactItems: [
        put('a'),
        { ConditionCheck: { TableName: 'Things', Key: thingKey('b'), ...present } },
        put('c'),
      ],
    });
    expect(failure.message).toMatch(/\[None, ConditionalCheckFailed, None\]/);
    expect((await send('Scan', { TableName: 'Things' })).Count).toBe(0);
  });

  it('exactly one of several transactions over the same items succeeds', async () => {
    const { send } = await aDynamoDb();
    const attempts = Array.from({ length: 20 }, (_, index) =>
      send('TransactWriteItems', { TransactItems: [put('a', absent), put(`b${String(index)}`)] }),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await send('Scan', { TableName: 'Things' })).Count).toBe(2);
  });
});

describe('invalid requests', () => {
  it.each<[string, object[], RegExp]>([
    ['no parts', [], /TransactItems/],
    [
      '101 parts',
      Array.from({ length: 101 }, (_, index) => put(String(index))),
      /length less than or equal to 100/,
    ],
    [
      'a part with two operations',
      [{ ...put('a'), Delete: { TableName: 'Things', Key: thingKey('b') } }],
      /can only contain one/,
    ],
    ['a part with none', [{}], /can only contain one/],
    ['a part of another kind', [{ Get: { TableName: 'Things', Key: thingKey('a') } }], /Get/],
    [
      'one item twice',
      [put('a'), { ConditionCheck: { TableName: tableArn, Key: thingKey('a'), ...present } }],
      /multiple operations on one item/,
    ],
    [
      'a check without a condition',
      [{ ConditionCheck: { TableName: 'Things', Key: thingKey('a') } }],
      /ConditionExpression/,
    ],
    [
      'an update without an expression',
      [{ Update: { TableName: 'Things', Key: thingKey('a') } }],
      /UpdateExpression/,
    ],
    [
      'an expression that does not parse',
      [put('a', { ConditionExpression: 'pk ==' })],
      /Invalid ConditionExpression/,
    ],
    ['an empty key', [{ Put: { TableName: 'Things', Item: { pk: s(''), sk: s('1') } } }], /empty string/],
  ])('%s is rejected as a whole', async (_title, TransactItems, message) => {
    const { send, failureOf } = await aDynamoDb();
    const failure = await failureOf('TransactWriteItems', { TransactItems });
    expect(failure.code).toBe('ValidationException');
    expect(failure.message).toMatch(message);
    expect((await send('Scan', { TableName: 'Things' })).Count).toBe(0);
  });

  it('100 parts are allowed', async () => {
    const { send } = await aDynamoDb();
    await send('TransactWriteItems', {
      TransactItems: Array.from({ length: 100 }, (_, index) => put(String(index))),
    });
    expect((await send('Scan', { TableName: 'Things' })).Count).toBe(100);
  });

  it('a key that does not fit the table cancels with ValidationError, before any condition', async () => {
    const { failureOf } = await aDynamoDb();
    const failure = await failureOf('TransactWriteItems', {
      TransactItems: [put('a', present), { Delete: { TableName: 'Things', Key: { pk: s('a') } } }],
    });
    expect(failure.wire['CancellationReasons']).toEqual([
      { Code: 'None' },
      { Code: 'ValidationError', Message: 'The provided key element does not match the schema' },
    ]);
  });

  it('an update that makes its item too large cancels with ValidationError', async () => {
    const { send, failureOf } = await aDynamoDb();
    await send('PutItem', { TableName: 'Plain', Item: { id: s('a'), v: ofBytes(300 * 1024) } });
    const failure = await failureOf('TransactWriteItems', {
      TransactItems: [
        put('a'),
        {
          Update: {
            TableName: 'Plain',
            Key: { id: s('a') },
            UpdateExpression: 'SET w = v',
          },
        },
      ],
    });
    expect(failure.message).toMatch(/\[None, ValidationError\]/);
    expect((await send('Scan', { TableName: 'Things' })).Count).toBe(0);
  });

  it('items of more than 4 MB together are rejected', async () => {
    const { send, failureOf } = await aDynamoDb();
    const big = (id: string): object => ({
      Put: { TableName: 'Plain', Item: { id: s(id), v: ofBytes(399 * 1024) } },
    });
    const many = Array.from({ length: 11 }, (_, index) => big(String(index)));
    expect((await failureOf('TransactWriteItems', { TransactItems: many })).code).toBe('ValidationException');
    expect((await send('Scan', { TableName: 'Plain', Select: 'COUNT' })).Count).toBe(0);
    await send('TransactWriteItems', { TransactItems: many.slice(0, 10) });
  });

  it('an unknown table is not found', async () => {
    const { failureOf } = await aDynamoDb();
    const unknown = { Put: { TableName: 'Nothing', Item: aThing('a', '1') } };
    expect((await failureOf('TransactWriteItems', { TransactItems: [put('a'), unknown] })).code).toBe(
      'ResourceNotFoundException',
    );
  });
});

describe('client request tokens', () => {
  const increment = (ClientRequestToken: string, by = 1): object => ({
    ClientRequestToken,
    TransactItems: [
      {
        Update: {
          TableName: 'Plain',
          Key: { id: s('counter') },
          UpdateExpression: 'ADD v :by',
          ExpressionAttributeValues: { ':by': n(by) },
        },
      },
    ],
  });
  const counter = { TableName: 'Plain', Key: { id: s('counter') } };

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('the same request with the same token is applied once', async () => {
    const { send } = await aDynamoDb();
    await Promise.all([1, 2, 3].map(() => send('TransactWriteItems', increment('t'))));
    expect((await send('GetItem', counter)).Item?.['v']).toEqual(n(1));
    await send('TransactWriteItems', increment('u'));
    expect((await send('GetItem', counter)).Item?.['v']).toEqual(n(2));
  });

  it('another request with the same token is rejected', async () => {
    const { send, failureOf } = await aDynamoDb();
    await send('TransactWriteItems', increment('t'));
    expect((await failureOf('TransactWriteItems', increment('t', 2))).code).toBe(
      'IdempotentParameterMismatchException',
    );
  });

  it('a cancelled transaction may be retried with its token', async () => {
    const { send, failureOf } = await aDynamoDb();
    const request = {
      ClientRequestToken: 't',
      TransactItems: [put('a'), { ConditionCheck: { TableName: 'Things', Key: thingKey('b'), ...present } }],
    };
    await failureOf('TransactWriteItems', request);
    await send('PutItem', { TableName: 'Things', Item: aThing('b', '1') });
    await send('TransactWriteItems', request);
    expect((await send('Scan', { TableName: 'Things' })).Count).toBe(2);
  });

  it('a token is forgotten after ten minutes', async () => {
    const { send } = await aDynamoDb();
    const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
    await send('TransactWriteItems', increment('t'));
    now.mockReturnValue(1_000_000 + 599_999);
    await send('TransactWriteItems', increment('t'));
    expect((await send('GetItem', counter)).Item?.['v']).toEqual(n(1));
    now.mockReturnValue(1_000_000 + 600_000);
    await send('TransactWriteItems', increment('t'));
    expect((await send('GetItem', counter)).Item?.['v']).toEqual(n(2));
  });

  it('a token is remembered across a restart', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'dynamodb-'));
    try {
      const first = await aDynamoDb(directory);
      await first.send('TransactWriteItems', increment('t'));
      await first.service.close();
      const second = await aDynamoDb(directory);
      await second.send('TransactWriteItems', increment('t'));
      expect((await second.send('GetItem', counter)).Item?.['v']).toEqual(n(1));
      await second.service.close();
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
