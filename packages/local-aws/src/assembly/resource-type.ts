import { z } from 'zod';
import type { Account } from './account.ts';
import type { Identity, ResourceHandle } from './resolver.ts';

/** A resource whose properties are resolved and have the shape that its type declares. */
export interface Resource<Properties> {
  readonly stackName: string;
  readonly logicalId: string;
  readonly identity: Identity;
  readonly properties: Properties;
  /** S3 object key of an asset of the app -> its folder or file on disk. */
  readonly assets: ReadonlyMap<string, string>;
}

/** How a CloudFormation resource type runs on one machine, in the parts of its service. */
export interface ResourceType<Parts = void> {
  /**
   * Names are known before anything is started, so that resources can refer to each other in any
   * order.
   */
  identify(resource: ResourceHandle, account: Account): Identity;
  /**
   * Throws an Error that names the resource and the property if a property has no local
   * counterpart.
   */
  start(resource: Resource<unknown>, parts: Parts): void;
}

interface Row<Properties, Parts> {
  identify: ResourceType['identify'];
  properties: z.ZodType<Properties>;
  start(resource: Resource<Properties>, parts: Parts): void;
}

/** A property that the cloud needs and that has no effect on one machine. */
export const withoutEffect = z.unknown().optional();

/** One row of the table of resource types; the schema lists every property that may be set. */
export function resourceType<Properties, Parts>(row: Row<Properties, Parts>): ResourceType<Parts> {
  return {
    identify: row.identify,
    start: (resource, parts) => {
      const parsed = row.properties.safeParse(resource.properties);
      if (!parsed.success)
        throw new Error(
          `${resource.stackName}/${resource.logicalId} cannot run locally: ${z.prettifyError(parsed.error)}`,
        );
      row.start({ ...resource, properties: parsed.data }, parts);
    },
  };
}

/** Binds the resource types of a service to its parts. */
export function definedIn<Parts>(
  parts: Parts,
  types: Readonly<Record<string, ResourceType<Parts>>>,
): Readonly<Record<string, ResourceType>> {
  const bound = Object.entries(types).map(([name, type]): [string, ResourceType] => [
    name,
    {
      identify: (resource, account) => type.identify(resource, account),
      start: (resource) => {
        type.start(resource, parts);
      },
    },
  ]);
  return Object.fromEntries(bound);
}

/** A row for a type without effect on one machine; `reason` justifies it. */
export function withoutBehaviour(
  reason: string,
  identify: ResourceType['identify'],
): ResourceType & { reason: string } {
  return { reason, identify, start: () => undefined };
}
