import type { QueueDepth } from '../sqs/queue-messages.ts';
import type { CloudWatch } from './create-cloudwatch.ts';

/** Adds the data points of a queue for this minute, as SQS does each minute. */
export function addDepth({ find }: Pick<CloudWatch, 'find'>, depth: QueueDepth): void {
  const values = {
    ApproximateNumberOfMessagesVisible: depth.visible,
    ApproximateNumberOfMessagesNotVisible: depth.inFlight,
    ApproximateNumberOfMessagesDelayed: depth.delayed,
    ApproximateAgeOfOldestMessage: Math.floor((depth.oldestAgeMs ?? 0) / 1000),
  };
  for (const [name, value] of Object.entries(values))
    find({ namespace: 'AWS/SQS', name, dimensions: { QueueName: depth.name } })?.add(value);
}
