import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SqsCalls } from '../aws/clients.ts';
import type { InvocationQueue } from '../../core/reactors/invocation-store.ts';
import { callDependency } from '../aws/dependency-error.ts';

/** Longest delay that SQS allows for a message, in seconds. */
const DELAY_MAX_SECONDS = 900;

/** A queue of invocations. A message contains the ids of one, and nothing else. */
export function createInvocationQueue(client: SqsCalls, queueUrl: string): InvocationQueue {
  return {
    async send({ tenantId, id }, delayMs = 0) {
      const command = new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify({ tenant_id: tenantId, invocation_id: id }),
        DelaySeconds: Math.min(DELAY_MAX_SECONDS, Math.max(0, Math.ceil(delayMs / 1000))),
      });
      await callDependency(() => client.send(command));
    },
  };
}

/** Counts the messages in a queue, waiting or in progress. SQS counts them approximately. */
export async function queueDepth(client: SqsCalls, queueUrl: string): Promise<number> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: queueUrl,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  const { Attributes: attributes = {} } = await callDependency(() => client.send(command));
  return Object.values(attributes).reduce((total, count) => total + Number(count), 0);
}
