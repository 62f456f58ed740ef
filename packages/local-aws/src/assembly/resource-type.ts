import { z } from 'zod';
import type { Account } from './account.ts';
import type { CloudParts } from './cloud-parts.ts';
import type { Identity, ResourceHandle } from './resolver.ts';

/** A resource whose properties are resolved and have the shape that its type declares. */
export interface Resource<Properties> {
  readonly stackName: string;
  readonly logicalId: string;
  readonly identity: Identity;
  readonly properties: Properties;
}

/** How a CloudFormation resource type runs on one machine. */
export interface ResourceType {
  /**
   * Names are known before anything is started, so that resources can refer to each other in any
   * order.
   */
  identify(resource: ResourceHandle, account: Account): Identity;
  /**
   * Throws an Error that names the resource and the property if a property has no local
   * counterpart.
   */
  start(resource: Resource<unknown>, parts: CloudParts): void | Promise<void>;
}

interface Row<Properties> {
  identify: ResourceType['identify'];
  properties: z.ZodType<Properties>;
  start(resource: Resource<Properties>, parts: CloudParts): void | Promise<void>;
}

/** A property that the cloud needs and that has no effect on one machine. */
export const withoutEffect = z.unknown().optional();

/** One row of the table of resource types; the schema lists every property that may be set. */
export function resourceType<Properties>(row: Row<Properties>): ResourceType {
  return {
    identify: row.identify,
    start: (resource, parts) => {
      const parsed = row.properties.safeParse(resource.properties);
      if (!parsed.success)
        throw new Error(
          `${resource.stackName}/${resource.logicalId} cannot run locally: ${z.prettifyError(parsed.error)}`,
        );
      return row.start({ ...resource, properties: parsed.data }, parts);
    },
  };
}

/** A row for a type without effect on one machine; `reason` justifies it. */
export function withoutBehaviour(
  reason: string,
  identify: ResourceType['identify'],
): ResourceType & { reason: string } {
  return { reason, identify, start: () => undefined };
}
