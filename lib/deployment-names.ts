import { createHash } from 'node:crypto';
import { IMAGES, type Image } from '../src/core/reactors/layer.ts';
import { accessFunctionOf } from '../src/operator/command-names.ts';

/*
 * Names of what a deployment makes, by its service name. The stacks use them, and the operator's
 * command line finds a deployment by them when its stacks no longer exist. This file imports no
 * CDK, which would slow the command line down.
 */

/** A function's name has 64 characters at most, of which the reactor's id takes 32. */
const PREFIX_MAX_LENGTH = 32;
const PREFIX_END = '-reactor-';

/** The name prefix of all reactor functions; two services in one account have different ones. */
export function reactorFunctionPrefix(serviceName: string): string {
  const longest = PREFIX_MAX_LENGTH - PREFIX_END.length;
  if (serviceName.length <= longest) return `${serviceName}${PREFIX_END}`;
  const hash = createHash('sha256').update(serviceName).digest('hex').slice(0, 8);
  return `${serviceName.slice(0, longest - hash.length - 1)}-${hash}${PREFIX_END}`;
}

/**
 * The name of the layer of all reactor functions of an image. CloudFormation would name it by its
 * logical id alone, so that two services in one account would share its versions.
 */
export const reactorLayerName = (serviceName: string, image: Image): string =>
  `${serviceName}-reactor-runtime${image === 'node16' ? '' : `-${image}`}`;

/** The names of the layers of all images. */
export const reactorLayerNames = (serviceName: string): readonly string[] =>
  IMAGES.map((image) => reactorLayerName(serviceName, image));

/** The name of the function that runs the operator's commands, but those that give access. */
export const operatorFunctionName = (serviceName: string): string => `${serviceName}-operator`;

/** The name of the function that runs the commands that give access to a tenant. */
export const accessFunctionName = (serviceName: string): string =>
  accessFunctionOf(operatorFunctionName(serviceName));

/** The name of the function that moves reactors to another layer. */
export const republisherName = (serviceName: string): string => `${serviceName}-republisher`;

/** The tag of tables and KMS keys, whose value is the service name. */
export const DEPLOYMENT_TAG = 'cloakroom:deployment';

/**
 * AWS WAF for CloudFront, and the certificates that CloudFront reads, exist only in this Region
 * (Developer Guides of AWS WAF and of CloudFront).
 */
export const EDGE_REGION = 'us-east-1';

/** Stacks of several Regions of a service are in the one of the edge. */
export const firewallStackName = (serviceName: string, region: string): string =>
  `${serviceName}-Firewall-${region}`;

/** Static files on an origin of their own, each in a stack that no other one refers to. */
export const SITES = ['Console', 'Fields'] as const;

/** CloudFront and its certificates are in that Region, whose stacks may be of several services. */
export const siteStackName = (serviceName: string, site: (typeof SITES)[number], region: string): string =>
  `${serviceName}-${site}-${region}`;

/** The construct ids of the tables, which end their names. */
export const DATA_TABLES = ['Tokens', 'Ephemeral', 'Access', 'Reactors'] as const;
export const TRAIL_TABLES = ['Audit', 'AuditIndex', 'AuditSeals'] as const;

export const tableNameOf = (serviceName: string, id: string): string => `${serviceName}-${id}`;

/** The outputs of the stack with the vault, which a restore from a backup reads. */
export const BACKUP_OUTPUTS = { vault: 'BackupVaultName', role: 'RestoreRoleArn' } as const;

export const backupStackName = (serviceName: string): string => `${serviceName}-Backup`;

/**
 * The tag of a table that says whether backups of it may exist. Plans of an organisation leave out
 * tables by it.
 */
export const BACKUP_TAG = 'cloakroom:backup';

/** The stacks with logs, which CloudFormation names after the stack and the logical id. */
export const STACKS_WITH_LOGS = ['Reactors', 'Api', 'Operations'] as const;
