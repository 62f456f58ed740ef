import {
  CHECK_CURSOR_KEY,
  DEPLOYMENT_KEY,
  INDEXES,
  PROXY_FAILURES_PREFIX,
  SEAL_HEAD_KEY,
} from '../src/adapters/dynamodb/keys.ts';
import { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acceptFindings, namesInFindings } from './accept-findings.ts';
import type { DataStack, NamedTable } from './data-stack.ts';
import { reactorLayerNames } from './deployment-names.ts';
import type { Settings } from './settings.ts';

type TableAction =
  | 'PartiQLInsert'
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'Query';

/**
 * Allows a function the listed calls on a table. IAM checks transactions by the actions of their
 * writes.
 */
export function allowOnTable(
  table: Pick<NamedTable, 'tableArn'>,
  actions: readonly TableAction[],
): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
  });
}

/** {@link allowOnTable}, restricted to the items of one partition. */
export function allowOnPartition(
  table: Pick<NamedTable, 'tableArn'>,
  partition: string,
  actions: readonly TableAction[],
): PolicyStatement {
  const statement = allowOnTable(table, actions);
  statement.addCondition('ForAllValues:StringEquals', { 'dynamodb:LeadingKeys': [partition] });
  // Without keys the condition above would be true for every call.
  statement.addCondition('Null', { 'dynamodb:LeadingKeys': 'false' });
  return statement;
}

/** A tenant's id, with which its partitions of the table Access begin. */
const TENANT = '????????-????-????-????-????????????';
/** Patterns of the partitions that the table Access has for tenants and keys (`keys.ts`). */
const ACCESS_PARTITIONS = {
  tenants: TENANT,
  copies: `${TENANT}#copy#*`,
  grants: `${TENANT}#grants#*`,
  keys: 'key#*',
} as const;

/** Allows a function calls on the named partitions of the table Access, and on no other. */
export function allowOnAccess(
  access: Pick<NamedTable, 'tableArn'>,
  partitions: readonly (keyof typeof ACCESS_PARTITIONS)[],
  actions: readonly TableAction[],
): PolicyStatement {
  const statement = allowOnTable(access, actions);
  statement.addCondition('ForAllValues:StringLike', {
    'dynamodb:LeadingKeys': partitions.map((name) => ACCESS_PARTITIONS[name]),
  });
  // Without keys the condition above would be true for every call.
  statement.addCondition('Null', { 'dynamodb:LeadingKeys': 'false' });
  return statement;
}

/** Allows a function to list the failed transforms of proxies, and nothing else of the table. */
export function allowProxyFailures(ephemeral: Pick<NamedTable, 'tableArn'>): PolicyStatement {
  const statement = allowOnTable(ephemeral, ['Query']);
  statement.addCondition('ForAllValues:StringLike', {
    'dynamodb:LeadingKeys': [`${PROXY_FAILURES_PREFIX}*`],
  });
  // Without keys the condition above would be true for every call.
  statement.addCondition('Null', { 'dynamodb:LeadingKeys': 'false' });
  return statement;
}

/**
 * Allows a function to note when a key was last used, and to write nothing else of a key
 * (`key-uses.ts`).
 */
