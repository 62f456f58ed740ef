import type { PolicyStatement } from '../../src/aws-service.ts';
import { createRoleRegistry } from '../../src/iam/role-registry.ts';
import { createSqs, type Sqs } from '../../src/sqs/create-sqs.ts';
import type { MappingDefinition, QueueDefinition } from '../../src/sqs/queue-definitions.ts';
import { startMappings } from '../../src/sqs/start-mappings.ts';
import { aFunction, aHost } from '../lambda/a-function.ts';

const arn = 'arn:aws:sqs:us-east-1:000000000000:work';
const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/k';
const QueueUrl = 'http://127.0.0.1:1/000000000000/work';
const full: PolicyStatement = {
  Effect: 'Allow',
  Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  Resource: arn,
};

/**
 * Ends everything that the tests have started. They run concurrently: they wait for visibility
 * timeouts.
 */
const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

interface Parts {
  readonly mapping?: Partial<MappingDefinition>;
  readonly queue?: Partial<QueueDefinition>;
  readonly statements?: readonly PolicyStatement[];
  readonly timeoutSeconds?: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Started {
  readonly sqs: Sqs;
  readonly send: (...bodies: readonly string[]) => Promise<void>;
  /** The function prints a line for each call. */
  readonly lines: () => readonly any[];
  readonly until: (holds: () => boolean | Promise<boolean>) => Promise<void>;
  readonly isEmpty: () => Promise<boolean>;
}

/** A queue `work` whose messages trigger a function that prints its event. */
async function start(handler: string, parts: Parts = {}): Promise<Started> {
  const roleArn = 'arn:aws:iam::000000000000:role/fn';
  const roles = createRoleRegistry();
  roles.define({
    name: 'fn',
    arn: roleArn,
    trust: { Statement: [] },
    policies: [{ Statement: parts.statements ?? [full] }],
    managedPolicyArns: [],
  });
  const code = `export const handler = ${handler};`;
  const host = aHost([aFunction(code, { roleArn, timeoutSeconds: parts.timeoutSeconds ?? 3 })]);
  host.start('http://127.0.0.1:1');
  const sqs = createSqs({ accountId: '000000000000', region: 'us-east-1' });
  closing.push(async () => {
    await host.close();
    await sqs.close();
  });
  const queue = { name: 'work', arn, url: QueueUrl, attributes: { VisibilityTimeout: '3' }, ...parts.queue };
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
  const stop = startMappings({
    mappings: [mapping],
    queues: [queue],
    functions: host,
    roles,
    keyPolicy: () => ({ document: { Statement: [] }, isRequired: true }),
    sqs,
    log: () => undefined,
  });
  closing.unshift(stop);

  const lines = () =>
    host.printed
      .join('')
      .split('\n')
      .filter((line) => line !== '' && !line.includes(' ERROR '))
      .map((line) => JSON.parse(line));
  return {
    sqs,
    lines,
    async send(...bodies) {
      const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
      await sqs.call('SendMessageBatch', { QueueUrl, Entries });
    },
    async until(holds) {
      for (let tries = 0; !(await holds()); tries += 1) {
        if (tries === 400) throw new Error(`it never came to be: ${host.printed.join('')}`);
        await pause(25);
      }
    },
    async isEmpty() {
      const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
      const response = (await sqs.call('GetQueueAttributes', { QueueUrl, AttributeNames })) as any;
      return Object.values(response.Attributes).every((count) => count === '0');
    },
  };
}

it.concurrent('messages arrive in the event of Lambda and are deleted', async () => {
  const { isEmpty, lines, sqs, until } = await start(
    'async (event) => { console.log(JSON.stringify(event)); }',
  );
  await sqs.call('SendMessage', {
    QueueUrl,
    MessageBody: 'one',
    MessageAttributes: { kind: { DataType: 'String', StringValue: 'k' } },
  });
  await until(() => lines().length === 1);
  expect(lines()[0]).toEqual({
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
  await until(isEmpty);
});

const bodies = 'Records.map(({ body }) => body)';

it.concurrent('a failed batch becomes visible again after its visibility timeout', async () => {
  const { isEmpty, lines, send, until } = await start(`(() => { let n = 0; return async ({ Records }) => {
    console.log(JSON.stringify(${bodies})); n += 1; if (n === 1) throw new Error('no'); }; })()`);
  await send('a');
  await until(() => lines().length === 1);
  expect(await isEmpty()).toBe(false);
  await until(() => lines().length === 2);
  await until(isEmpty);
});

it.concurrent('only the reported messages of a batch become visible again', async () => {
  const { isEmpty, lines, send, until } = await start(
    `async ({ Records }) => { console.log(JSON.stringify(${bodies}));
      return { batchItemFailures: Records.filter(({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1')
        .map(({ messageId }) => ({ itemIdentifier: messageId })) }; }`,
    { mapping: { reportsFailures: true } },
  );
  await send('good', 'bad', 'fine');
  await until(isEmpty);
  expect(lines().flat().toSorted()).toEqual(['bad', 'bad', 'fine', 'good']);
});

it.concurrent.each(['"nonsense"', '({ batchItemFailures: [{ itemIdentifier: "unknown" }] })'])(
  'an invalid report fails the whole batch: %s',
  async (report) => {
    const { isEmpty, lines, send, until } = await start(
      `(() => { let n = 0; return async ({ Records }) => {
        console.log(JSON.stringify(${bodies})); n += 1; return n === 1 ? ${report} : null; }; })()`,
      { mapping: { reportsFailures: true } },
    );
    await send('a');
    await until(() => lines().length === 2);
    await until(isEmpty);
  },
);

it.concurrent('a batch grows until it is full or its window ends', async () => {
  const { lines, send, until } = await start(
    `async ({ Records }) => { console.log(JSON.stringify(${bodies})); }`,
    {
      mapping: { batchSize: 3, batchingWindowSeconds: 1 },
      queue: { attributes: { VisibilityTimeout: '30' } },
    },
  );
  await send('a');
  await pause(100);
  await send('b', 'c');
  await until(() => lines().length === 1);
  expect(lines()[0]).toEqual(['a', 'b', 'c']);
  await send('d');
  await until(() => lines().length === 2);
  expect(lines()[1]).toEqual(['d']);
});

it.concurrent('the number of concurrent batches is limited', async () => {
  const { isEmpty, lines, send, until } = await start(
    `async ({ Records }) => { console.log('1'); await new Promise((r) => setTimeout(r, 300)); console.log('-1'); }`,
    { mapping: { batchSize: 1, maxConcurrency: 2 } },
  );
  await send('a', 'b', 'c', 'd', 'e');
  await until(isEmpty);
  await until(() => lines().length === 10);
  let running = 0;
  const most = Math.max(...lines().map((step: number) => (running += step)));
  expect(most).toBeLessThanOrEqual(2);
});

describe('a mapping that AWS would reject stops the start', () => {
  it.concurrent('a mapping that AWS would reject stops the start for each permission that the function lacks', async () => {
    await expect(
      start('async () => {}', { statements: [{ ...full, Action: 'sqs:ReceiveMessage' }] }),
    ).rejects.toThrow(
      `App/Mapping: the role of fn lacks sqs:DeleteMessage on ${arn}, sqs:GetQueueAttributes on ${arn}`,
    );
  });

  it.concurrent('a mapping that AWS would reject stops the start for the key of the queue', async () => {
    await expect(start('async () => {}', { queue: { keyArn } })).rejects.toThrow(
      `App/Mapping: the role of fn lacks kms:Decrypt on ${keyArn}`,
    );
  });

  it.concurrent('a mapping stops the start for a timeout that is longer than the visibility timeout', async () => {
    await expect(start('async () => {}', { timeoutSeconds: 5 })).rejects.toThrow(
      'the visibility timeout of work, 3 s, is less than the timeout of fn, 5 s',
    );
  });
});
