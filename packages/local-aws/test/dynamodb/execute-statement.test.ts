import {
  BatchExecuteStatementCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  ScanCommand,
  type AttributeValue,
  type BatchStatementRequest,
} from '@aws-sdk/client-dynamodb';
import type { CallRecord } from '../../src/aws-endpoint/call-counter.ts';
import { startAwsEndpoint, type AwsEndpoint } from '../../src/aws-endpoint/start-aws-endpoint.ts';
import type { Role } from '../../src/aws-service.ts';
import { createDynamoDb, type DynamoDb } from '../../src/dynamodb/create-dynamodb.ts';
import { account, aDynamoDb, n, ofBytes, plain, s, tableArn, things } from './a-dynamodb.ts';
import { issuedTo } from '../issued-key.ts';

const plainArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Plain';

function aRole(name: string, ...actions: string[]): Role {
  const policy = {
    Statement: [{ Effect: 'Allow' as const, Action: actions, Resource: [tableArn, `${tableArn}/index/*`] }],
  };
  return { arn: `arn:aws:iam::123456789012:role/${name}`, policies: [policy] };
}

const roles: Readonly<Record<string, Role>> = {
  PUTTER: aRole('putter', 'dynamodb:PutItem', 'dynamodb:BatchWriteItem'),
  INSERTER: aRole('inserter', 'dynamodb:PartiQLInsert'),
  ALL: aRole('all', 'dynamodb:PartiQL*'),
};

let dynamoDb: DynamoDb;
let endpoint: AwsEndpoint;
let admin: DynamoDBClient;
const records: CallRecord[] = [];
const clients: DynamoDBClient[] = [];

function clientAs(accessKeyId: string): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint: endpoint.url,
    region: account.region,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey: 'secret' },
  });
  clients.push(client);
  return client;
}

beforeEach(async () => {
  dynamoDb = await createDynamoDb(account);
  await dynamoDb.createTable(things);
  await dynamoDb.createTable(plain);
  endpoint = await startAwsEndpoint({
    ...account,
    services: [dynamoDb],
    issuedKey: (accessKeyId) => issuedTo(roles[accessKeyId] ?? 'administrator'),
    onCall: (record) => records.push(record),
  });
  admin = clientAs('ADMIN');
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await endpoint.close();
  await dynamoDb.close();
  records.length = 0;
});

const insertThing = `INSERT INTO "Things" VALUE {'pk': ?, 'sk': ?, 'v': ?}`;
const thing = (pk: string, v = 1): BatchStatementRequest => ({
  Statement: insertThing,
  Parameters: [s(pk), s('1'), n(v)],
});
const single = (Statement: string, Parameters?: AttributeValue[]) =>
  new ExecuteStatementCommand({ Statement, ...(Parameters !== undefined && { Parameters }) });
const batch = (...Statements: BatchStatementRequest[]) => new BatchExecuteStatementCommand({ Statements });

async function stored(TableName = 'Things'): Promise<unknown> {
  const { Items = [] } = await admin.send(new ScanCommand({ TableName }));
  return Items;
}

