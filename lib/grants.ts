import { INDEXES, SEAL_HEAD_KEY } from '../src/adapters/dynamodb/keys.ts';
import { Stack, Token } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { DataStack } from './data-stack.ts';

type TableAction =
  'PartiQLInsert' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchWriteItem' | 'Query';

/**
 * Lets a function make the named calls on a table. Transactions are checked by the actions of their
 * writes.
 */
export function allowOnTable(
  table: Pick<Table, 'tableArn'>,
  actions: readonly TableAction[],
): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
  });
}

/** {@link allowOnTable} for the items of one partition alone. */
export function allowOnPartition(
  table: Pick<Table, 'tableArn'>,
  partition: string,
  actions: readonly TableAction[],
): PolicyStatement {
  const statement = allowOnTable(table, actions);
  statement.addCondition('ForAllValues:StringEquals', { 'dynamodb:LeadingKeys': [partition] });
  // Without keys the condition above holds for everything.
  statement.addCondition('Null', { 'dynamodb:LeadingKeys': 'false' });
  return statement;
}

/**
 * Denies a function every write to the head of the audit trail's seals, which stands in a table
 * that it may write otherwise.
 */
export function denySealHead(access: Pick<Table, 'tableArn'>): PolicyStatement {
  const statement = allowOnTable(access, ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
  statement.effect = Effect.DENY;
  statement.addCondition('ForAnyValue:StringEquals', { 'dynamodb:LeadingKeys': [SEAL_HEAD_KEY.pk] });
  return statement;
}

/** Lets a function query one secondary index of a table. */
export function allowQueryIndex(table: Pick<Table, 'tableArn'>, index: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${index}`],
  });
}

/**
 * Lets a function wrap or unwrap tenant keys, and nothing else that the KMS key protects: only
 * calls whose encryption context names a tenant, which those of DynamoDB on behalf of the tables do
 * not.
 */
export function allowTenantKeys(key: IKey, action: 'Decrypt' | 'GenerateDataKey'): PolicyStatement {
  return new PolicyStatement({
    actions: [`kms:${action}`],
    resources: [key.keyArn],
    conditions: { Null: { 'kms:EncryptionContext:tenant': 'false' } },
  });
}

/** Lets a function create, read and change tokens by their ids, with their values of cvc. */
export function allowTokenWrites({
  tokens,
  ephemeral,
}: Pick<DataStack, 'tokens' | 'ephemeral'>): PolicyStatement[] {
  return [
    allowOnTable(tokens, ['BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']),
    allowOnTable(ephemeral, ['BatchGetItem', 'DeleteItem']),
    // Who creates tokens looks for the one that a new one would be a duplicate of.
    allowQueryIndex(tokens, INDEXES.fingerprint),
  ];
}

/**
 * Lets a function use the key for code that Lambda keeps, and for nothing else: only through
 * Lambda.
 */
export function allowCodeKey(key: IKey): PolicyStatement {
  const { region } = Stack.of(key);
  return new PolicyStatement({
    actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `lambda.${region}.amazonaws.com` } },
  });
}

/** Lets a function send messages to a queue. */
export function allowSend(queue: IQueue): PolicyStatement {
  return new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] });
}

/** Lets a function ask how many messages a queue has. */
export function allowLook(queue: IQueue): PolicyStatement {
  return new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queue.queueArn] });
}

/** What the packs find in {@link allowOnFunctions}, acknowledged for everything in a stack. */
export function acknowledgeFunctions(scope: Construct, prefix: string, suffix = ''): void {
  const reason =
    'Functions of reactors are made at run time; their names start with a prefix that only this deployment has.';
  const { partition, region, account } = Stack.of(scope);
  const named = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  const functions = `arn:${named(partition, 'Partition')}:lambda:${named(region, 'Region')}:${named(account, 'AccountId')}:function`;
  acknowledge(scope, {
    [`AwsSolutions-IAM5[Resource::${functions}:${prefix}*${suffix}]`]: reason,
  });
}

/**
 * Lets a function make calls of Lambda on the functions whose names start with a prefix, of which
 * `suffix` may name versions and aliases.
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
