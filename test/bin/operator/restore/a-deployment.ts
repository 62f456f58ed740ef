import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeBackupCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListBackupsCommand,
  ListTablesCommand,
  paginateScan,
  PutResourcePolicyCommand,
  UpdateTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { RestoreDeps } from '../../../../bin/operator/restore/restore-deps.ts';
import { restoreFolder } from '../../../../bin/operator/restore/restore-folder.ts';
import { createDynamoDb } from '../../../../packages/local-aws/src/dynamodb/create-dynamodb.ts';
import { DOCUMENT_OPTIONS } from '../../../../src/adapters/aws/clients.ts';
import { inProcessClient, type Cut } from '../../../support/in-process-dynamodb.ts';
import { synthesis } from '../../../support/synthesis.ts';

const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };
const NAMES = ['Tokens', 'Access', 'Reactors', 'Ephemeral'];
const KEY_ARN = 'arn:aws:kms:eu-west-1:123456789012:key/1';
export const NOW = Date.now();

interface Concurrency {
  reserved?: number | undefined;
  provisioned: Record<string, number>;
}

/** The calls of Lambda that a restore makes, on three functions of the service and one other. */
function fakeLambda(fate: (operation: string) => Cut) {
  const environment = {
    ...Object.fromEntries(NAMES.map((name) => [`${name.toUpperCase()}_TABLE`, name])),
  };
  const functions: Record<string, Concurrency> = {
    'Cloakroom-operator': { provisioned: {} },
    'Cloakroom-sealer': { reserved: 1, provisioned: {} },
    'Cloakroom-tokens': { reserved: 9, provisioned: { live: 3 } },
    other: { provisioned: {} },
  };
  const at = (name: string) => functions[name] ?? { provisioned: {} };
  const answers: Record<string, (input: any) => object> = {
    GetFunctionConfiguration: () => ({ Environment: { Variables: environment } }),
    ListFunctions: () => ({
      Functions: Object.keys(functions).map((FunctionName) => ({
        FunctionName,
        ...(FunctionName !== 'other' && { Environment: { Variables: environment } }),
      })),
    }),
    GetFunctionConcurrency: ({ FunctionName }) => ({
      ReservedConcurrentExecutions: at(FunctionName).reserved,
    }),
    ListProvisionedConcurrencyConfigs: ({ FunctionName }) => ({
      ProvisionedConcurrencyConfigs: Object.entries(at(FunctionName).provisioned).map(([alias, count]) => ({
        FunctionArn: `arn:aws:lambda:x:y:function:${FunctionName as string}:${alias}`,
        RequestedProvisionedConcurrentExecutions: count,
      })),
    }),
    PutFunctionConcurrency: ({ FunctionName, ReservedConcurrentExecutions: count }) => {
      const total = Object.values(at(FunctionName).provisioned).reduce((sum, each) => sum + each, 0);
      if (count < total) throw new Error('reserves less than its provisioned concurrency');
      at(FunctionName).reserved = count;
      return {};
    },
    DeleteFunctionConcurrency: ({ FunctionName }) => {
      at(FunctionName).reserved = undefined;
      return {};
    },
    DeleteProvisionedConcurrencyConfig: ({ FunctionName, Qualifier }) => {
      Reflect.deleteProperty(at(FunctionName).provisioned, Qualifier as string);
      return {};
    },
    PutProvisionedConcurrencyConfig: ({
      FunctionName,
      Qualifier,
      ProvisionedConcurrentExecutions: count,
    }) => {
      at(FunctionName).provisioned[Qualifier] = count;
      return {};
    },
  };
  const send = async (command: {
    readonly constructor: { readonly name: string };
    readonly input: object;
  }) => {
    const operation = command.constructor.name.replace('Command', '');
    const answer = answers[operation];
    if (answer === undefined) throw new Error(`Lambda has no ${operation} here`);
    const cut = fate(operation);
    if (cut === 'before') throw new Error('the network was cut off');
    const response = answer(command.input);
    if (cut === 'after') throw new Error('the network was cut off');
    return await Promise.resolve(response);
  };
  const client = Object.assign(new LambdaClient({ region: 'eu-west-1' }), { send });
  return { functions, client: client as unknown as LambdaClient };
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
  const lambda = fakeLambda(watched);
  const path = mkdtempSync(join(tmpdir(), 'cloakroom-restore-'));
  const said: string[] = [];
  const deps: RestoreDeps = {
    dynamodb: client,
    lambda: lambda.client,
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
    all[TableName] = { described, TimeToLiveDescription, recovery, items: await itemsOf(client, TableName) };
  }
  return all;
}