describe('ExecuteStatement', () => {
  it('inserts an item of parameters', async () => {
    const response = await admin.send(new ExecuteStatementCommand(thing('a') as { Statement: string }));
    expect(response.Items).toEqual([]);
    expect(await stored()).toEqual([{ pk: s('a'), sk: s('1'), v: n(1) }]);
  });

  it('never overwrites', async () => {
    await admin.send(single(insertThing, [s('a'), s('1'), n(1)]));
    await expect(admin.send(single(insertThing, [s('a'), s('1'), n(2)]))).rejects.toMatchObject({
      name: 'DuplicateItemException',
      message: 'Duplicate primary key exists in table',
      $metadata: { httpStatusCode: 400 },
    });
    expect(await stored()).toEqual([{ pk: s('a'), sk: s('1'), v: n(1) }]);
  });

  it('costs the same as PutItem of the item, even if the item exists', async () => {
    const insert = new ExecuteStatementCommand({
      Statement: `INSERT INTO "Things" VALUE {'pk': ?, 'sk': ?, 'group': ?, 'text': ?}`,
      Parameters: [s('a'), s('1'), s('g'), ofBytes(2000)],
      ReturnConsumedCapacity: 'INDEXES',
    });
    expect((await admin.send(insert)).ConsumedCapacity).toEqual({
      TableName: 'Things',
      CapacityUnits: 3,
      Table: { CapacityUnits: 2 },
      GlobalSecondaryIndexes: { 'by-group': { CapacityUnits: 1 } },
    });
    await expect(admin.send(insert)).rejects.toThrow();
    expect(records.map(({ action, consumedCapacity }) => [action, consumedCapacity])).toEqual([
      ['dynamodb:ExecuteStatement', 3],
      ['dynamodb:ExecuteStatement', 2],
    ]);
  });

  it.each<[string, string, AttributeValue[] | undefined, RegExp]>([
    ['too few parameters', insertThing, [s('a'), s('1')], /parameters .* don't match/],
    ['too many parameters', insertThing, [s('a'), s('1'), n(1), n(2)], /parameters .* don't match/],
    ['no parameters', insertThing, undefined, /parameters .* don't match/],
    ['a key of another type', insertThing, [n(1), s('1'), n(1)], /pk/],
    ['an empty key', insertThing, [s(''), s('1'), n(1)], /empty string value. Key: pk/],
    ['a missing key', `INSERT INTO "Things" VALUE {'pk': ?}`, [s('a')], /sk/],
    ['an item of more than 400 KB', insertThing, [s('a'), s('1'), ofBytes(410 * 1024)], /size has exceeded/],
    [
      'an empty key of an index',
      `INSERT INTO "Things" VALUE {'pk': ?, 'sk': ?, 'group': ?}`,
      [s('a'), s('1'), s('')],
      /IndexName: by-rank/,
    ],
    [
      'a duplicate attribute',
      `INSERT INTO "Things" VALUE {'a': ?, 'a': ?}`,
      [s('a'), s('b')],
      /Duplicate keys/,
    ],
    ['a value that is no number', insertThing, [s('a'), s('1'), { N: 'abc' }], /numeric value/],
    ['a request for the existing item', insertThing, [s('a'), s('1'), n(1)], /expected "NONE"/],
    ['no statement at all', 'MERGE INTO "Things"', undefined, /wasn't well formed/],
  ])('rejects %s', async (title, text, parameters, message) => {
    const command = single(text, parameters);
    if (title === 'a request for the existing item')
      command.input.ReturnValuesOnConditionCheckFailure = 'ALL_OLD';
    await expect(admin.send(command)).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(message) as string,
    });
    expect(await stored()).toEqual([]);
  });

  it('rejects a table that does not exist', async () => {
    const text = `INSERT INTO "Nothing" VALUE {'id': ?}`;
    await expect(admin.send(single(text, [s('a')]))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

describe('statements that do not run locally', () => {
  const others = [
    ['Select', `SELECT * FROM "Things" WHERE pk = ?`, /PartiQL SELECT does not run locally/],
    ['Update', `UPDATE "Things" SET v = 1 WHERE pk = 'a'`, /PartiQL UPDATE does not run locally/],
    ['Delete', `DELETE FROM "Things" WHERE pk = 'a'`, /PartiQL DELETE does not run locally/],
    ['Insert', `INSERT INTO "Things" VALUE {'pk': 'secret', 'sk': ?}`, /PartiQL INSERT of other than/],
    ['Insert', `INSERT INTO "Things" VALUE {'pk': ?} RETURNING ALL OLD *`, /PartiQL INSERT of other than/],
  ] as const;

  it.each(others)(
    '%s needs its own permission, and with it is rejected by name: %s',
    async (verb, text, message) => {
      const without = verb === 'Insert' ? 'PUTTER' : 'INSERTER';
      await expect(clientAs(without).send(single(text))).rejects.toMatchObject({
        name: 'AccessDeniedException',
        message: expect.stringContaining(`dynamodb:PartiQL${verb} on resource: ${tableArn}`) as string,
      });
      for (const command of [single(text), batch({ Statement: text })]) {
        const refused = await clientAs('ALL')
          .send(command as ExecuteStatementCommand)
          .catch((error: unknown) => error as Error);
        expect(refused).toMatchObject({ name: 'UnknownOperationException' });
        expect((refused as Error).message).toMatch(message);
        expect((refused as Error).message).not.toMatch(/secret/);
      }
    },
  );
});

describe('BatchExecuteStatement', () => {
  it('executes each statement separately, and returns the results in their order', async () => {
    await admin.send(single(insertThing, [s('b'), s('1'), n(0)]));
    const { Responses } = await admin.send(
      batch(
        thing('a'),
        thing('b'),
        { Statement: `INSERT INTO "Nothing" VALUE {'id': ?}`, Parameters: [s('x')] },
        { Statement: insertThing, Parameters: [n(1), s('1'), n(1)] },
        { Statement: insertThing, Parameters: [s('big'), s('1'), ofBytes(410 * 1024)] },
        { Statement: insertThing, Parameters: [s('few')] },
        { Statement: 'nonsense' },
        { Statement: `INSERT INTO "Plain" VALUE {'id': ?}`, Parameters: [s('c')] },
      ),
    );
    const failed = (Code: string, named: object = {}) => ({
      Error: { Code, Message: expect.any(String) as string },
      ...named,
    });
    const inThings = { TableName: 'Things' };
    // A statement that does not fit its table names none.
    expect(Responses).toEqual([
      inThings,
      { Error: { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' }, ...inThings },
      failed('ResourceNotFound'),
      failed('ValidationError'),
      failed('ValidationError', inThings),
      failed('ValidationError'),
      failed('ValidationError'),
      { TableName: 'Plain' },
    ]);
    expect(await stored()).toEqual(
      expect.arrayContaining([
        { pk: s('a'), sk: s('1'), v: n(1) },
        { pk: s('b'), sk: s('1'), v: n(0) },
      ]),
    );
    expect(await stored()).toHaveLength(2);
    expect(await stored('Plain')).toEqual([{ id: s('c') }]);
  });

  it('is rejected as a whole if a parameter has no valid value, and inserts nothing', async () => {
    const wrong = { Statement: insertThing, Parameters: [s('b'), s('1'), { N: 'abc' }] };
    for (const statements of [
      [thing('a'), wrong],
      [thing('a'), { ...wrong, Statement: 'nonsense' }],
    ])
      await expect(admin.send(batch(...statements))).rejects.toMatchObject({
        name: 'ValidationException',
        message: expect.stringMatching(/numeric value/) as string,
      });
    expect(await stored()).toEqual([]);
  });

  it('costs its inserts and duplicates, by table', async () => {
    await admin.send(single(insertThing, [s('b'), s('1'), n(0)]));
    records.length = 0;
    const { ConsumedCapacity } = await admin.send(
      new BatchExecuteStatementCommand({
        Statements: [
          thing('a'),
          thing('b'),
          { Statement: insertThing, Parameters: [s('')] },
          { Statement: `INSERT INTO "Plain" VALUE {'id': ?}`, Parameters: [s('c')] },
        ],
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(ConsumedCapacity).toEqual([
      { TableName: 'Things', CapacityUnits: 2 },
      { TableName: 'Plain', CapacityUnits: 1 },
    ]);
    expect(records).toMatchObject([
      {
        action: 'dynamodb:BatchExecuteStatement',
        principal: 'administrator',
        resources: [tableArn, plainArn],
        consumedCapacity: 3,
      },
    ]);
  });

  it('accepts 25 statements, and rejects none and 26', async () => {
    const many = Array.from({ length: 26 }, (_, index) => thing(`p${String(index)}`));
    for (const refused of [[], many])
      await expect(admin.send(batch(...refused))).rejects.toMatchObject({ name: 'ValidationException' });
    expect(await stored()).toEqual([]);
    await admin.send(batch(...many.slice(0, 25)));
    expect(await stored()).toHaveLength(25);
  });

  it('rejects two statements on one item, and inserts nothing', async () => {
    await expect(admin.send(batch(thing('a'), thing('b'), thing('a', 2)))).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(/duplicates/) as string,
    });
    expect(await stored()).toEqual([]);
  });

  it('rejects a mix of reads and writes', async () => {
    const mixed = batch(thing('a'), { Statement: 'SELECT * FROM "Things"' });
    await expect(admin.send(mixed)).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(/either read statements or write statements/) as string,
    });
  });

  it('is rejected as a whole if one of its tables is forbidden', async () => {
    const inserter = clientAs('INSERTER');
    const elsewhere = { Statement: `INSERT INTO "Plain" VALUE {'id': ?}`, Parameters: [s('c')] };
    await expect(inserter.send(batch(thing('a'), elsewhere))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(`dynamodb:PartiQLInsert on resource: ${plainArn}`) as string,
    });
    expect(await stored()).toEqual([]);
    await inserter.send(batch(thing('a')));
    await expect(clientAs('PUTTER').send(batch(thing('b')))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });

  it('names the partition keys of its inserts, for IAM', async () => {
    const { accesses } = await aDynamoDb();
    expect(accesses('BatchExecuteStatement', { Statements: [thing('a'), thing('b')] })).toEqual([
      {
        action: 'dynamodb:PartiQLInsert',
        resource: tableArn,
        context: { 'dynamodb:LeadingKeys': ['a', 'b'] },
      },
    ]);
  });
});