export function allowKeyUses(access: Pick<NamedTable, 'tableArn'>): PolicyStatement {
  const statement = allowOnTable(access, ['UpdateItem']);
  statement.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': ['key#*'] });
  statement.addCondition('ForAllValues:StringEquals', {
    'dynamodb:Attributes': ['pk', 'sk', 'lastUsedOn'],
  });
  // Without keys or attributes the conditions above would be true for every call.
  statement.addCondition('Null', { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' });
  return statement;
}

/**
 * Allows a function to note that a reactor was called and waits for running instances, and to write
 * nothing else of it (`reactor-store.ts`).
 */
export function allowCallNotes(reactors: Pick<NamedTable, 'tableArn'>): PolicyStatement {
  const statement = allowOnTable(reactors, ['UpdateItem']);
  statement.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [TENANT] });
  statement.addCondition('ForAllValues:StringEquals', {
    'dynamodb:Attributes': ['pk', 'sk', 'calledOn', 'heat', 'duePk', 'dueSk'],
  });
  // Without keys or attributes the conditions above would be true for every call.
  statement.addCondition('Null', { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' });
  return statement;
}

/**
 * Denies a function every write to the head of the audit trail, and to the cursor of its check,
 * which are in a table that it may write otherwise. `except`: what it may write.
 */
export function denyTrailState(access: Pick<NamedTable, 'tableArn'>, except?: 'cursor'): PolicyStatement {
  const statement = allowOnTable(access, ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
  statement.effect = Effect.DENY;
  statement.addCondition('ForAnyValue:StringEquals', {
    'dynamodb:LeadingKeys': [SEAL_HEAD_KEY.pk, ...(except === undefined ? [CHECK_CURSOR_KEY.pk] : [])],
  });
  return statement;
}

/**
 * Denies a function every write to a key of an application, and to the grants of keys that do not
 * fit beside them: a function that may write the rest of the table makes no key that the service
 * accepts (docs/security.md#threat-model).
 */
export function denyKeys(access: Pick<NamedTable, 'tableArn'>): PolicyStatement {
  const statement = allowOnTable(access, ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
  statement.effect = Effect.DENY;
  statement.addCondition('ForAnyValue:StringLike', {
    'dynamodb:LeadingKeys': [ACCESS_PARTITIONS.keys, ACCESS_PARTITIONS.grants],
  });
  return statement;
}

/** Allows a function to read how tables are protected: policy, recovery, expiry. */
export function allowProtection(tables: readonly Pick<NamedTable, 'tableArn'>[]): PolicyStatement {
  const calls = ['GetResourcePolicy', 'DescribeTable', 'DescribeContinuousBackups', 'DescribeTimeToLive'];
  return new PolicyStatement({
    actions: calls.map((call) => `dynamodb:${call}`),
    resources: tables.map(({ tableArn }) => tableArn),
  });
}

/** Allows a function to query one secondary index of a table. */
export function allowQueryIndex(table: Pick<NamedTable, 'tableArn'>, index: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${index}`],
  });
}

/**
 * Allows a function to wrap or unwrap the keys of tenants, and deployment keys, and nothing else
 * that the KMS key protects: the encryption context names one of them and has no other member.
 * Those of DynamoDB on behalf of the tables have others.
 */
export function allowTenantKeys(
  key: IKey,
  action: 'Decrypt' | 'GenerateDataKey' | 'Encrypt',
  members: readonly ('tenant' | 'deployment')[] = ['tenant', 'deployment'],
): PolicyStatement {
  return new PolicyStatement({
    actions: [`kms:${action}`],
    resources: [key.keyArn],
    conditions: {
      'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': members },
      // Without a context the condition above would be true for every call.
      Null: { 'kms:EncryptionContextKeys': 'false' },
    },
  });
}

/** Denies a function every write to the deployment key: only the operator may replace it. */
export function denyDeploymentKey(access: Pick<NamedTable, 'tableArn'>): PolicyStatement {
  const statement = allowOnTable(access, ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
  statement.effect = Effect.DENY;
  statement.addCondition('ForAnyValue:StringEquals', { 'dynamodb:LeadingKeys': [DEPLOYMENT_KEY.pk] });
  return statement;
}

/** Allows a function to create, read and update tokens by id, with their cvc values. */
export function allowTokenWrites({
  tokens,
  ephemeral,
}: Pick<DataStack, 'tokens' | 'ephemeral'>): PolicyStatement[] {
  return [
    allowOnTable(tokens, ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'UpdateItem', 'DeleteItem']),
    allowOnTable(ephemeral, ['BatchGetItem', 'DeleteItem']),
    // A creator of tokens searches for duplicates.
    allowQueryIndex(tokens, INDEXES.fingerprint),
  ];
}

/** Allows a function to use the key for the code of Lambda functions only: through Lambda. */
export function allowCodeKey(key: IKey): PolicyStatement {
  const { region } = Stack.of(key);
  return new PolicyStatement({
    actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `lambda.${region}.amazonaws.com` } },
  });
}

/** Allows a function to send messages to a queue. */
export function allowSend(queue: IQueue): PolicyStatement {
  return new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] });
}

/** Allows a function to read the number of messages in a queue. */
export function allowLook(queue: IQueue): PolicyStatement {
  return new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queue.queueArn] });
}

/** Accepts a wildcard in a Lambda resource for a whole stack: `function:x-*`, `layer:x:*`. */
function acceptWildcard(scope: Construct, resource: string, reason: string): void {
  const { partition, region, account } = namesInFindings(scope);
  const arn = `arn:${partition}:lambda:${region}:${account}:${resource}`;
  acceptFindings(scope, { [`AwsSolutions-IAM5[Resource::${arn}]`]: reason });
}

/** The findings of the policy packs about {@link allowOnFunctions}, accepted for a whole stack. */
export function acknowledgeFunctions(scope: Construct, prefix: string, suffix = ''): void {
  acceptWildcard(
    scope,
    `function:${prefix}*${suffix}`,
    'Functions of reactors are made at run time; their names start with a prefix that only this deployment has.',
  );
}

/** The findings about the right to read every version of a layer, accepted for a whole stack. */
export function acknowledgeLayers(scope: Construct, { serviceName }: Pick<Settings, 'serviceName'>): void {
  for (const name of reactorLayerNames(serviceName))
    acceptWildcard(
      scope,
      `layer:${name}:*`,
      'Each content of the layer is another version, and reading them reveals nothing: this repository contains them.',
    );
}

/**
 * Allows a function to give functions the tags of the deployment, and none that say whose reactor
 * they are: by these, it decides into which function it may publish.
 */
export function allowDeploymentTags(scope: Construct, prefix: string): PolicyStatement {
  const statement = allowOnFunctions(scope, prefix, ['TagResource']);
  statement.addCondition('Null', {
    'aws:RequestTag/cloakroom:tenant': 'true',
    'aws:RequestTag/cloakroom:reactor': 'true',
  });
  return statement;
}

/**
 * Allows a function Lambda calls on functions whose names start with a prefix; `suffix` may name
 * their versions and aliases.
 */
export function allowOnFunctions(
  scope: Construct,
  prefix: string,
  actions: readonly string[],
  suffix = '',
): PolicyStatement {
  const { partition, region, account } = Stack.of(scope);
  return new PolicyStatement({
    actions: actions.map((action) => `lambda:${action}`),
    resources: [`arn:${partition}:lambda:${region}:${account}:function:${prefix}*${suffix}`],
  });
}
