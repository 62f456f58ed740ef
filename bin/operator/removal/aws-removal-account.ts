import { createPublicKey } from 'node:crypto';
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type Stack as DescribedStack,
} from '@aws-sdk/client-cloudformation';
import {
  CloudWatchLogsClient,
  DeleteLogGroupCommand,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteBackupCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListBackupsCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  type ListTagsOfResourceCommandOutput,
  paginateListTables,
  paginateQuery,
  paginateScan,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DescribeKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  ListResourceTagsCommand,
  paginateListKeys,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms';
import {
  DeleteFunctionCommand,
  DeleteLayerVersionCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  GetProvisionedConcurrencyConfigCommand,
  LambdaClient,
  paginateListFunctions,
  paginateListLayerVersions,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { CommandFailure } from '../explain-failure.ts';
import type {
  BackupState,
  KeyState,
  LogGroupState,
  RemovalAccount,
  Stack,
  StackPlace,
  TableState,
} from './removal-account.ts';

/** The alias under which the service invokes a reactor. */
const LIVE = 'live';
const SHORTEST_WAIT_DAYS = 7;

const template = z.object({
  Resources: z
    .record(
      z.string(),
      z.object({
        Type: z.string(),
        DeletionPolicy: z.string().optional(),
        Properties: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .default({}),
});

/** What the clients are made with: nothing for AWS, where the environment decides. */
export type ClientSettings = Readonly<Record<string, unknown>>;

/** The result of a call, or `undefined` if it fails with one of these errors. */
async function unless<T>(names: readonly string[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined;
    throw error;
  }
}

const isDenied = (error: unknown): boolean =>
  error instanceof Error && ['AccessDenied', 'AccessDeniedException'].includes(error.name);

/** `cdk import` writes YAML, which the next deployment replaces by JSON. */
function resourcesIn(stackName: string, body: string): Stack['template'] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new CommandFailure(`the template of ${stackName} is not JSON: complete its import with cdk deploy`);
  }
  return template.parse(parsed).Resources;
}

function stackCalls(settings: ClientSettings) {
  const clients = new Map<string | undefined, CloudFormationClient>();
  const clientOf = ({ region }: StackPlace): CloudFormationClient => {
    const client =
      clients.get(region) ??
      new CloudFormationClient({ ...settings, ...(region !== undefined && { region }) });
    clients.set(region, client);
    return client;
  };

  /** CloudFormation has no error of its own for a stack that does not exist. */
  async function described(place: StackPlace): Promise<DescribedStack | 'denied' | undefined> {
    try {
      const { Stacks = [] } = await clientOf(place).send(
        new DescribeStacksCommand({ StackName: place.name }),
      );
      return Stacks[0];
    } catch (error) {
      if (isDenied(error)) return 'denied';
      if (
        error instanceof Error &&
        error.name === 'ValidationError' &&
        error.message.endsWith('does not exist')
      )
        return undefined;
      throw error;
    }
  }

  async function stack(place: StackPlace): Promise<Stack | 'denied' | undefined> {
    const found = await described(place);
    if (found === 'denied') return found;
    if (found === undefined || found.StackStatus === 'DELETE_COMPLETE') return undefined;
    const client = clientOf(place);
    const StackName = found.StackId ?? place.name;
    const resources: Stack['resources'][number][] = [];
    for await (const page of paginateListStackResources({ client }, { StackName }))
      for (const {
        LogicalResourceId,
        PhysicalResourceId,
        ResourceType,
        ResourceStatus,
      } of page.StackResourceSummaries ?? [])
        if (PhysicalResourceId !== undefined && ResourceStatus !== 'DELETE_COMPLETE')
          resources.push({
            logicalId: LogicalResourceId ?? '',
            physicalId: PhysicalResourceId,
            type: ResourceType ?? '',
          });
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
    return {
      id: StackName,
      description: found.Description ?? '',
      isProtected: found.EnableTerminationProtection === true,
      resources,
      template: resourcesIn(place.name, TemplateBody),
    };
  }

  return {
    stack,
    stackStatus: async (place: StackPlace) => {
      const found = await described(place);
      if (found === 'denied') throw new CommandFailure(`you may not look at ${place.name}`);
      const { StackStatus: status = 'DELETE_COMPLETE', StackStatusReason: reason } = found ?? {};
      return { status, ...(reason !== undefined && { reason }) };
    },
    deleteStack: async (place: StackPlace) => {
      await clientOf(place).send(new DeleteStackCommand({ StackName: place.name }));
    },
  };
}

function lambdaCalls(settings: ClientSettings) {
  const client = new LambdaClient(settings);
  return {
    functionNames: async () => {
      const names: string[] = [];
      for await (const page of paginateListFunctions({ client }, {}))
        names.push(...(page.Functions ?? []).flatMap(({ FunctionName }) => FunctionName ?? []));
      return names;
    },
    provisioned: async (FunctionName: string) => {
      const absent = ['ProvisionedConcurrencyConfigNotFoundException', 'ResourceNotFoundException'];
      const command = new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier: LIVE });
      const found = await unless(absent, client.send(command));
      return found?.RequestedProvisionedConcurrentExecutions ?? 0;
    },
    endProvisioned: async (FunctionName: string) => {
      const command = new DeleteProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier: LIVE });
      await unless(['ResourceConflictException', 'ResourceNotFoundException'], client.send(command));
    },
    deleteFunction: async (FunctionName: string) => {
      const call = client.send(new DeleteFunctionCommand({ FunctionName })).then(() => true);
      try {
        return (await unless(['ResourceConflictException'], call)) === true;
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return true;
        throw error;
      }
    },
    layerVersions: async (LayerName: string) => {
      const versions: number[] = [];
      for await (const page of paginateListLayerVersions({ client }, { LayerName }))
        versions.push(...(page.LayerVersions ?? []).flatMap(({ Version }) => Version ?? []));
      return versions;
    },
    deleteLayerVersion: async (LayerName: string, VersionNumber: number) => {
      await client.send(new DeleteLayerVersionCommand({ LayerName, VersionNumber }));
    },
  };
}

