import { untilTrue } from '../../../test-kit/src/until.ts';
import type { PolicyStatement } from '../../src/aws-service.ts';
import { createClock } from '../../src/clock.ts';
import { createRoleRegistry } from '../../src/iam/role-registry.ts';
import { createSqs, type Sqs } from '../../src/sqs/create-sqs.ts';
import type { MappingDefinition, QueueDefinition } from '../../src/sqs/queue-definitions.ts';
import { startMappings, type StartMappingsOptions } from '../../src/sqs/start-mappings.ts';
import { aFunction, aHost } from '../lambda/a-function.ts';

type Functions = StartMappingsOptions['functions'];

const arn = 'arn:aws:sqs:us-east-1:000000000000:work';
const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/k';
const QueueUrl = 'http://127.0.0.1:1/000000000000/work';
const full: PolicyStatement = {
  Effect: 'Allow',
  Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  Resource: arn,
};

/** The functions of these queues may run longer than any test. */
const TIMEOUT_SECONDS = 600;
const VISIBILITY_SECONDS = 3_600;

const clock = createClock();
let sqs: Sqs;
let host: ReturnType<typeof aHost> | undefined;
let stop = (): void => undefined;
beforeAll(() => {
  sqs = createSqs({ accountId: '000000000000', region: 'us-east-1', clock: clock.shared });
});
afterEach(async () => {
  stop();
  await host?.close();
  host = undefined;
  await sqs.deleteQueue(QueueUrl);
});
afterAll(() => sqs.close());

interface Parts {
  readonly mapping?: Partial<MappingDefinition>;
  readonly queue?: Partial<QueueDefinition>;
  readonly statements?: readonly PolicyStatement[];
  readonly timeoutSeconds?: number;
}

const roleArn = 'arn:aws:iam::000000000000:role/fn';

/** Maps a queue `work` to a function. */
async function map(functions: Functions, parts: Parts = {}): Promise<void> {
  const roles = createRoleRegistry();
  roles.define({
    name: 'fn',
    arn: roleArn,
    trust: { Statement: [] },
    policies: [{ Statement: parts.statements ?? [full] }],
    managedPolicyArns: [],
  });
  const attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS) };
  const queue = { name: 'work', arn, url: QueueUrl, attributes, ...parts.queue };
  await sqs.createQueue(queue);
  const mapping = {
    place: 'App/Mapping',
    queueArn: arn,
    functionName: 'fn',
    batchSize: 10,
    batchingWindowSeconds: 0,
    reportsFailures: false,
    maxConcurrency: 2,
    ...parts.mapping,
  };
  stop = startMappings({
    mappings: [mapping],
    queues: [queue],
    functions,
    roles,
    keyPolicy: () => ({ document: { Statement: [] }, isRequired: true }),
    sqs,
    log: () => undefined,
  });
}

interface QueueRecord {
  readonly body: string;
  readonly messageId: string;
}

/** A function of this process: a handler that throws fails, as one in an instance does. */
function inProcess(handler: (records: readonly QueueRecord[], call: number) => unknown): Functions & {
  readonly batches: readonly (readonly string[])[];
} {
  const batches: string[][] = [];
  return {
    batches,
    find: () => ({ definition: aFunction('', { roleArn, timeoutSeconds: TIMEOUT_SECONDS }), arn: '' }),
    invoke: async (_name, payload) => {
      const { Records } = JSON.parse(payload) as { readonly Records: readonly QueueRecord[] };
      batches.push(Records.map(({ body }) => body));
      try {
        return { failed: false, payload: JSON.stringify(await handler(Records, batches.length)) };
      } catch {
        return { failed: true, payload: '{}' };
      }
    },
  };
}

async function send(...bodies: readonly string[]): Promise<void> {
  const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  await sqs.call('SendMessageBatch', { QueueUrl, Entries });
}

async function depth(): Promise<readonly string[]> {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
  const response = (await sqs.call('GetQueueAttributes', { QueueUrl, AttributeNames })) as any;
  return AttributeNames.map((name) => response.Attributes[name]);
}

