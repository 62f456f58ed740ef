import { createPublicKey, verify } from 'node:crypto';
import { connect } from 'node:net';
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DecryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
  VerifyCommand,
} from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { crc32 } from 'node:zlib';
import type { CallCount, CallRecord } from '../../src/aws-endpoint/call-counter.ts';
import { startAwsEndpoint, type AwsEndpoint } from '../../src/aws-endpoint/start-aws-endpoint.ts';
import { createSts } from '../../src/iam/sts.ts';
import type { PolicyStatement, Role } from '../../src/aws-service.ts';
import { createDynamoDb, type DynamoDb } from '../../src/dynamodb/create-dynamodb.ts';
import { createKms } from '../../src/kms/create-kms.ts';
import { things } from '../dynamodb/a-dynamodb.ts';
import { signedHeaders, type ToSign } from '../signed-request.ts';
import { issuedTo } from '../issued-key.ts';
import { control } from '../../src/control.ts';

const account = { accountId: '123456789012', region: 'eu-west-1' };
const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Things';
const key = 'arn:aws:kms:eu-west-1:123456789012:key/k-1';
const signingKey = 'arn:aws:kms:eu-west-1:123456789012:key/s-1';
const root = 'arn:aws:iam::123456789012:root';

const statement = (Action: string[], Resource: string): PolicyStatement => ({
  Effect: 'Allow',
  Action,
  Resource,
});

function aRole(name: string, ...statements: PolicyStatement[]): Role {
  return { arn: `arn:aws:iam::123456789012:role/${name}`, policies: [{ Statement: statements }] };
}

const roles: Readonly<Record<string, Role | 'administrator'>> = {
  ADMIN: 'administrator',
  WRITER: aRole('writer', statement(['dynamodb:PutItem'], table)),
  SIGNER: aRole('signer', statement(['kms:Sign'], signingKey)),
  READER: aRole(
    'reader',
    statement(['dynamodb:GetItem', 'dynamodb:Query'], table),
    statement(['kms:Decrypt'], key),
    {
      ...statement(['dynamodb:BatchGetItem'], table),
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['mine'] } },
    },
  ),
};

let dynamoDb: DynamoDb;
let endpoint: AwsEndpoint;
let records: CallRecord[] = [];
const faults: unknown[] = [];
const clients: { destroy(): void }[] = [];

beforeAll(async () => {
  dynamoDb = await createDynamoDb(account);
  await dynamoDb.createTable(things);
  const kms = await createKms(account);
  const keyStatement = { ...statement(['kms:*'], '*'), Principal: { AWS: root } };
  await kms.createKey({ keyId: 'k-1', policy: { Statement: [keyStatement] } });
  const verification = {
    ...statement(['kms:Verify', 'kms:GetPublicKey'], '*'),
    Principal: { AWS: 'arn:aws:iam::123456789012:role/reader' },
  };
  await kms.createKey({
    keyId: 's-1',
    policy: { Statement: [keyStatement, verification] },
    spec: 'ECC_NIST_P256',
  });
  endpoint = await startAwsEndpoint({
    ...account,
    services: [dynamoDb, kms, createSts(account)],
    issuedKey: (accessKeyId) =>
      issuedTo(roles[accessKeyId], accessKeyId === 'WRITER' ? { sessionToken: 'token' } : {}),
    onCall: (record) => records.push(record),
    onFault: (error) => faults.push(error),
  });
});

beforeEach(() => {
  records = [];
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  await endpoint.close();
  await dynamoDb.close();
});

const administrator = () => ({
  aws_endpoint_url: endpoint.url,
  aws_access_key_id: 'ADMIN',
  aws_secret_access_key: 'secret',
});

function settings(accessKeyId: string, sessionToken?: string) {
  return {
    endpoint: endpoint.url,
    region: account.region,
    maxAttempts: 1,
    credentials: {
      accessKeyId,
      secretAccessKey: 'secret',
      ...(sessionToken !== undefined && { sessionToken }),
    },
  };
}

function tracked<C extends { destroy(): void }>(client: C): C {
  clients.push(client);
  return client;
}

const signed = (request: Omit<ToSign, 'url' | 'region'>) =>
  signedHeaders({ url: `${endpoint.url}/`, region: account.region, ...request });

