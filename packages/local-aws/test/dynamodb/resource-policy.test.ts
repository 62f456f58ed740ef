import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  BatchExecuteStatementCommand,
  DeleteItemCommand,
  DeleteResourcePolicyCommand,
  DynamoDBClient,
  GetResourcePolicyCommand,
  PutItemCommand,
  PutResourcePolicyCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { startAwsEndpoint, type AwsEndpoint } from '../../src/aws-endpoint/start-aws-endpoint.ts';
import type { PolicyDocument, Role } from '../../src/aws-service.ts';
import { createDynamoDb, type DynamoDb } from '../../src/dynamodb/create-dynamodb.ts';
import { account, aDynamoDb, plain, s, tableArn, things } from './a-dynamodb.ts';
import { issuedTo } from '../issued-key.ts';

const plainArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Plain';
const writerArn = 'arn:aws:iam::123456789012:role/writer';

const role = (arn: string, ...Action: string[]): Role => ({
  arn,
  policies: [{ Statement: [{ Effect: 'Allow', Action, Resource: '*' }] }],
});
const roles: Readonly<Record<string, Role>> = {
  WRITER: role(writerArn, 'dynamodb:*'),
  OTHER: role('arn:aws:iam::123456789012:role/other', 'dynamodb:*'),
  NOTHING: { arn: 'arn:aws:iam::123456789012:role/nothing', policies: [] },
};

/** One role inserts; all changes and deletions are denied. Another may read the indexes. */
const appendOnly: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Deny',
      Principal: '*',
      Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'],
      Resource: '*',
    },
    {
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 'dynamodb:PartiQLInsert',
      Resource: tableArn,
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': writerArn } },
    },
    {
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::123456789012:role/nothing' },
      Action: 'dynamodb:Scan',
      Resource: `${tableArn}/index/*`,
    },
  ],
};

let dynamoDb: DynamoDb;
let endpoint: AwsEndpoint;
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
  await dynamoDb.createTable({ ...things, resourcePolicy: appendOnly });
  await dynamoDb.createTable(plain);
  endpoint = await startAwsEndpoint({
    ...account,
    services: [dynamoDb],
    issuedKey: (accessKeyId) => issuedTo(roles[accessKeyId] ?? 'administrator'),
  });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await endpoint.close();
  await dynamoDb.close();
});

const key = (pk: string) => ({ pk: s(pk), sk: s('1') });
const put = (pk: string) => new PutItemCommand({ TableName: 'Things', Item: key(pk) });
const remove = (pk: string) => new DeleteItemCommand({ TableName: 'Things', Key: key(pk) });
const insert = (pk: string) =>
  new BatchExecuteStatementCommand({
    Statements: [{ Statement: `INSERT INTO "Things" VALUE {'pk': ?, 'sk': ?}`, Parameters: [s(pk), s('1')] }],
  });
const about = { ResourceArn: tableArn };

const explicitDeny = {
  name: 'AccessDeniedException',
  message: expect.stringMatching(/ with an explicit deny in a resource-based policy$/) as string,
};

it.each(['WRITER', 'OTHER', 'ADMIN'])('a deny for every principal applies to %s', async (caller) => {
  const client = clientAs(caller);
  await expect(client.send(put('a'))).rejects.toMatchObject(explicitDeny);
  await expect(client.send(remove('a'))).rejects.toMatchObject(explicitDeny);
  await client.send(new PutItemCommand({ TableName: 'Plain', Item: { id: s('a') } }));
});

it('a deny for all but one role exempts only that role', async () => {
  await clientAs('WRITER').send(insert('a'));
  await expect(clientAs('OTHER').send(insert('b'))).rejects.toMatchObject(explicitDeny);
  await expect(clientAs('ADMIN').send(insert('b'))).rejects.toMatchObject({
    ...explicitDeny,
    message: expect.stringContaining('User: arn:aws:iam::123456789012:root is not authorized') as string,
  });
});

it('an allow of an index suffices for that index only', async () => {
  const client = clientAs('NOTHING');
  await client.send(new ScanCommand({ TableName: 'Things', IndexName: 'whole' }));
  await expect(client.send(new ScanCommand({ TableName: 'Things' }))).rejects.toMatchObject({
    message: expect.stringMatching(/because no identity-based policy allows/) as string,
  });
});

