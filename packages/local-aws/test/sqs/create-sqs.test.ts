import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAwsEndpoint, type AwsEndpoint } from '../../src/aws-endpoint/start-aws-endpoint.ts';
import type { PolicyStatement, Role } from '../../src/aws-service.ts';
import { createClock } from '../../src/clock.ts';
import { createKms } from '../../src/kms/create-kms.ts';
import { createSqs, type Sqs } from '../../src/sqs/create-sqs.ts';
import type { QueueDefinition } from '../../src/sqs/queue-definitions.ts';
import { startLimited } from '../limited-process.ts';
import { issuedTo } from '../issued-key.ts';

const account = { accountId: '000000000000', region: 'us-east-1' };
const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/k';
const queueArn = (name: string): string => `arn:aws:sqs:us-east-1:000000000000:${name}`;

function aQueue(name: string, attributes: Record<string, string> = {}, key?: string): QueueDefinition {
  const url = `http://127.0.0.1:1/000000000000/${name}`;
  return { name, arn: queueArn(name), url, attributes, ...(key !== undefined && { keyArn: key }) };
}

const allow = (Action: string[], Resource: string): PolicyStatement => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const aRole = (name: string, ...Statement: PolicyStatement[]): Role => ({
  arn: `arn:aws:iam::000000000000:role/${name}`,
  policies: [{ Statement }],
});

const roles: Record<string, Role | 'administrator'> = {
  ADMIN: 'administrator',
  SENDER: aRole('sender', allow(['sqs:SendMessage'], queueArn('*')), {
    ...allow(['kms:GenerateDataKey', 'kms:Decrypt'], keyArn),
    Condition: { StringEquals: { 'kms:ViaService': 'sqs.us-east-1.amazonaws.com' } },
  }),
  KEYLESS: aRole('keyless', allow(['sqs:*'], '*')),
  READER: aRole('reader', allow(['sqs:ReceiveMessage'], queueArn('sealed')), allow(['kms:Decrypt'], keyArn)),
};

const clock = createClock();
let sqs: Sqs;
let endpoint: AwsEndpoint;
const clients: SQSClient[] = [];

function as(accessKeyId: string): SQSClient {
  const client = new SQSClient({
    endpoint: endpoint.url,
    region: account.region,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey: 'secret' },
  });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  sqs = createSqs({ ...account, clock: clock.shared });
  for (const queue of [
    aQueue('plain'),
    aQueue('hourly', { VisibilityTimeout: '3600' }),
    aQueue('dead'),
    aQueue('failing', {
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 1 }),
    }),
    aQueue('sealed', { KmsMasterKeyId: keyArn }, keyArn),
  ])
    await sqs.createQueue(queue);
  const kms = await createKms(account);
  await kms.createKey({
    keyId: 'k',
    policy: {
      Statement: [{ ...allow(['kms:*'], '*'), Principal: { AWS: 'arn:aws:iam::000000000000:root' } }],
    },
  });
  endpoint = await startAwsEndpoint({
    ...account,
    services: [sqs, kms],
    issuedKey: (id) => issuedTo(roles[id]),
  });
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  await endpoint.close();
  await sqs.close();
});

const url = (name: string): { QueueUrl: string } => ({ QueueUrl: aQueue(name).url });

it('a message is sent, received once while it is invisible, and deleted', async () => {
  const client = as('ADMIN');
  const sent = await client.send(
    new SendMessageCommand({
      ...url('plain'),
      MessageBody: 'hello €',
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'greeting' } },
    }),
  );
  const receive = new ReceiveMessageCommand({
    ...url('plain'),
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  const [message] = (await client.send(receive)).Messages ?? [];
  expect(message).toMatchObject({
    MessageId: sent.MessageId,
    Body: 'hello €',
    Attributes: { ApproximateReceiveCount: '1' },
    MessageAttributes: { kind: { StringValue: 'greeting' } },
  });
  expect((await client.send(receive)).Messages).toBeUndefined();
  await client.send(new DeleteMessageCommand({ ...url('plain'), ReceiptHandle: message?.ReceiptHandle }));
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ ...url('plain'), AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({
    QueueArn: queueArn('plain'),
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
  });
});

it('a message that is not deleted becomes visible again', async () => {
  const client = as('ADMIN');
  await client.send(new SendMessageCommand({ ...url('hourly'), MessageBody: 'x' }));
  const receive = new ReceiveMessageCommand(url('hourly'));
  expect((await client.send(receive)).Messages).toHaveLength(1);
  expect((await client.send(receive)).Messages).toBeUndefined();
  clock.control('{"advance_seconds": 3600}', 'PUT');
  expect((await client.send(receive)).Messages).toHaveLength(1);
});

it('a message that was received too often moves to the dead-letter queue', async () => {
  const client = as('ADMIN');
  await client.send(new SendMessageCommand({ ...url('failing'), MessageBody: 'poison' }));
  const receive = new ReceiveMessageCommand({ ...url('failing'), VisibilityTimeout: 0 });
  expect((await client.send(receive)).Messages).toHaveLength(1);
  expect((await client.send(receive)).Messages).toBeUndefined();
  const { Messages } = await client.send(new ReceiveMessageCommand(url('dead')));
  expect(Messages).toMatchObject([{ Body: 'poison' }]);
});

