import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeBackupCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListBackupsCommand,
  ListTagsOfResourceCommand,
  ListTablesCommand,
  paginateScan,
  PutResourcePolicyCommand,
  UpdateTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { BackupAccount } from '../../../../bin/operator/restore/backup-account.ts';
import type { RestoreDeps } from '../../../../bin/operator/restore/restore-deps.ts';
import { restoreFolder } from '../../../../bin/operator/restore/restore-folder.ts';
import {
  createRecoveryPoints,
  type RecoveryPoints,
} from '../../../../packages/local-aws/src/backup/recovery-points.ts';
import { createDynamoDb } from '../../../../packages/local-aws/src/dynamodb/create-dynamodb.ts';
import { DOCUMENT_OPTIONS } from '../../../../src/adapters/aws/clients.ts';
import { functionConcurrency } from '../../../support/fakes/function-concurrency.ts';
import { inProcessClient, type Cut } from '../../../support/in-process-dynamodb.ts';
import { synthesis } from '../../../support/synthesis.ts';

const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };
const NAMES = ['Tokens', 'Access', 'Reactors', 'Ephemeral'];
const VAULT = 'vault';
const KEY_ARN = 'arn:aws:kms:eu-west-1:123456789012:key/1';
export const NOW = Date.now();

/** The calls of AWS Backup over the recovery points of the local account. */
function backupAccountOf(points: RecoveryPoints, watched: (operation: string) => unknown): BackupAccount {
  return {
    place: () => Promise.resolve({ vault: VAULT, roleArn: 'arn:aws:iam::123456789012:role/restore' }),
    point: (_vault, arn) => {
      const { tableArn, createdAt } = points.get(arn);
      return Promise.resolve({ arn, tableArn, time: new Date(createdAt), isComplete: true });
    },
    start: async ({ point, tableName, keyArn }) => {
      watched('StartRestoreJob');
      await points.restore(point, tableName, keyArn);
      return tableName;
    },
    job: () => Promise.resolve({ state: 'done' }),
  };
}

/** Creates the tables of a deployment in this process, and a restore that works on them. */
export async function aDeployment() {
  const dynamodb = await createDynamoDb(ACCOUNT);
  const definitions = synthesis('tables', NAMES);
  for (const definition of definitions)
    await dynamodb.createTable({
      ...definition,
      keyArn: KEY_ARN,
      isProtected: true,
      hasPointInTimeRecovery: definition.name !== 'Ephemeral',
    });
  const plain = inProcessClient(dynamodb);
  let fate: (operation: string) => Cut = () => undefined;
  const calls: string[] = [];
  const watched = (operation: string) => {
    calls.push(operation);
    return fate(operation);
  };
  const client = inProcessClient(dynamodb, watched);
  const lambda = functionConcurrency(NAMES, watched);
  const points = createRecoveryPoints(dynamodb, { ...ACCOUNT, now: () => NOW });
  const path = mkdtempSync(join(tmpdir(), 'cloakroom-restore-'));
  const said: string[] = [];
  const deps: RestoreDeps = {
    dynamodb: client,
    lambda: lambda.client,
    backups: backupAccountOf(points, watched),
    folder: restoreFolder(path),
    clock: () => NOW,
    pause: () => Promise.resolve(),
    quietMs: 360_000,
    say: (line) => said.push(line),
  };
  await plain.send(
    new UpdateTableCommand({
      TableName: 'Tokens',
      WarmThroughput: { ReadUnitsPerSecond: 20_000, WriteUnitsPerSecond: 8_000 },
      GlobalSecondaryIndexUpdates: [
        {
          Update: {
            IndexName: 'list',
            WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 },
          },
        },
      ],
    }),
  );
  await plain.send(
    new PutResourcePolicyCommand({
      ResourceArn: dynamodb.tableArn('Tokens'),
      Policy: JSON.stringify({
        Statement: [{ Effect: 'Deny', Principal: '*', Action: 'dynamodb:PartiQLDelete', Resource: '*' }],
      }),
    }),
  );
  return {
    deps,
    said,
    calls,
    plain,
    documents: DynamoDBDocumentClient.from(plain, DOCUMENT_OPTIONS),
    functions: lambda.functions,
    folder: path,
    /** Makes a backup of a table, and returns the ARN of the recovery point. */
    backUp: async (name: string) => (await points.create(VAULT, dynamodb.tableArn(name), undefined)).arn,
    setFate(next: typeof fate) {
      fate = next;
    },
    /** Tables that are gone although no backup of their successor exists. */
    async lostTables(): Promise<readonly string[]> {
      const { TableNames: existing = [] } = await plain.send(new ListTablesCommand({}));
      const lost: string[] = [];
      for (const { name, copy, backupArn } of deps.folder.load()?.tables ?? []) {
        if (existing.includes(name)) continue;
        const { BackupSummaries = [] } = await plain.send(new ListBackupsCommand({ TableName: copy }));
        const isStored = BackupSummaries.some(({ BackupArn }) => BackupArn === backupArn);
        if (!isStored || backupArn === undefined) lost.push(name);
        else await plain.send(new DescribeBackupCommand({ BackupArn: backupArn }));
      }
      return lost;
    },
    state: () => stateOf(plain),
    async close() {
      await dynamodb.close();
      rmSync(path, { recursive: true });
    },
  };
}

export async function itemsOf(client: DynamoDBClient, TableName: string): Promise<readonly string[]> {
  const items: string[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName }))
    items.push(
      ...Items.map((item) =>
        JSON.stringify(
          Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)),
          (_, value: unknown) =>
            value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
        ),
      ),
    );
  return items.toSorted();
}

/** Reads the items and settings of all tables, so that two states can be compared. */
async function stateOf(client: DynamoDBClient): Promise<unknown> {
  const all: Record<string, unknown> = {};
  for (const TableName of NAMES) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const { TableId: _, CreationDateTime: __, RestoreSummary: ___, ...described } = Table ?? {};
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    const { ContinuousBackupsDescription } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName }),
    );
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
    const ResourceArn = Table?.TableArn;
    const { Tags: tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
    all[TableName] = {
      described,
      tags,
      TimeToLiveDescription,
      recovery,
      items: await itemsOf(client, TableName),
    };
  }
  return all;
}
