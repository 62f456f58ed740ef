import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

type TableAction =
  'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchWriteItem' | 'Query';

/** Lets a function make the named calls on a table. Transactions are checked by the actions of their writes. */
export function allowOnTable(
  table: Pick<Table, 'tableArn'>,
  actions: readonly TableAction[],
): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
  });
}

/** Lets a function query one secondary index of a table. */
export function allowQueryIndex(table: Pick<Table, 'tableArn'>, index: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${index}`],
  });
}

/**
 * Lets a function wrap or unwrap tenant keys, and nothing else that the KMS key protects: only calls whose encryption context
 * names a tenant, which those of DynamoDB on behalf of the tables do not.
 */
export function allowTenantKeys(key: IKey, action: 'Decrypt' | 'GenerateDataKey'): PolicyStatement {
  return new PolicyStatement({
    actions: [`kms:${action}`],
    resources: [key.keyArn],
    conditions: { Null: { 'kms:EncryptionContext:tenant': 'false' } },
  });
}