it('an insider removes the policy, changes the table and puts the policy back', async () => {
  const admin = clientAs('ADMIN');
  await clientAs('WRITER').send(insert('a'));
  const { Policy, RevisionId } = await admin.send(new GetResourcePolicyCommand(about));
  expect(JSON.parse(Policy ?? '')).toEqual(appendOnly);
  expect(await admin.send(new DeleteResourcePolicyCommand(about))).toMatchObject({ RevisionId });
  await admin.send(remove('a'));
  await admin.send(new PutResourcePolicyCommand({ ...about, Policy }));
  await expect(admin.send(put('a'))).rejects.toMatchObject(explicitDeny);
});

it('the root can delete a policy that denies everything, and a role cannot', async () => {
  const Statement = [{ Effect: 'Deny', Principal: '*', Action: 'dynamodb:*', Resource: '*' }];
  const admin = clientAs('ADMIN');
  await admin.send(new PutResourcePolicyCommand({ ...about, Policy: JSON.stringify({ Statement }) }));
  await expect(admin.send(new GetResourcePolicyCommand(about))).rejects.toMatchObject(explicitDeny);
  const deletion = new DeleteResourcePolicyCommand(about);
  await expect(clientAs('WRITER').send(deletion)).rejects.toMatchObject(explicitDeny);
  await admin.send(deletion);
  await admin.send(put('a'));
});

describe('the calls about policies', () => {
  it('a missing policy cannot be read, but can be deleted', async () => {
    const admin = clientAs('ADMIN');
    await expect(admin.send(new GetResourcePolicyCommand({ ResourceArn: plainArn }))).rejects.toMatchObject({
      name: 'PolicyNotFoundException',
    });
    const response = await admin.send(new DeleteResourcePolicyCommand({ ResourceArn: plainArn }));
    expect(response.RevisionId).toBeUndefined();
  });

  it('an identical policy preserves its revision, and another one gets a new one', async () => {
    const admin = clientAs('ADMIN');
    const revisionOf = async (document: PolicyDocument) =>
      (await admin.send(new PutResourcePolicyCommand({ ...about, Policy: JSON.stringify(document) })))
        .RevisionId;
    const first = await revisionOf(appendOnly);
    expect(await revisionOf(appendOnly)).toBe(first);
    expect(await revisionOf({ Statement: appendOnly.Statement.slice(1) })).not.toBe(first);
  });

  it.each([
    ['an invalid policy', { ...about, Policy: '{"Statement": 1}' }, 'ValidationException'],
    ['a policy that is not JSON', { ...about, Policy: '{' }, 'ValidationException'],
    [
      'a name instead of an ARN',
      { ResourceArn: 'Things', Policy: '{"Statement":[]}' },
      'ValidationException',
    ],
    [
      'a table that does not exist',
      { ResourceArn: `${plainArn}s`, Policy: '{"Statement":[]}' },
      'ResourceNotFoundException',
    ],
  ])('%s is rejected', async (_title, input, code) => {
    await expect(clientAs('ADMIN').send(new PutResourcePolicyCommand(input))).rejects.toMatchObject({
      name: code,
    });
  });

  it('each needs its own action on the table', async () => {
    const { accesses } = await aDynamoDb();
    for (const action of ['PutResourcePolicy', 'GetResourcePolicy', 'DeleteResourcePolicy']) {
      const input = { ...about, ...(action === 'PutResourcePolicy' && { Policy: '{"Statement":[]}' }) };
      expect(accesses(action, input)).toEqual([{ action: `dynamodb:${action}`, resource: tableArn }]);
    }
  });
});

it('a policy in a directory survives a restart, and a start writes that of the definition', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'policies-'));
  try {
    const first = await createDynamoDb({ ...account, dataDir });
    await first.createTable({ ...plain, resourcePolicy: appendOnly });
    await first.close();
    const second = await createDynamoDb({ ...account, dataDir });
    expect(second.resourcePolicy?.(`${plainArn}/index/i`)).toEqual({
      document: appendOnly,
      isRequired: false,
    });
    await second.createTable(plain);
    expect(second.resourcePolicy?.(plainArn)).toBeUndefined();
    await second.close();
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
