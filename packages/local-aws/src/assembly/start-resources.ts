import type { Account } from './account.ts';
import type { DeployedStack } from './deployed-stack.ts';
import { merged, type LocalService } from './local-service.ts';
import type { Assembly } from './read-assembly.ts';
import { createResolver, type ResourceHandle } from './resolver.ts';
import type { ResourceType } from './resource-type.ts';
import { resourcesWithoutBehaviour } from './without-behaviour.ts';

/** The result of the start: the app's stacks, and their outputs by name. */
export interface StartedResources {
  readonly stacks: readonly DeployedStack[];
  readonly outputs: ReadonlyMap<string, string>;
}

/**
 * Defines every resource of the app in its service; those of the first service come first. Throws
 * an Error that names the resource for a type, property or reference without a local counterpart.
 */
export function startResources(
  assembly: Assembly,
  account: Account,
  services: readonly Pick<LocalService, 'resources'>[],
): StartedResources {
  const types = merged(services.map(({ resources }) => resources));
  const startOrder = new Map(Object.keys(types).map((type, index) => [type, index]));
  const typeOf = ({ stack, logicalId, type }: ResourceHandle): ResourceType => {
    const known = types[type];
    if (known === undefined) throw new Error(`${type} does not run locally (${stack.name}/${logicalId})`);
    return known;
  };
  const resolver = createResolver({
    stacks: assembly.stacks,
    leftOut: assembly.leftOut,
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
    typeOf(handle).start({
      stackName: stack.name,
      logicalId,
      identity: resolver.identity(stack, logicalId),
      properties: resolver.resolve(stack, stack.template.Resources[logicalId]?.Properties),
      assets: assembly.assets,
    });
  }
  const stacks = assembly.stacks.map((stack) => ({
    ...stack,
    id: resolver.stackId(stack),
    outputs: resolver.outputs(stack),
    resources: ordered
      .filter((handle) => handle.stack === stack)
      .map(({ logicalId, type }) => ({
        stackName: stack.name,
        logicalId,
        type,
        identity: resolver.identity(stack, logicalId),
      })),
  }));
  return { stacks, outputs: new Map(stacks.flatMap(({ outputs }) => [...outputs])) };
}