function tableCalls(settings: ClientSettings) {
  const client = new DynamoDBClient(settings);

  async function isRecoverable(TableName: string): Promise<boolean> {
    const { ContinuousBackupsDescription: backups } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName }),
    );
    return backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
  }

  async function tagsOf(ResourceArn: string): Promise<Readonly<Record<string, string>>> {
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

  async function table(TableName: string): Promise<TableState | undefined> {
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
      isRecoverable: status !== 'DELETING' && (await isRecoverable(TableName)),
      isInfrequent: Table.TableClassSummary?.TableClass === 'STANDARD_INFREQUENT_ACCESS',
      status,
      keyArn: Table.SSEDescription?.KMSMasterKeyArn,
      tags: status === 'DELETING' ? {} : await tagsOf(TableArn),
    };
  }

  async function backups(TableName: string): Promise<readonly BackupState[]> {
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

  return {
    table,
    backups,
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

function keyCalls(settings: ClientSettings) {
  const client = new KMSClient(settings);

  /** Whether a key has the tag; `undefined` if its policy hides that. */
  async function hasTag(KeyId: string, tag: string, value: string): Promise<boolean | undefined> {
    const command = new ListResourceTagsCommand({ KeyId });
    const found = await unless(['AccessDeniedException'], client.send(command));
    return found && found.Tags?.some(({ TagKey, TagValue }) => TagKey === tag && TagValue === value) === true;
  }

  async function state(KeyId: string): Promise<readonly KeyState[]> {
    const { KeyMetadata: key } = await client.send(new DescribeKeyCommand({ KeyId }));
    if (key?.KeyState?.startsWith('Pending') === true) return [];
    const replicas = key?.MultiRegionConfiguration?.ReplicaKeys ?? [];
    return [
      {
        id: KeyId,
        use: key?.KeyUsage === 'SIGN_VERIFY' ? 'SIGN_VERIFY' : 'ENCRYPT_DECRYPT',
        replicas: replicas.flatMap(({ Region }) => Region ?? []),
      },
    ];
  }

  return {
    keys: async (tag: string, value: string) => {
      const keys: KeyState[] = [];
      let unreadable = 0;
      for await (const { Keys = [] } of paginateListKeys({ client }, {}))
        for (const { KeyId = '' } of Keys) {
          const isTagged = await hasTag(KeyId, tag, value);
          if (isTagged === undefined) unreadable += 1;
          if (isTagged === true) keys.push(...(await state(KeyId)));
        }
      return { keys, unreadable };
    },
    publicKey: async (KeyId: string) => {
      const { PublicKey = new Uint8Array() } = await client.send(new GetPublicKeyCommand({ KeyId }));
      const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
      return key.export({ format: 'pem', type: 'spki' }).toString();
    },
    scheduleKeyDeletion: async (KeyId: string) => {
      const command = new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: SHORTEST_WAIT_DAYS });
      // It is pending already.
      await unless(['KMSInvalidStateException'], client.send(command));
    },
  };
}

function logCalls(settings: ClientSettings) {
  const client = new CloudWatchLogsClient(settings);
  return {
    logGroups: async (logGroupNamePrefix: string) => {
      const groups: LogGroupState[] = [];
      for await (const page of paginateDescribeLogGroups({ client }, { logGroupNamePrefix }))
        for (const { logGroupName: name, storedBytes: bytes = 0, kmsKeyId: keyArn } of page.logGroups ?? [])
          if (name !== undefined) groups.push({ name, bytes, keyArn });
      return groups;
    },
    deleteLogGroup: async (logGroupName: string) => {
      await unless(['ResourceNotFoundException'], client.send(new DeleteLogGroupCommand({ logGroupName })));
    },
  };
}

function queueCalls(settings: ClientSettings) {
  const client = new SQSClient(settings);
  return {
    messages: async (QueueUrl: string) => {
      const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] });
      const found = await unless(['QueueDoesNotExist'], client.send(command));
      return names.reduce((sum, name) => sum + Number(found?.Attributes?.[name] ?? 0), 0);
    },
  };
}

/** By the header of a response. The clients of AWS correct their own clocks by it, too. */
function clockCalls(settings: ClientSettings) {
  const client = new DynamoDBClient(settings);
  let dated: string | undefined;
  client.middlewareStack.add(
    (next) => async (input) => {
      const result = await next(input);
      const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> };
      dated = headers['date'];
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'dateOfResponse' },
  );
  return {
    region: () => client.config.region(),
    now: async () => {
      await client.send(new ListTablesCommand({ Limit: 1 }));
      const now = new Date(dated ?? '');
      if (Number.isNaN(now.getTime()))
        throw new CommandFailure('the response of AWS has no time; nothing was deleted');
      return now;
    },
  };
}

/** The account that the settings lead to. */
export const awsRemovalAccount = (settings: ClientSettings): RemovalAccount => ({
  ...clockCalls(settings),
  ...stackCalls(settings),
  ...lambdaCalls(settings),
  ...tableCalls(settings),
  ...keyCalls(settings),
  ...logCalls(settings),
  ...queueCalls(settings),
});
