/** The calls that run locally, each under the action of its name. */
export const SQS_ACTIONS: readonly string[] = [
  'DeleteMessage',
  'GetQueueAttributes',
  'GetQueueUrl',
  'ReceiveMessage',
  'SendMessage',
];

/** A queue that the template defines. */
export interface QueueDefinition {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** The names are SQS's own: `VisibilityTimeout`, `RedrivePolicy`, ... */
  readonly attributes: Readonly<Record<string, string>>;
  /** The KMS key that encrypts its messages, unless SQS owns the key. */
  readonly keyArn?: string;
}

/** An event source mapping of the template. */
export interface MappingDefinition {
  /** Its place in the app: `stack/logical id`. */
  readonly place: string;
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  /** Whether the function reports which messages of a batch have failed. */
  readonly reportsFailures: boolean;
  readonly maxConcurrency: number;
}

/** The queues of the app and their mappings, collected until both are known. */
export interface QueueDefinitions {
  define(queue: QueueDefinition): void;
  map(mapping: MappingDefinition): void;
  all(): readonly QueueDefinition[];
  mappings(): readonly MappingDefinition[];
}

export function createQueueDefinitions(): QueueDefinitions {
  const queues: QueueDefinition[] = [];
  const mappings: MappingDefinition[] = [];
  return {
    define: (queue) => {
      queues.push(queue);
    },
    map: (mapping) => {
      mappings.push(mapping);
    },
    all: () => queues,
    mappings: () => mappings,
  };
}
