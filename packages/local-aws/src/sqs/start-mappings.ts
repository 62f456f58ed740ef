import type { RoleRegistry } from '../iam/role-registry.ts';
import type { AwsAccess, ResourcePolicy } from '../aws-service.ts';
import { isAllowed } from '../iam/is-allowed.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import type { Sqs } from './create-sqs.ts';
import type { MappingDefinition, QueueDefinition } from './queue-definitions.ts';
import { runMapping } from './run-mapping.ts';

export interface StartMappingsOptions {
  readonly mappings: readonly MappingDefinition[];
  readonly queues: readonly QueueDefinition[];
  readonly functions: Pick<FunctionHost, 'find' | 'invoke'>;
  readonly roles: RoleRegistry;
  readonly keyPolicy: (keyArn: string) => ResourcePolicy | undefined;
  readonly sqs: Pick<Sqs, 'call'>;
  readonly log: (line: string) => void;
}

interface Checked {
  readonly mapping: MappingDefinition;
  readonly queue: QueueDefinition;
}

function accessesOf({ arn, keyArn }: QueueDefinition): readonly AwsAccess[] {
  const read = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  const context = {
    'kms:EncryptionContext:aws:sqs:arn': arn,
    'kms:EncryptionContextKeys': ['aws:sqs:arn'],
    'kms:ViaService': `sqs.${arn.split(':')[3] ?? ''}.amazonaws.com`,
  };
  return [
    ...read.map((action) => ({ action, resource: arn })),
    ...(keyArn === undefined ? [] : [{ action: 'kms:Decrypt', resource: keyArn, context }]),
  ];
}

/** Checks that AWS makes when a mapping is created. Throws an Error with the reason. */
function check(mapping: MappingDefinition, options: StartMappingsOptions): Checked {
  const queue = options.queues.find(({ arn }) => arn === mapping.queueArn);
  if (queue === undefined) throw new Error(`${mapping.place}: the app has no queue ${mapping.queueArn}`);
  const { definition } = options.functions.find(mapping.functionName);
  const role = options.roles.role(definition.roleArn);
  const missing = accessesOf(queue).filter((access) => {
    const resourcePolicy = access.action.startsWith('kms:') ? options.keyPolicy(access.resource) : undefined;
    return !isAllowed(role, access, { resourcePolicy }).allowed;
  });
  if (missing.length > 0)
    throw new Error(
      `${mapping.place}: the role of ${definition.name} lacks ${missing
        .map(({ action, resource }) => `${action} on ${resource}`)
        .join(', ')}`,
    );
  const visibleAfter = Number(queue.attributes['VisibilityTimeout'] ?? 30);
  if (visibleAfter < definition.timeoutSeconds)
    throw new Error(
      `${mapping.place}: the visibility timeout of ${queue.name}, ${String(visibleAfter)} s, is less than the timeout of ${definition.name}, ${String(definition.timeoutSeconds)} s`,
    );
  return { mapping, queue };
}

/**
 * Throws an Error, like AWS, if a function's role lacks a permission or its timeout is longer than
 * the visibility timeout. Returns the function that stops all mappings, or the one of a place.
 */
export function startMappings(options: StartMappingsOptions): (place?: string) => void {
  const checked = options.mappings.map((mapping) => check(mapping, options));
  const stops = checked.map(({ mapping, queue }) => ({
    place: mapping.place,
    stop: runMapping({
      mapping,
      queueUrl: queue.url,
      call: (operation, input) => options.sqs.call(operation, input),
      invoke: (functionName, payload) => options.functions.invoke(functionName, payload),
      log: options.log,
      now: Date.now,
    }),
  }));
  return (wanted) => {
    for (const { place, stop } of stops) if (wanted === undefined || wanted === place) stop();
  };
}
