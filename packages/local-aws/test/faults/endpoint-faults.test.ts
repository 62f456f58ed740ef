import {
  BatchExecuteStatementCommand,
  GetItemCommand,
  DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { whenever } from '../../../test-kit/src/event-loop.ts';
import { startAwsEndpoint, type AwsEndpoint } from '../../src/aws-endpoint/start-aws-endpoint.ts';
import type { CallRecord } from '../../src/aws-endpoint/call-counter.ts';
import type { Role } from '../../src/aws-service.ts';
import { createDynamoDb, type DynamoDb } from '../../src/dynamodb/create-dynamodb.ts';
import { createFaults } from '../../src/faults/create-faults.ts';
import { things } from '../dynamodb/a-dynamodb.ts';
import { issuedTo } from '../issued-key.ts';

const account = { accountId: '123456789012', region: 'eu-west-1' };
const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Things';
const role: Role = {
  arn: 'arn:aws:iam::123456789012:role/app',
  policies: [
    {
      Statement: [
        {
          Effect: 'Allow',
          Action: ['dynamodb:PutItem', 'dynamodb:GetItem', 'dynamodb:PartiQLInsert'],
          Resource: table,
        },
      ],
    },
  ],
};

const faults = createFaults(1);
let dynamoDb: DynamoDb;
let endpoint: AwsEndpoint;
const records: CallRecord[] = [];

beforeAll(async () => {
  dynamoDb = await createDynamoDb(account);
  await dynamoDb.createTable(things);
  endpoint = await startAwsEndpoint({
    ...account,
    services: [dynamoDb],
    issuedKey: (accessKeyId) => issuedTo(accessKeyId === 'APP' ? role : 'administrator'),
    controls: { '/_local/faults': (body, method) => faults.control(body, method) },
    faults: faults.calls,
    onCall: (record) => records.push(record),
  });
});

afterEach(() => faults.replace([]));

afterAll(async () => {
  await endpoint.close();
  await dynamoDb.close();
});

function clientAs(accessKeyId: string, maxAttempts = 1): DynamoDBClient {
  const credentials = { accessKeyId, secretAccessKey: 'secret' };
  return new DynamoDBClient({ endpoint: endpoint.url, region: account.region, maxAttempts, credentials });
}

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: '1' } });
const put = (pk: string) => new PutItemCommand({ TableName: 'Things', Item: key(pk) });
const get = (pk: string) => new GetItemCommand({ TableName: 'Things', Key: key(pk) });

const insert = (...ids: string[]) =>
  new BatchExecuteStatementCommand({
    Statements: ids.map((id) => ({
      Statement: `INSERT INTO "Things" VALUE {'pk': ?, 'sk': ?}`,
      Parameters: [{ S: id }, { S: '1' }],
    })),
  });

async function control(method: string, body?: string): Promise<readonly [number, unknown]> {
  const response = await fetch(`${endpoint.url}/_local/faults`, {
    method,
    headers: { authorization: `Basic ${Buffer.from('ADMIN:secret').toString('base64')}` },
    ...(body !== undefined && { body }),
  });
  return [response.status, await response.json()];
}

it('faults are set, listed and removed over HTTP', async () => {
  expect(await control('PUT', '["dynamodb:down:1"]')).toEqual([200, ['dynamodb:down:1']]);
  expect(await control('GET')).toEqual([200, ['dynamodb:down:1']]);
  expect(await control('PUT', '["dynamodb:dwn:1"]')).toEqual([
    400,
    { message: expect.stringMatching(/^dynamodb:dwn:1: dynamodb has no fault dwn \(throttle, /) as string },
  ]);
  expect(await control('POST', '[]')).toEqual([200, ['dynamodb:down:1']]);
  expect(await control('DELETE')).toEqual([200, []]);
});

it('the client sees a cut connection as one, and so does the record of calls', async () => {
  faults.replace(['dynamodb:down:1']);
  await expect(clientAs('APP').send(get('a'))).rejects.toThrow(/socket hang up/);
  expect(records.at(-1)).toMatchObject({ action: 'dynamodb:GetItem', principal: 'app', status: 599 });
});

it('a write whose response was lost was executed', async () => {
  faults.replace(['dynamodb/PutItem:lost-answer:1']);
  await expect(clientAs('APP').send(put('lost'))).rejects.toThrow();
  expect((await clientAs('APP').send(get('lost'))).Item).toEqual(key('lost'));
});

it('a batch of inserts whose response was lost was executed, and a repeated one recognises it', async () => {
  faults.replace(['dynamodb/BatchExecuteStatement:lost-answer:1']);
  await expect(clientAs('APP').send(insert('lost-1', 'lost-2'))).rejects.toThrow();
  faults.replace([]);
  expect((await clientAs('APP').send(get('lost-2'))).Item).toEqual(key('lost-2'));
  const { Responses } = await clientAs('APP').send(insert('lost-1', 'lost-2', 'lost-3'));
  expect(Responses?.map((response) => response.Error?.Code)).toEqual([
    'DuplicateItem',
    'DuplicateItem',
    undefined,
  ]);
});

it('a partial batch of inserts throttles some of them, which are not stored', async () => {
  faults.replace(['dynamodb/BatchExecuteStatement:partial:1']);
  const { Responses } = await clientAs('APP').send(insert('part-1', 'part-2', 'part-3'));
  const throttling = { Error: { Code: 'ThrottlingError' }, TableName: 'Things' };
  expect(Responses).toMatchObject([{ TableName: 'Things' }, throttling, throttling]);
  faults.replace([]);
  expect((await clientAs('APP').send(get('part-1'))).Item).toEqual(key('part-1'));
  expect((await clientAs('APP').send(get('part-2'))).Item).toBeUndefined();
});

it('the client repeats a throttled call', async () => {
  faults.replace(['dynamodb:throttle:1']);
  await expect(clientAs('APP').send(get('a'))).rejects.toMatchObject({
    name: 'ProvisionedThroughputExceededException',
  });
  const begun = records.length;
  const repeated = clientAs('APP', 12).send(put('repeated'));
  await whenever(() => records.length > begun);
  faults.replace([]);
  await repeated;
});

it('faults do not affect the administrator', async () => {
  faults.replace(['dynamodb:down:1', 'dynamodb:error:1']);
  await clientAs('ADMIN').send(put('administrator'));
});

it('a missing permission is reported in spite of faults', async () => {
  faults.replace(['dynamodb:error:1']);
  const other = new PutItemCommand({ TableName: 'Others', Item: key('a') });
  await expect(clientAs('APP').send(other)).rejects.toMatchObject({ name: 'AccessDeniedException' });
});
