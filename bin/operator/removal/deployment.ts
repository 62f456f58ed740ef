import {
  backupStackName,
  DATA_TABLES,
  EDGE_REGION,
  firewallStackName,
  reactorFunctionPrefix,
  SITES,
  siteStackName,
  STACKS_WITH_LOGS,
  tableNameOf,
  TRAIL_TABLES,
} from '../../../lib/deployment-names.ts';
import type { StackPlace } from './removal-account.ts';

/** CloudFront and its certificates do not exist in the other partitions of AWS. */
const WITHOUT_SITES = /^(?:cn|us-gov)-/;

/**
 * The places of the stacks with static files. They are in the Region of the edge, with or without
 * an edge, and no other stack refers to them.
 */
export const sitesOf = (service: string, region: string): readonly StackPlace[] =>
  WITHOUT_SITES.test(region)
    ? []
    : SITES.map((site) => ({ name: siteStackName(service, site, region), region: EDGE_REGION }));

/**
 * The stacks of a deployment in a Region, in the order of their deletion: those that serve requests
 * before the alarms that watch them. References between stacks are weak, and prevent no order.
 */
export function stacksOf(service: string, region: string): readonly StackPlace[] {
  const named = (id: string): StackPlace => ({ name: `${service}-${id}` });
  return [
    ...sitesOf(service, region),
    named('Edge'),
    { name: firewallStackName(service, region), region: EDGE_REGION },
    { name: backupStackName(service) },
    named('Operations'),
    named('Api'),
    named('Reactors'),
    named('Monitoring'),
    named('Data'),
  ];
}

/** How the description of each stack begins (lib/service.ts). */
export const STACK_DESCRIPTION = 'Cloakroom: ';

/** The logical ids of what a new deployment adopts, in the template of the stack Data. */
export const LOGICAL_IDS = {
  tables: {
    Tokens: 'Tokens1180AAEA',
    Ephemeral: 'Ephemeral62C09283',
    Access: 'Access9901B1FF',
    Reactors: 'Reactors98A0C40F',
    Audit: 'Audit3D8ADE0A',
    AuditIndex: 'AuditIndexFD1561BE',
    AuditSeals: 'AuditSealsDFB09333',
  },
  keys: { ENCRYPT_DECRYPT: 'Key961B73FD', SIGN_VERIFY: 'SealKey94782D95' },
} as const;

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
