import type { MetricId } from './metric-store.ts';

/**
 * The metrics of AWS services that the local account measures, by their dimensions. Namespaces of
 * the app have what its functions print.
 */
const MEASURED: Readonly<
  Record<string, readonly (readonly [dimensions: string, names: readonly string[]])[]>
> = {
  'AWS/ApiGateway': [['ApiId', ['4xx', '5xx', 'Count', 'Latency']]],
  'AWS/DynamoDB': [
    ['TableName', ['ReadThrottleEvents', 'WriteThrottleEvents']],
    ['GlobalSecondaryIndexName,TableName', ['ReadThrottleEvents', 'WriteThrottleEvents']],
  ],
  'AWS/Lambda': [['FunctionName', ['Duration', 'Errors', 'Invocations', 'Throttles']]],
  'AWS/SQS': [
    [
      'QueueName',
      [
        'ApproximateAgeOfOldestMessage',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesVisible',
      ],
    ],
  ],
};

/** Whether the local account collects the data points of a metric. */
export function isMeasured({ namespace, name, dimensions }: MetricId): boolean {
  if (!namespace.startsWith('AWS/')) return true;
  const of = Object.keys(dimensions).toSorted().join();
  return (MEASURED[namespace] ?? []).some(([names, metrics]) => names === of && metrics.includes(name));
}