/** ListTables, raw. */
const LIST = {
  service: 'dynamodb',
  accessKeyId: 'ADMIN',
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.ListTables' },
  body: '{}',
};

const dynamoDbAs = (accessKeyId: string, sessionToken?: string) =>
  tracked(new DynamoDBClient(settings(accessKeyId, sessionToken)));
const kmsAs = (accessKeyId: string) => tracked(new KMSClient(settings(accessKeyId)));
const thing = (pk: string) => ({ pk: { S: pk }, sk: { S: '1' } });
const put = (pk: string) => new PutItemCommand({ TableName: 'Things', Item: thing(pk) });
const get = (pk: string) => new GetItemCommand({ TableName: 'Things', Key: thing(pk) });

it('the policies of the roles and of the key decide who may sign with a key and verify', async () => {
  const input = {
    KeyId: signingKey,
    Message: Buffer.from('checkpoint'),
    SigningAlgorithm: 'ECDSA_SHA_256',
  } as const;
  const { Signature } = await kmsAs('SIGNER').send(new SignCommand(input));
  const verification = new VerifyCommand({ ...input, Signature });
  expect(await kmsAs('READER').send(verification)).toMatchObject({ SignatureValid: true });
  const { PublicKey = Buffer.alloc(0) } = await kmsAs('READER').send(
    new GetPublicKeyCommand({ KeyId: signingKey }),
  );
  const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  expect(verify('sha256', input.Message, key, Signature ?? Buffer.alloc(0))).toBe(true);
  await expect(
    kmsAs('READER').send(new VerifyCommand({ ...input, Message: Buffer.from('other'), Signature })),
  ).rejects.toMatchObject({ name: 'KMSInvalidSignatureException' });
  await expect(kmsAs('READER').send(new SignCommand(input))).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining(`kms:Sign on resource: ${signingKey}`) as string,
  });
  await expect(kmsAs('SIGNER').send(verification)).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

describe('a signature', () => {
  const statusAnd = async (headers: Readonly<Record<string, string>>, body = '{}', path = '/') => {
    const response = await fetch(`${endpoint.url}${path}`, { method: 'POST', headers, body });
    // In the JSON or XML of the service.
    return [response.status, /\w+Exception\b/.exec(await response.text())?.[0]];
  };
  const ofMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const GONE = { ...LIST.headers, 'x-amz-target': 'DynamoDB_20120810.DescribeTable' };

  it('a signature of the owner of the key is accepted, for some minutes around the time of the call', async () => {
    for (const minutes of [0, -4, 4])
      expect(await statusAnd(signed({ ...LIST, date: ofMinutes(minutes) }))).toEqual([200, undefined]);
  });

  it.each([
    ['none', () => LIST.headers, 'MissingAuthenticationTokenException'],
    [
      'that is none',
      () => ({ ...signed(LIST), authorization: signed(LIST)['authorization']?.slice(0, -9) ?? '' }),
      'MissingAuthenticationTokenException',
    ],
    ['of an unknown key', () => signed({ ...LIST, accessKeyId: 'NOBODYS' }), 'UnrecognizedClientException'],
    [
      'with a guessed secret',
      () => signed({ ...LIST, secretAccessKey: 'test' }),
      'InvalidSignatureException',
    ],
    [
      'for another service',
      () => {
        const { authorization = '', ...headers } = signed(LIST);
        return { ...headers, authorization: authorization.replace('/dynamodb/', '/sts/') };
      },
      'InvalidSignature',
    ],
    ['of the past', () => signed({ ...LIST, date: ofMinutes(-6) }), 'InvalidSignatureException'],
    ['of the future', () => signed({ ...LIST, date: ofMinutes(6) }), 'InvalidSignatureException'],
    ['without a time', () => ({ ...signed(LIST), 'x-amz-date': 'yesterday' }), 'InvalidSignatureException'],
    ['for another operation', () => ({ ...signed(LIST), ...GONE }), 'InvalidSignatureException'],
    [
      'that leaves the operation open',
      () => ({ ...signed({ ...LIST, headers: {} }), ...LIST.headers }),
      'InvalidSignatureException',
    ],
    [
      'with a wrong hash of the body',
      () => signed({ ...LIST, headers: { ...LIST.headers, 'x-amz-content-sha256': '0'.repeat(64) } }),
      'InvalidSignatureException',
    ],
  ])('%s is rejected', async (_what, headers, code) => {
    const [status, type] = await statusAnd(headers());
    expect(status).toBe(403);
    expect(type).toContain(code);
  });

  it('a signature for another body or path is rejected', async () => {
    expect(await statusAnd(signed(LIST), '{ }')).toEqual([403, 'InvalidSignatureException']);
    expect(await statusAnd(signed(LIST), '{}', '/other')).toEqual([403, 'InvalidSignatureException']);
    expect(await statusAnd(signed(LIST), '{}', '/?a=b')).toEqual([403, 'InvalidSignatureException']);
  });

  it('may name the host that the client reached through a relay', async () => {
    const headers = signed({ ...LIST, headers: { ...LIST.headers, host: '172.17.0.1:9' } });
    expect((await statusAnd({ ...headers, host: '' }))[0]).toBe(403);
    expect(await statusAnd({ ...headers, host: '', 'x-forwarded-host': '172.17.0.1:9' })).toEqual([
      200,
      undefined,
    ]);
  });
});

