import {
  DATA_TABLES,
  EDGE_REGION,
  firewallStackName,
  reactorFunctionPrefix,
  STACKS_WITH_LOGS,
  tableNameOf,
  TRAIL_TABLES,
} from '../../../lib/deployment-names.ts';
import type { StackPlace } from './removal-account.ts';

/** The stacks of a deployment in a Region: each before those that it refers to. */
export function stacksOf(service: string, region: string): readonly StackPlace[] {
  const named = (id: string): StackPlace => ({ name: `${service}-${id}` });
  return [
    named('Monitoring'),
    named('Edge'),
    { name: firewallStackName(service, region), region: EDGE_REGION },
    named('Operations'),
    named('Api'),
    named('Reactors'),
    named('Data'),
  ];
}

export const dataTablesOf = (service: string): readonly string[] =>
  DATA_TABLES.map((id) => tableNameOf(service, id));

export const trailTablesOf = (service: string): readonly string[] =>
  TRAIL_TABLES.map((id) => tableNameOf(service, id));

/**
 * Whether a function is that of a reactor of a deployment. The prefix alone is not enough: it also
 * begins the names of a service that is called after it.
 */
export function isReactorFunction(service: string, name: string): boolean {
  const prefix = reactorFunctionPrefix(service);
  return name.startsWith(prefix) && /^[\da-f]{32}$/.test(name.slice(prefix.length));
}

/** A logical id of the CDK, and what CloudFormation adds to it. Neither contains a hyphen. */
const LOG_GROUP = /^[A-Za-z]+Log[\dA-F]{8}(?:-[A-Za-z\d]+)?$/;

/** Whether CloudFormation named a log group for a stack of a deployment. */
export const isLogGroup = (service: string, name: string): boolean =>
  STACKS_WITH_LOGS.some((id) => {
    const prefix = `${service}-${id}-`;
    return name.startsWith(prefix) && LOG_GROUP.test(name.slice(prefix.length));
  });
