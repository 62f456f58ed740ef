import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acceptFindings } from '../accept-findings.ts';

export interface WorkQueueProps {
  /** How long a received message stays hidden: longer than its worker may run. */
  readonly visibilitySeconds: number;
}

/**
 * Deliveries of a message before it is dead-lettered. Nothing is lost then: the state of its
 * invocation is in the table, and the sweep reads it there.
 */
const RECEIVES_MAX = 5;

/** A queue of work with a dead-letter queue. Messages contain only ids. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { visibilitySeconds }: WorkQueueProps) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.deadLetterQueue = new Queue(this, 'DeadLetters', { ...common, retentionPeriod: Duration.days(14) });
    acceptFindings(this, {
      'Serverless-SQSRedrivePolicy': 'This is the dead-letter queue itself.',
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: RECEIVES_MAX },
    });
  }

  /**
   * Connects a worker function: `batchSize` messages per call, at most `maxConcurrency` concurrent
   * calls.
   */
  workedOnBy(
    worker: LambdaFunction,
    { batchSize, maxConcurrency }: { readonly batchSize: number; readonly maxConcurrency: number },
  ): void {
    // `SqsEventSource` has the path from the app in its logical id. A stage of a pipeline would
    // change it, and CloudFormation cannot replace the mapping of a queue
    // (https://github.com/aws/aws-cdk/issues/16830).
    worker.addEventSourceMapping('Messages', {
      eventSourceArn: this.queue.queueArn,
      batchSize,
      maxConcurrency,
      reportBatchItemFailures: true,
    });
    this.queue.grantConsumeMessages(worker);
    acceptFindings(worker, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A mapping from a queue has no destination; the queue has a dead-letter queue.',
    });
  }
}
