import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';

export interface WorkQueueProps {
  /** How long a message stays hidden while it is worked on: longer than its worker may run. */
  readonly visibilitySeconds: number;
}

/**
 * Deliveries of a message before it is put aside. What it stands for is not lost: its state is in
 * the table, and the sweep looks there.
 */
const RECEIVES_MAX = 5;

/**
 * A queue of work with a place for messages that nobody could handle. Messages hold ids and nothing
 * else.
 */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly putAside: Queue;

  constructor(scope: Construct, id: string, { visibilitySeconds }: WorkQueueProps) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.putAside = new Queue(this, 'PutAside', { ...common, retentionPeriod: Duration.days(14) });
    acknowledge(this, {
      'Serverless-SQSRedrivePolicy': 'It is the place where messages are put aside: nothing comes after it.',
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.putAside, maxReceiveCount: RECEIVES_MAX },
    });
  }

  /** Lets a function work on the messages, `batchSize` at a time and `maxConcurrency` at once. */
  workedOnBy(
    worker: LambdaFunction,
    { batchSize, maxConcurrency }: { readonly batchSize: number; readonly maxConcurrency: number },
  ): void {
    worker.addEventSource(
      new SqsEventSource(this.queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
    acknowledge(worker, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A mapping from a queue takes no destination; the queue has a place aside for what nobody can handle.',
    });
  }
}
