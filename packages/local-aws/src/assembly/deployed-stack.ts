import type { Identity } from './resolver.ts';
import type { Stack } from './read-assembly.ts';

/** A resource of a stack that runs. */
export interface DeployedResource {
  readonly stackName: string;
  readonly logicalId: string;
  readonly type: string;
  readonly identity: Identity;
}

/** A stack that runs, with its resources in the order in which they were started. */
export interface DeployedStack extends Stack {
  readonly id: string;
  readonly resources: readonly DeployedResource[];
  readonly outputs: ReadonlyMap<string, string>;
}

type Remover = (resource: DeployedResource) => Promise<void> | void;

/** Ends resources, by their type. A type without a remover ends without an effect. */
export type Removers = Readonly<Record<string, Remover>>;