describe('a path of the local account', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  it.each([
    ['without a key', {}],
    ['with a wrong secret', { authorization: basic('ADMIN:secre') }],
    ['with an unknown key', { authorization: basic('NOBODYS:secret') }],
    ['with the key of a role', { authorization: basic('READER:secret') }],
    ['with no secret', { authorization: basic('ADMIN') }],
    ['with another scheme', { authorization: basic('ADMIN:secret').replace('Basic', 'Bearer') }],
  ])('is closed to a request %s', async (_what, headers) => {
    for (const path of ['calls', 'call-log', 'functions', 'clock', 'nothing', '../_local/calls']) {
      const response = await fetch(`${endpoint.url}/_local/${path}`, { headers });
      expect([path, response.status]).toEqual([path, 401]);
    }
  });

  it('is open to the administrator', async () => {
    expect(await control(administrator(), 'calls')).toEqual({ calls: expect.any(Array) as unknown });
    await expect(control({ ...administrator(), aws_secret_access_key: 'no' }, 'calls')).rejects.toThrow(
      /administrator/,
    );
  });
});

describe('a Host that is not loopback', () => {
  /** `fetch` would set the Host itself. */
  function statusOf(path: string, host?: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(Number(new URL(endpoint.url).port), '127.0.0.1');
    let reply = '';
    socket.on('data', (piece) => (reply += piece.toString()));
    socket.on('close', () => {
      resolve(reply.split(' ')[1] ?? '');
    });
    const header = host === undefined ? '' : `Host: ${host}\r\n`;
    socket.end(`GET ${path} HTTP/1.1\r\n${header}Connection: close\r\n\r\n`);
    return promise;
  }

  it.each(['/', '/_local/calls', '/_local/call-log'])('is rejected at %s', async (path) => {
    expect(await statusOf(path, 'evil.example')).toBe('403');
    expect(await statusOf(path)).toBe('403');
  });

  it.each(['localhost:1', '127.0.0.1', '[::1]:80'])('may be %s', async (host) => {
    expect(await statusOf('/_local/calls', host)).toBe('401');
  });
});

