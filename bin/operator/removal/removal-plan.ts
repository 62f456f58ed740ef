import { STACKS_WITH_LOGS } from '../../../lib/deployment-names.ts';
import type { StackPlace } from './removal-account.ts';

/**
 * `all`: everything but the audit trail, until its records have expired. `data`: only what no new
 * deployment can adopt. `trail`: everything, the trail too.
 */
export type Removes = 'all' | 'data' | 'trail';

export type StepKind = 'stack' | 'function' | 'layer' | 'logs' | 'backup' | 'table' | 'key';

/** One resource, and what happens to it. */
export interface Step {
  readonly kind: StepKind;
  /** Its name, or its id. Together with the kind it is unique. */
  readonly id: string;
  readonly fate: 'deleted' | 'retained';
  /** Describes its content in words. */
  readonly has: string;
  /** Dollars a month. */
  readonly monthly: number;
  /** Only set if the step deletes a stack. */
  readonly place?: StackPlace;
}

/**
 * `cdk import` adopts resources by this map of logical to physical ids, as CloudFormation names
 * them.
 */
export type ResourceMapping = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface RemovalPlan {
  readonly service: string;
  readonly region: string;
  readonly removes: Removes;
  /** The time that the clock of AWS shows. */
  readonly now: Date;
  /** The steps are carried out in this order. */
  readonly steps: readonly Step[];
  /** Things that the command does not touch. */
  readonly notes: readonly string[];
  /** The time when the last record of a trail that stays has expired, if known. */
  readonly trailUntil?: Date;
  /** Contains the tables and keys that exist. */
  readonly mapping: ResourceMapping;
  /** Keys of the deployment that sign seals. */
  readonly sealKeys: readonly string[];
}

export const deletedOf = ({ steps }: RemovalPlan): readonly Step[] =>
  steps.filter(({ fate }) => fate === 'deleted');

export const retainedOf = ({ steps }: RemovalPlan): readonly Step[] =>
  steps.filter(({ fate }) => fate === 'retained');

export const monthlyOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, { monthly }) => sum + monthly, 0);

/** A person confirms this: sizes and counts may change in the meantime, resources may not. */
export const identityOf = ({ steps }: RemovalPlan): string =>
  steps.map(({ kind, id, fate }) => `${kind} ${id} ${fate}`).join('\n');

export const layerId = (name: string, version: number): string => `${name}:${String(version)}`;

export const logPrefixes = (service: string): readonly string[] =>
  STACKS_WITH_LOGS.map((id) => `${service}-${id}-`);