const untilEmpty = () => untilTrue(async () => (await depth()).join() === '0,0');
const passVisibility = () => clock.control(`{"advance_seconds": ${VISIBILITY_SECONDS}}`, 'PUT');

it('messages arrive in the event of Lambda and are deleted', async () => {
  const code = 'export const handler = async (event) => { console.log(JSON.stringify(event)); };';
  host = aHost([aFunction(code, { roleArn, timeoutSeconds: TIMEOUT_SECONDS })]);
  host.start('http://127.0.0.1:1');
  await map(host);
  await sqs.call('SendMessage', {
    QueueUrl,
    MessageBody: 'one',
    MessageAttributes: { kind: { DataType: 'String', StringValue: 'k' } },
  });
  await untilEmpty();
  const { printed } = host;
  await untilTrue(() => printed.join('').endsWith('\n'));
  expect(JSON.parse(printed.join(''))).toEqual({
    Records: [
      {
        messageId: expect.any(String),
        receiptHandle: expect.any(String),
        body: 'one',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
          SenderId: expect.any(String),
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        },
        messageAttributes: {
          kind: { stringValue: 'k', dataType: 'String', stringListValues: [], binaryListValues: [] },
        },
        md5OfBody: 'f97c5d29941bfb1b2fdab0874906ab82',
        md5OfMessageAttributes: expect.any(String),
        eventSource: 'aws:sqs',
        eventSourceARN: arn,
        awsRegion: 'us-east-1',
      },
    ],
  });
});

it('a failed batch becomes visible again after its visibility timeout, and no earlier', async () => {
  const functions = inProcess((_records, call) => {
    if (call === 1) throw new Error('no');
  });
  await map(functions);
  await send('a');
  await untilTrue(() => functions.batches.length === 1);
  expect(await depth()).toEqual(['0', '1']);
  passVisibility();
  await untilTrue(() => functions.batches.length === 2);
  await untilEmpty();
});

it('only the reported messages of a batch become visible again', async () => {
  const functions = inProcess((records, call) => ({
    batchItemFailures: records
      .filter(({ body }) => call === 1 && body === 'bad')
      .map(({ messageId }) => ({ itemIdentifier: messageId })),
  }));
  await map(functions, { mapping: { reportsFailures: true } });
  await send('good', 'bad', 'fine');
  await untilTrue(async () => (await depth()).join() === '0,1');
  passVisibility();
  await untilEmpty();
  expect(functions.batches).toEqual([['good', 'bad', 'fine'], ['bad']]);
});

it.each(['nonsense', { batchItemFailures: [{ itemIdentifier: 'unknown' }] }])(
  'an invalid report fails the whole batch: %j',
  async (report) => {
    const functions = inProcess((_records, call) => (call === 1 ? report : null));
    await map(functions, { mapping: { reportsFailures: true } });
    await send('a');
    await untilTrue(() => functions.batches.length === 1);
    passVisibility();
    await untilTrue(() => functions.batches.length === 2);
    await untilEmpty();
  },
);

describe('a mapping that AWS would reject stops the start', () => {
  const functions = inProcess(() => null);

  it('a mapping that AWS would reject stops the start for each permission that the function lacks', async () => {
    await expect(map(functions, { statements: [{ ...full, Action: 'sqs:ReceiveMessage' }] })).rejects.toThrow(
      `App/Mapping: the role of fn lacks sqs:DeleteMessage on ${arn}, sqs:GetQueueAttributes on ${arn}`,
    );
  });

  it('a mapping that AWS would reject stops the start for the key of the queue', async () => {
    await expect(map(functions, { queue: { keyArn } })).rejects.toThrow(
      `App/Mapping: the role of fn lacks kms:Decrypt on ${keyArn}`,
    );
  });

  it('a mapping stops the start for a timeout that is longer than the visibility timeout', async () => {
    const of = (seconds: number) => ({
      queue: { attributes: { VisibilityTimeout: String(seconds) } },
    });
    await map(functions, of(TIMEOUT_SECONDS));
    stop();
    await expect(map(functions, of(TIMEOUT_SECONDS - 1))).rejects.toThrow(
      'the visibility timeout of work, 599 s, is less than the timeout of fn, 600 s',
    );
  });
});