describe('an encrypted queue', () => {
  const send = new SendMessageCommand({ ...url('sealed'), MessageBody: 'x' });
  const receive = new ReceiveMessageCommand(url('sealed'));

  it('needs permission on its key for the sender and for the receiver', async () => {
    const refused = { name: 'KmsAccessDenied', $metadata: { httpStatusCode: 400 } };
    await expect(as('KEYLESS').send(send)).rejects.toMatchObject(refused);
    await expect(as('KEYLESS').send(receive)).rejects.toMatchObject(refused);
    await as('SENDER').send(send);
    expect((await as('READER').send(receive)).Messages).toHaveLength(1);
  });
});

it('a queue is found by its name, at the address of this start', async () => {
  expect(await as('ADMIN').send(new GetQueueUrlCommand({ QueueName: 'plain' }))).toMatchObject(url('plain'));
  await expect(as('ADMIN').send(new GetQueueUrlCommand({ QueueName: 'none' }))).rejects.toMatchObject({
    name: 'QueueDoesNotExist',
  });
});

it('calls that do not run locally are named', async () => {
  await expect(as('ADMIN').send(new CreateQueueCommand({ QueueName: 'new' }))).rejects.toThrow(
    'SQS CreateQueue does not run locally.',
  );
});

it('an unknown failure is an internal one', async () => {
  await expect(sqs.call('SendMessage', { ...url('plain'), MessageBody: 5 })).rejects.toMatchObject({
    name: 'AwsError',
    code: 'InternalFailure',
    status: 500,
  });
});

describe('a thread that dies', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'sqs-'));
  });

  afterEach(() => {
    rmSync(dataDir, { recursive: true });
  });

  it('reports the reason to all waiting and later callers', async () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    const queues = createSqs({ ...account, dataDir: file });
    const first = queues.createQueue(aQueue('a'));
    const second = queues.createQueue(aQueue('b'));
    await expect(first).rejects.toThrow(file);
    await expect(second).rejects.toThrow(file);
    await expect(queues.call('ReceiveMessage', url('a'))).rejects.toThrow(file);
    await queues.close();
  });

  it('names a damaged file', async () => {
    const file = join(dataDir, 'fauxqs.db');
    writeFileSync(file, 'no database '.repeat(1_000));
    const queues = createSqs({ ...account, dataDir });
    await expect(queues.createQueue(aQueue('a'))).rejects.toThrow(
      `${file} is damaged: file is not a database`,
    );
    await queues.close();
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('on a full disk loses no message, and another one continues when there is room', async () => {
    const sender = startLimited(join(import.meta.dirname, 'full-disk-sender.ts'), [dataDir], 1_024);
    await sender.until('full');
    sender.makeRoom();
    await sender.until('done');
    const lines = await sender.kill();
    expect(lines.filter((line) => !line.startsWith('stored '))).toEqual(['full', 'done']);

    const queues = createSqs({ ...account, dataDir });
    await queues.createQueue(aQueue('saved'));
    const found = new Set<string>();
    for (;;) {
      const response = await queues.call('ReceiveMessage', { ...url('saved'), MaxNumberOfMessages: 10 });
      const { Messages = [] } = response as { Messages?: { Body: string }[] };
      if (Messages.length === 0) break;
      for (const { Body } of Messages) found.add(Body.split(' ')[0] ?? '');
    }
    await queues.close();
    const stored = lines.filter((line) => line.startsWith('stored ')).map((line) => line.slice(7));
    expect(stored.length).toBeGreaterThan(10);
    expect(stored.filter((name) => !found.has(name))).toEqual([]);
  });
});

it('messages in a data folder survive a restart, and attributes are those of the template', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sqs-'));
  try {
    const first = createSqs({ ...account, dataDir });
    await first.createQueue(aQueue('saved'));
    await first.call('SendMessage', { ...url('saved'), MessageBody: 'still here' });
    await first.close();
    const second = createSqs({ ...account, dataDir });
    await second.createQueue(aQueue('saved', { VisibilityTimeout: '77' }));
    expect(await second.call('ReceiveMessage', url('saved'))).toMatchObject({
      Messages: [{ Body: 'still here' }],
    });
    expect(
      await second.call('GetQueueAttributes', { ...url('saved'), AttributeNames: ['VisibilityTimeout'] }),
    ).toEqual({ Attributes: { VisibilityTimeout: '77' } });
    await second.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it('counts the messages of each queue by their state, and the age of the oldest', async () => {
  const moved = createClock();
  const counted = createSqs({ ...account, clock: moved.shared });
  try {
    for (const name of ['busy', 'empty'])
      await counted.createQueue(aQueue(name, { VisibilityTimeout: '450' }));
    const { url: QueueUrl } = aQueue('busy');
    for (const DelaySeconds of [0, 0, 0, 900])
      await counted.call('SendMessage', { QueueUrl, MessageBody: 'x', DelaySeconds });
    await counted.call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 2 });
    const [busy, empty] = await counted.depths();
    expect(busy).toMatchObject({ name: 'busy', visible: 1, inFlight: 2, delayed: 1 });
    expect(busy?.oldestAgeMs).toBeLessThan(450_000);
    expect(empty).toEqual({ name: 'empty', visible: 0, inFlight: 0, delayed: 0 });
    moved.control('{"advance_seconds": 450}', 'PUT');
    const [later] = await counted.depths();
    expect(later).toMatchObject({ visible: 3, inFlight: 0, delayed: 1 });
    expect(later?.oldestAgeMs).toBeGreaterThanOrEqual(450_000);
  } finally {
    await counted.close();
  }
});