describe('the SDK', () => {
  it('reads a 350 KB binary back byte for byte', async () => {
    const client = dynamoDbAs('ADMIN');
    const data = Uint8Array.from({ length: 350 * 1024 }, (_, index) => (index * 7919) % 256);
    await client.send(
      new PutItemCommand({ TableName: 'Things', Item: { ...thing('big'), data: { B: data } } }),
    );
    const { Item } = await client.send(get('big'));
    expect(Buffer.from(Item?.['data']?.B ?? []).equals(Buffer.from(data))).toBe(true);
  });

  it('reads text of every plane of Unicode back', async () => {
    const client = dynamoDbAs('ADMIN');
    const text = 'a\u0000é€\u{1F600}"\\\u2028';
    await client.send(
      new PutItemCommand({ TableName: 'Things', Item: { ...thing('text'), text: { S: text } } }),
    );
    expect((await client.send(get('text'))).Item?.['text']?.S).toBe(text);
  });

  it('receives a failed condition and a cancelled transaction as its exceptions', async () => {
    const client = dynamoDbAs('ADMIN');
    await client.send(put('there'));
    const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
    const old = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
    const update = new UpdateItemCommand({ TableName: 'Things', Key: thing('there'), ...condition, ...old });
    await expect(client.send(update)).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: thing('there'),
    });
    const Put = { TableName: 'Things', Item: thing('there'), ...condition, ...old };
    await expect(
      client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] })),
    ).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      message: expect.stringContaining('[ConditionalCheckFailed]') as string,
      CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: thing('there') }],
    });
  });

  it('gets KMS data keys', async () => {
    const made = await kmsAs('ADMIN').send(
      new GenerateDataKeyCommand({ KeyId: key, KeySpec: 'AES_256', EncryptionContext: { tenant: 't' } }),
    );
    const { CiphertextBlob } = made;
    const opened = await kmsAs('READER').send(
      new DecryptCommand({ CiphertextBlob, EncryptionContext: { tenant: 't' } }),
    );
    expect(opened.Plaintext).toEqual(made.Plaintext);
    const wrong = new DecryptCommand({ CiphertextBlob, EncryptionContext: { tenant: 'u' } });
    await expect(kmsAs('READER').send(wrong)).rejects.toMatchObject({ name: 'InvalidCiphertextException' });
  });

  it('gets responses with their checksum', async () => {
    const response = await fetch(endpoint.url, { method: 'POST', headers: signed(LIST), body: '{}' });
    const body = await response.text();
    expect(response.headers.get('x-amz-crc32')).toBe(String(crc32(body)));
    expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.0');
    expect(JSON.parse(body)).toEqual({ TableNames: ['Things'] });
  });
});

describe('access', () => {
  it('lets a role do exactly what its policies allow', async () => {
    await dynamoDbAs('WRITER', 'token').send(put('written'));
    await expect(dynamoDbAs('WRITER', 'token').send(get('written'))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400 },
      message:
        'User: arn:aws:sts::123456789012:assumed-role/writer/writer is not authorized to perform: dynamodb:GetItem on ' +
        `resource: ${table} because no identity-based policy allows the dynamodb:GetItem action`,
    });
    expect((await dynamoDbAs('READER').send(get('written'))).Item).toEqual(thing('written'));
  });

  it('names the session after its caller', async () => {
    await expect(dynamoDbAs('READER').send(put('a'))).rejects.toThrow(/assumed-role\/reader\/reader is not/);
  });

  it('a permission on a table does not apply to its indexes', async () => {
    const query = new QueryCommand({
      TableName: 'Things',
      IndexName: 'whole',
      KeyConditionExpression: '#r = :r',
      ExpressionAttributeNames: { '#r': 'rank' },
      ExpressionAttributeValues: { ':r': { N: '1' } },
    });
    await expect(dynamoDbAs('READER').send(query)).rejects.toThrow(/table\/Things\/index\/whole/);
  });

  it('applies a condition on the partition keys', async () => {
    const batch = (...keys: string[]) =>
      new BatchGetItemCommand({ RequestItems: { Things: { Keys: keys.map(thing) } } });
    await dynamoDbAs('READER').send(batch('mine'));
    await expect(dynamoDbAs('READER').send(batch('mine', 'yours'))).rejects.toThrow(/not authorized/);
  });

  it('rejects the whole transaction for a forbidden part, and writes nothing', async () => {
    const TransactItems = [
      { Put: { TableName: 'Things', Item: thing('refused') } },
      { Delete: { TableName: 'Things', Key: thing('other') } },
    ];
    const refused = dynamoDbAs('WRITER', 'token').send(new TransactWriteItemsCommand({ TransactItems }));
    await expect(refused).rejects.toThrow(/dynamodb:DeleteItem/);
    expect((await dynamoDbAs('ADMIN').send(get('refused'))).Item).toBeUndefined();
  });

  it('rejects calls of KMS in its own protocol', async () => {
    const generate = new GenerateDataKeyCommand({ KeyId: key, KeySpec: 'AES_256' });
    await expect(kmsAs('READER').send(generate)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400 },
      message: expect.stringContaining('is not authorized to perform: kms:GenerateDataKey') as string,
    });
  });
});

