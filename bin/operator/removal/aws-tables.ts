import {
  DeleteBackupCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListBackupsCommand,
  ListTagsOfResourceCommand,
  type ListTagsOfResourceCommandOutput,
  paginateListTables,
  paginateQuery,
  paginateScan,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { BackupState, TableState } from './removal-account.ts';
import { type ClientSettings, unless } from './aws-call.ts';

async function isRecoverable(client: DynamoDBClient, TableName: string): Promise<boolean> {
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  return backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
}

async function tagsOf(
  client: DynamoDBClient,
  ResourceArn: string,
): Promise<Readonly<Record<string, string>>> {
  const tags: Record<string, string> = {};
  let NextToken: string | undefined;
  do {
    const page: ListTagsOfResourceCommandOutput = await client.send(
      new ListTagsOfResourceCommand({ ResourceArn, ...(NextToken !== undefined && { NextToken }) }),
    );
    for (const { Key = '', Value = '' } of page.Tags ?? []) tags[Key] = Value;
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return tags;
}

async function table(client: DynamoDBClient, TableName: string): Promise<TableState | undefined> {
  const found = await unless(
    ['ResourceNotFoundException'],
    client.send(new DescribeTableCommand({ TableName })),
  );
  if (found?.Table === undefined) return undefined;
  const { Table } = found;
  const { TableStatus: status = 'ACTIVE', TableArn = TableName } = Table;
  return {
    items: Table.ItemCount ?? 0,
    bytes:
      (Table.TableSizeBytes ?? 0) +
      (Table.GlobalSecondaryIndexes ?? []).reduce((sum, { IndexSizeBytes = 0 }) => sum + IndexSizeBytes, 0),
    isProtected: Table.DeletionProtectionEnabled === true,
    isRecoverable: status !== 'DELETING' && (await isRecoverable(client, TableName)),
    isInfrequent: Table.TableClassSummary?.TableClass === 'STANDARD_INFREQUENT_ACCESS',
    status,
    keyArn: Table.SSEDescription?.KMSMasterKeyArn,
    tags: status === 'DELETING' ? {} : await tagsOf(client, TableArn),
  };
}

async function backups(client: DynamoDBClient, TableName: string): Promise<readonly BackupState[]> {
  const found: BackupState[] = [];
  let start: string | undefined;
  do {
    const page = await client.send(
      new ListBackupsCommand({
        TableName,
        BackupType: 'ALL',
        ...(start !== undefined && { ExclusiveStartBackupArn: start }),
      }),
    );
    for (const {
      BackupArn: arn,
      BackupSizeBytes: bytes = 0,
      BackupExpiryDateTime: expiresAt,
    } of page.BackupSummaries ?? [])
      if (arn !== undefined)
        found.push({ arn, tableName: TableName, bytes, ...(expiresAt !== undefined && { expiresAt }) });
    start = page.LastEvaluatedBackupArn;
  } while (start !== undefined);
  return found;
}

export function tableCalls(settings: ClientSettings) {
  const client = new DynamoDBClient(settings);

  return {
    table: (TableName: string) => table(client, TableName),
    backups: (TableName: string) => backups(client, TableName),
    tableNames: async () => {
      const names: string[] = [];
      for await (const page of paginateListTables({ client }, {})) names.push(...(page.TableNames ?? []));
      return names;
    },
    unprotectTable: async (TableName: string) => {
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
    },
    deleteTable: async (TableName: string) => {
      await unless(['ResourceNotFoundException'], client.send(new DeleteTableCommand({ TableName })));
    },
    deleteBackup: async (BackupArn: string) => {
      await unless(['BackupNotFoundException'], client.send(new DeleteBackupCommand({ BackupArn })));
    },
    hasUnexpired: async (TableName: string, seconds: number) => {
      const pages = paginateScan(
        { client },
        {
          TableName,
          ConsistentRead: true,
          FilterExpression: '#ttl > :now',
          ProjectionExpression: 'pk',
          ExpressionAttributeNames: { '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':now': { N: String(seconds) } },
        },
      );
      for await (const { Items = [] } of pages) if (Items.length > 0) return true;
      return false;
    },
    async *sealBodies(TableName: string) {
      const pages = paginateQuery(
        { client, pageSize: 100 },
        {
          TableName,
          KeyConditionExpression: 'pk = :seals',
          ExpressionAttributeValues: { ':seals': { S: 'seal' } },
          ScanIndexForward: false,
        },
      );
      try {
        for await (const { Items = [] } of pages) for (const { body } of Items) yield body?.S ?? '';
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ResourceNotFoundException') throw error;
      }
    },
  };
}
