import { z } from 'zod';
import type { Account } from '../assembly/account.ts';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import { policyDocument } from '../iam/policy-document.ts';
import type { QueueDefinitions } from './queue-definitions.ts';

interface SqsParts {
  readonly account: Account;
  readonly queues: QueueDefinitions;
}

const wholeSeconds = z.coerce.number().int();
const json = z.union([
  z.string(),
  z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)),
]);

/** AWS's own key for queues: it needs no permission. */
const AWS_MANAGED_KEY = 'alias/aws/sqs';

const queueAttributes = z.object({
  VisibilityTimeout: wholeSeconds,
  MessageRetentionPeriod: wholeSeconds,
  DelaySeconds: wholeSeconds,
  ReceiveMessageWaitTimeSeconds: wholeSeconds,
  MaximumMessageSize: z.coerce.number().int(),
  RedrivePolicy: json,
  RedriveAllowPolicy: json,
  KmsMasterKeyId: z.string(),
  SqsManagedSseEnabled: z.boolean(),
});

function keyArnOf(key: string, { region, accountId }: Account): string {
  if (key.startsWith('alias/')) throw new Error(`queues name their key by its id or ARN locally, not ${key}`);
  return key.startsWith('arn:') ? key : `arn:aws:kms:${region}:${accountId}:key/${key}`;
}

const queue = resourceType({
  identify: ({ stack, logicalId, text }, { accountId, region, awsEndpointUrl }) => {
    const name = text('QueueName') ?? physicalName(stack.name, logicalId, 80);
    return {
      ref: `${awsEndpointUrl}/${accountId}/${name}`,
      attributes: { Arn: `arn:aws:sqs:${region}:${accountId}:${name}`, QueueName: name },
    };
  },
  properties: z.strictObject({
    ...queueAttributes.partial().shape,
    QueueName: z.string().optional(),
    KmsDataKeyReusePeriodSeconds: withoutEffect,
    Tags: withoutEffect,
  }),
  start: ({ identity, properties }, { account, queues }: SqsParts) => {
    const attributes = Object.entries(queueAttributes.partial().parse(properties)).map(
      ([name, value]): [string, string] => [name, String(value)],
    );
    const key = properties.KmsMasterKeyId;
    const keyArn = key === undefined || key === AWS_MANAGED_KEY ? undefined : keyArnOf(key, account);
    queues.define({
      name: identity.attributes['QueueName'] ?? '',
      arn: identity.attributes['Arn'] ?? '',
      url: identity.ref,
      attributes: Object.fromEntries(attributes),
      ...(keyArn !== undefined && { keyArn }),
    });
  },
});

const queuePolicy = resourceType({
  identify: ({ stack, logicalId }) => ({ ref: physicalName(stack.name, logicalId, 255), attributes: {} }),
  properties: z.strictObject({ Queues: z.array(z.string()), PolicyDocument: policyDocument }),
  start: ({ stackName, logicalId, properties }) => {
    // On the loopback interface every call counts as encrypted, so this statement needs no
    // evaluation.
    const other = properties.PolicyDocument.Statement.find(
      ({ Effect, Condition }) =>
        Effect !== 'Deny' || Condition?.['Bool']?.['aws:SecureTransport'] !== 'false',
    );
    if (other !== undefined)
      throw new Error(
        `${stackName}/${logicalId} cannot run locally: of queue policies only the refusal of calls without TLS does`,
      );
  },
});

/** How many batches Lambda runs concurrently without a limit, before it scales out. */
const DEFAULT_CONCURRENCY = 5;

const eventSourceMapping = resourceType({
  identify: ({ stack, logicalId }) => ({ ref: physicalName(stack.name, logicalId, 255), attributes: {} }),
  properties: z.strictObject({
    EventSourceArn: z.string().regex(/^arn:aws:sqs:/, 'only queues have mappings locally'),
    FunctionName: z.string(),
    BatchSize: z.coerce.number().int().min(1).max(10_000).default(10),
    MaximumBatchingWindowInSeconds: z.coerce.number().int().min(0).max(300).default(0),
    FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
    ScalingConfig: z
      .strictObject({ MaximumConcurrency: z.coerce.number().int().min(2).max(1000).optional() })
      .default({}),
    Enabled: z.coerce.boolean().default(true),
    KmsKeyArn: withoutEffect,
    MetricsConfig: withoutEffect,
    Tags: withoutEffect,
  }),
  start: ({ stackName, logicalId, properties }, { queues }: SqsParts) => {
    if (!properties.Enabled) return;
    if (properties.BatchSize > 10 && properties.MaximumBatchingWindowInSeconds === 0)
      throw new Error(
        `${stackName}/${logicalId}: a BatchSize over 10 needs a MaximumBatchingWindowInSeconds of at least 1`,
      );
    queues.map({
      place: `${stackName}/${logicalId}`,
      queueArn: properties.EventSourceArn,
      functionName: properties.FunctionName,
      batchSize: properties.BatchSize,
      batchingWindowSeconds: properties.MaximumBatchingWindowInSeconds,
      reportsFailures: properties.FunctionResponseTypes.length > 0,
      maxConcurrency: properties.ScalingConfig.MaximumConcurrency ?? DEFAULT_CONCURRENCY,
    });
  },
});

export const sqsResources: Readonly<Record<string, ResourceType<SqsParts>>> = {
  'AWS::SQS::Queue': queue,
  'AWS::SQS::QueuePolicy': queuePolicy,
  'AWS::Lambda::EventSourceMapping': eventSourceMapping,
};