describe('the endpoint', () => {
  it('rejects an access key that was never issued', async () => {
    await expect(dynamoDbAs('UNKNOWN').send(get('a'))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
      $metadata: { httpStatusCode: 403 },
    });
  });

  it('rejects a session key without its token', async () => {
    await expect(dynamoDbAs('WRITER').send(put('a'))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
    await expect(dynamoDbAs('WRITER', 'other').send(put('a'))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
  });

  it('rejects a request without a signature', async () => {
    const response = await fetch(endpoint.url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ __type: 'MissingAuthenticationTokenException' });
  });

  it('responds to a request that is too large, and to the next ones', async () => {
    const statuses: number[] = [];
    for (const bytes of [73 * 1024 * 1024, 2, 2]) {
      const response = await fetch(endpoint.url, { method: 'POST', body: Buffer.alloc(bytes) });
      statuses.push(response.status);
      await response.text();
    }
    expect(statuses).toEqual([413, 403, 403]);
  });

  it('names a service that does not run here', async () => {
    const lambda = tracked(new LambdaClient(settings('ADMIN')));
    await expect(lambda.send(new InvokeCommand({ FunctionName: 'f' }))).rejects.toThrow(
      /service lambda does not run locally/,
    );
  });

  it('rejects another region', async () => {
    const client = tracked(new DynamoDBClient({ ...settings('ADMIN'), region: 'us-east-1' }));
    await expect(client.send(get('a'))).rejects.toThrow(/us-east-1/);
  });

  it('returns the identity of the caller from STS', async () => {
    const body = 'Action=GetCallerIdentity&Version=2011-06-15';
    const headers = signed({ service: 'sts', accessKeyId: 'READER', body });
    const response = await fetch(endpoint.url, { method: 'POST', headers, body });
    expect(await response.text()).toContain('<Arn>arn:aws:iam::123456789012:role/reader</Arn>');
  });
});

describe('the record of calls', () => {
  const countsOf = async (method = 'GET'): Promise<readonly CallCount[]> => {
    const counts = await control(administrator(), 'calls', { method });
    return (counts as { calls: CallCount[] }).calls;
  };

  it('contains principal, action, resource and cost of each call, and never a value', async () => {
    const secret = '4242424242424242';
    const Item = { ...thing(secret), group: { S: secret } };
    await dynamoDbAs('ADMIN').send(new PutItemCommand({ TableName: 'Things', Item }));
    expect(records).toEqual([
      {
        service: 'dynamodb',
        action: 'dynamodb:PutItem',
        principal: 'administrator',
        resources: [table],
        status: 200,
        startedMs: expect.any(Number) as number,
        durationMs: expect.any(Number) as number,
        requestBytes: expect.any(Number) as number,
        responseBytes: 2,
        consumedCapacity: 2,
      },
    ]);
    expect(JSON.stringify(records)).not.toContain(secret);
  });

  it('counts by principal and action until it is reset', async () => {
    expect(await countsOf('DELETE')).toEqual([]);
    for (const pk of ['a', 'b']) await dynamoDbAs('WRITER', 'token').send(put(pk));
    await expect(dynamoDbAs('WRITER', 'token').send(get('a'))).rejects.toThrow(/not authorized/);
    const own = { principal: 'writer', service: 'dynamodb' };
    expect(await countsOf()).toEqual([
      { ...own, action: 'dynamodb:PutItem', calls: 2, failures: 0, capacityUnits: 2 },
      { ...own, action: 'dynamodb:GetItem', calls: 1, failures: 1, capacityUnits: 0 },
    ]);
    await countsOf('DELETE');
    expect(await countsOf()).toEqual([]);
  });

  it('lists the calls one by one until it is reset', async () => {
    const logOf = async (): Promise<readonly CallRecord[]> => {
      const log = await control(administrator(), 'call-log');
      return (log as { calls: CallRecord[] }).calls;
    };
    await countsOf('DELETE');
    await dynamoDbAs('WRITER', 'token').send(put('a'));
    await dynamoDbAs('WRITER', 'token').send(put('b'));
    const [first, second] = await logOf();
    expect([first?.action, second?.action]).toEqual(['dynamodb:PutItem', 'dynamodb:PutItem']);
    expect(second?.startedMs).toBeGreaterThanOrEqual((first?.startedMs ?? 0) + (first?.durationMs ?? 0));
    expect(first?.requestBytes).toBeGreaterThan(0);
    await countsOf('DELETE');
    expect(await logOf()).toEqual([]);
  });
});

it('no call of these tests was a fault of the endpoint', () => {
  expect(faults).toEqual([]);
});
