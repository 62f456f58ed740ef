import type { CloudParts } from './cloud-parts.ts';
import type { DeployedStack } from './deployed-stack.ts';
import type { Assembly } from './read-assembly.ts';
import { createResolver, type ResourceHandle } from './resolver.ts';
import type { Account } from './account.ts';
import type { ResourceType } from './resource-type.ts';
import { apiGatewayResources } from './resources/api-gateway.ts';
import { cloudWatchResources } from './resources/cloudwatch.ts';
import { iamResources } from './resources/iam.ts';
import { lambdaResources } from './resources/lambda.ts';
import { queueResources } from './resources/queues.ts';
import { scheduleResources } from './resources/schedules.ts';
import { storageResources } from './resources/storage.ts';
import { resourcesWithoutBehaviour } from './resources/without-behaviour.ts';

/**
 * Every CloudFormation resource type that runs on one machine. A new type is a new row in one of
 * these.
 */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  // Roles first: functions and schedules read them when they start.
  ...iamResources,
  ...storageResources,
  ...lambdaResources,
  ...queueResources,
  ...apiGatewayResources,
  ...scheduleResources,
  ...cloudWatchResources,
  ...resourcesWithoutBehaviour,
};

const startOrder = new Map(Object.keys(resourceTypes).map((type, index) => [type, index]));

function typeOf({ stack, logicalId, type }: ResourceHandle): ResourceType {
  const known = resourceTypes[type];
  if (known === undefined) throw new Error(`${type} does not run locally (${stack.name}/${logicalId})`);
  return known;
}

/** The result of the start: the app's stacks, and their outputs by name. */
export interface StartedResources {
  readonly stacks: readonly DeployedStack[];
  readonly outputs: ReadonlyMap<string, string>;
}

/**
 * Starts every resource of the app in the parts of the local account. Throws an Error that names
 * the resource for a type, property or reference without a local counterpart.
 */
export async function startResources(
  assembly: Assembly,
  account: Account,
  parts: CloudParts,
): Promise<StartedResources> {
  const resolver = createResolver({
    stacks: assembly.stacks,
    accountId: account.accountId,
    region: account.region,
    identify: (handle) => typeOf(handle).identify(handle, account),
  });
  const handles = assembly.stacks.flatMap((stack) =>
    Object.entries(stack.template.Resources)
      .filter(([, { Condition }]) => resolver.condition(stack, Condition))
      .map(([logicalId]) => resolver.handle(stack, logicalId)),
  );
  for (const handle of handles) typeOf(handle);
  const ordered = handles.toSorted((a, b) => (startOrder.get(a.type) ?? 0) - (startOrder.get(b.type) ?? 0));
  for (const handle of ordered) {
    const { stack, logicalId, type } = handle;
    // A type without behaviour is not resolved: a dashboard may refer to attributes that no local
    // resource has.
    if (type in resourcesWithoutBehaviour) continue;
    await typeOf(handle).start(
      {
        stackName: stack.name,
        logicalId,
        identity: resolver.identity(stack, logicalId),
        properties: resolver.resolve(stack, stack.template.Resources[logicalId]?.Properties),
      },
      parts,
    );
  }
  const stacks = assembly.stacks.map((stack) => ({
    ...stack,
    id: resolver.stackId(stack),
    resources: ordered
      .filter((handle) => handle.stack === stack)
      .map(({ logicalId, type }) => ({
        stackName: stack.name,
        logicalId,
        type,
        identity: resolver.identity(stack, logicalId),
      })),
  }));
  return { stacks, outputs: resolver.outputs() };
}
