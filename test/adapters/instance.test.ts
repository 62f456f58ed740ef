import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import { GetFunctionCommand, InvokeCommand } from '@aws-sdk/client-lambda';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { dependencies } from '../../functions/webhook-sender/dependencies.ts';
import { createHandler } from '../../functions/webhook-sender/handler.ts';
import { USUAL, type AwsConnections } from '../../src/adapters/aws/client-settings.ts';
import {
  dynamoDbClient,
  kmsClient,
  lambdaControlClient,
  lambdaInvokeClient,
  sqsClient,
} from '../../src/adapters/aws/clients.ts';
import { machineEgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import { machineInstance } from '../../src/adapters/instance.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { createBudget } from '../../src/core/expressions/budget.ts';
import { renderTemplate } from '../../src/core/expressions/render.ts';

const ENVIRONMENT = {
  ACCESS_TABLE: 'A',
  EPHEMERAL_TABLE: 'E',
  REACTORS_TABLE: 'R',
  TOKENS_TABLE: 'K',
  AUDIT_TABLE: 'T',
  KEY_ID: 'K',
  AUDIT_RETENTION_DAYS: '400',
  SERVICE_NAME: 'S',
  DELIVERIES_QUEUE_URL: 'http://127.0.0.1:1/q',
  EGRESS_ALLOW_LIST: '',
};

/** Clients that send their requests to a function. */
const offline = (onRequest: (host: string) => void): AwsConnections => ({
  clock: Date.now,
  open: () => undefined,
  reach: () => ({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: {
      handle({ hostname }: { readonly hostname: string }) {
        onRequest(hostname);
        return Promise.reject(new Error('offline'));
      },
    } as never,
  }),
});

describe('two instances', () => {
  it('have separate connections, which all clients of one instance share', () => {
    const one = machineInstance();
    const other = machineInstance();
    const handlersOf = ({ aws }: typeof one) => [
      dynamoDbClient(aws).config.requestHandler,
      kmsClient(aws).config.requestHandler,
    ];
    const { requestHandler } = one.aws.reach(USUAL);
    expect(handlersOf(one)).toEqual([requestHandler, requestHandler]);
    expect(handlersOf(other)).not.toContain(requestHandler);
  });

  it('print their lines separately', async () => {
    const lines: readonly string[][] = [[], []];
    const [first, second] = lines.map((own) =>
      createHandler(
        dependencies(ENVIRONMENT, { ...machineEgressInstance(), print: (line) => own.push(line) }),
      ),
    );
    const event = { Records: [{ messageId: 'm', body: 'no message' }] } as SQSEvent;
    await first?.(event);
    expect(lines.map(({ length }) => length)).toEqual([1, 0]);
    await second?.(event);
    expect(lines.map(({ length }) => length)).toEqual([1, 1]);
    expect(JSON.parse(lines[1]?.[0] ?? '')).toMatchObject({ level: 'error', operation: 'deliverResult' });
  });

  it('draw aliases from their own source, in whichever order they evaluate', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1), { minLength: 1, maxLength: 8 }), (turns) => {
        const alias = (digit: number) =>
          renderTemplate(
            '{{ data | alias_preserve_format }}',
            { data: '55' },
            createBudget(() => digit),
          );
        expect(turns.map(alias)).toEqual(turns.map((digit) => String(digit).repeat(2)));
      }),
      { numRuns: cases(30) },
    );
  });
});

it('another way to reach AWS replaces the network of every client', async () => {
  const hosts: string[] = [];
  const aws = offline((host) => hosts.push(host));
  const calls = [
    dynamoDbClient(aws).send(new GetCommand({ TableName: 'T', Key: { pk: 'p' } })),
    kmsClient(aws).send(new DescribeKeyCommand({ KeyId: 'K' })),
    sqsClient(aws).send(new PurgeQueueCommand({ QueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/q' })),
    lambdaControlClient(aws).send(new GetFunctionCommand({ FunctionName: 'f' })),
    lambdaInvokeClient(aws, 1_000).send(new InvokeCommand({ FunctionName: 'f' })),
  ];
  for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
  expect(hosts.toSorted()).toEqual(
    ['dynamodb', 'kms', 'lambda', 'lambda', 'sqs'].map((name) => `${name}.us-east-1.amazonaws.com`),
  );
});
