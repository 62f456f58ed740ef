import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetResourcePolicyCommand,
  ListTagsOfResourceCommand,
  PutResourcePolicyCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type ListTagsOfResourceCommandOutput,
  type WarmThroughput,
} from '@aws-sdk/client-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { until, whenPossible, type RestoreDeps } from './restore-deps.ts';
import {
  tableDefinition,
  tableSettings,
  type TableDefinition,
  type TableSettings,
  type TableState,
  type Units,
} from './restore-state.ts';

const warm = z
  .object({
    ReadUnitsPerSecond: z.number(),
    WriteUnitsPerSecond: z.number(),
    Status: z.string().optional(),
  })
  .optional();

/** The members of DescribeTable that a restore reads. */
const describedTable = z.object({
  TableName: z.string(),
  TableArn: z.string(),
  TableStatus: z.string(),
  AttributeDefinitions: z.array(z.unknown()),
  KeySchema: z.array(z.unknown()),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: z.array(z.unknown()),
        Projection: z.unknown(),
        IndexStatus: z.string(),
        WarmThroughput: warm,
      }),
    )
    .default([]),
  SSEDescription: z.object({ KMSMasterKeyArn: z.string() }).optional(),
  DeletionProtectionEnabled: z.boolean().default(false),
  RestoreSummary: z.object({ SourceBackupArn: z.string().optional() }).optional(),
  WarmThroughput: warm,
});

export type DescribedTable = z.output<typeof describedTable>;

export const isNamed = (error: unknown, name: string): boolean =>
  error instanceof Error && error.name === name;

/** Makes a call; an earlier attempt whose response was lost may have done it already. */
export async function unlessDone(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    const done = ['ResourceInUseException', 'ResourceNotFoundException', 'TableAlreadyExistsException'];
    if (!done.some((name) => isNamed(error, name))) throw error;
  }
}

/** A table, or `undefined` if it does not exist. Any other error of the call is an error. */
export async function describeTable(
  { dynamodb }: Pick<RestoreDeps, 'dynamodb'>,
  name: string,
): Promise<DescribedTable | undefined> {
  try {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: name }));
    return describedTable.parse(Table);
  } catch (error) {
    if (isNamed(error, 'ResourceNotFoundException')) return undefined;
    throw error;
  }
}

/** A table that must exist. */
export async function existingTable(deps: RestoreDeps, name: string): Promise<DescribedTable> {
  const table = await describeTable(deps, name);
  if (table === undefined) throw new Error(`the table ${name} does not exist`);
  return table;
}

/** Waits until a table and its indexes accept every call. */
export async function whenActive(deps: RestoreDeps, name: string): Promise<void> {
  await until(deps, async () => {
    const { TableStatus, GlobalSecondaryIndexes, ...table } = await existingTable(deps, name);
    const warmed = [table, ...GlobalSecondaryIndexes].map(({ WarmThroughput }) => WarmThroughput?.Status);
    return (
      [TableStatus, ...GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus)].every(
        (status) => status === 'ACTIVE',
      ) && warmed.every((status) => status === undefined || status === 'ACTIVE')
    );
  });
}

/** The definition of a described table. Throws if it is incomplete. */
export function definitionOf(table: DescribedTable): TableDefinition {
  return tableDefinition.parse({
    AttributeDefinitions: table.AttributeDefinitions,
    KeySchema: table.KeySchema,
    GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    })),
    KmsKeyArn: table.SSEDescription?.KMSMasterKeyArn,
  });
}

/** AWS returns the lists of a definition in any order, so they are sorted to be compared. */
const ordered = ({ AttributeDefinitions, GlobalSecondaryIndexes, ...rest }: TableDefinition) => ({
  ...rest,
  attributes: AttributeDefinitions.toSorted((a, b) => (a.AttributeName < b.AttributeName ? -1 : 1)),
  indexes: GlobalSecondaryIndexes.toSorted((a, b) => (a.IndexName < b.IndexName ? -1 : 1)).map(
    ({ Projection: { ProjectionType, NonKeyAttributes = [] }, ...index }) => ({
      ...index,
      ProjectionType,
      projected: NonKeyAttributes.toSorted(),
    }),
  ),
});

/** Throws unless a table has a definition: its successor must be equal before it is deleted. */
export async function requireDefinition(
  deps: RestoreDeps,
  name: string,
  definition: TableDefinition,
): Promise<void> {
  const found = definitionOf(await existingTable(deps, name));
  if (!isDeepStrictEqual(ordered(found), ordered(definition)))
    throw new Error(`the table ${name} has another definition than the one that it would replace`);
}

const tagList = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** Creates an empty table by a definition, unless it exists, with its tags from the start. */
export async function createEmptyTable(
  deps: RestoreDeps,
  name: string,
  { KmsKeyArn, ...definition }: TableDefinition,
  tags: TableSettings['tags'],
): Promise<void> {
  if ((await describeTable(deps, name)) !== undefined) return;
  const command = new CreateTableCommand({
    TableName: name,
    ...definition,
    BillingMode: 'PAY_PER_REQUEST',
    Tags: tagList(tags),
    SSESpecification: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: KmsKeyArn },
  });
  await unlessDone(() => deps.dynamodb.send(command));
}

async function policyOf({ dynamodb }: RestoreDeps, arn: string): Promise<string | undefined> {
  try {
    const { Policy } = await dynamodb.send(new GetResourcePolicyCommand({ ResourceArn: arn }));
    return Policy;
  } catch (error) {
    if (isNamed(error, 'PolicyNotFoundException')) return undefined;
    throw error;
  }
}

/** Tags of AWS itself begin with `aws:`; a caller cannot set them. */
async function tagsOf({ dynamodb }: RestoreDeps, ResourceArn: string): Promise<Record<string, string>> {
  const tags: Record<string, string> = {};
  let NextToken: string | undefined;
  do {
    const page: ListTagsOfResourceCommandOutput = await dynamodb.send(
      new ListTagsOfResourceCommand({ ResourceArn, NextToken }),
    );
    for (const { Key = '', Value = '' } of page.Tags ?? []) if (!Key.startsWith('aws:')) tags[Key] = Value;
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return tags;
}

const timeToLive = z.object({
  TimeToLiveDescription: z.object({ TimeToLiveStatus: z.string(), AttributeName: z.string().optional() }),
});

const recovery = z.object({
  ContinuousBackupsDescription: z.object({
    PointInTimeRecoveryDescription: z.object({
      PointInTimeRecoveryStatus: z.string(),
      EarliestRestorableDateTime: z.date().optional(),
      LatestRestorableDateTime: z.date().optional(),
    }),
  }),
});

async function timeToLiveOf({ dynamodb }: RestoreDeps, name: string) {
  const response = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName: name }));
  return timeToLive.parse(response).TimeToLiveDescription;
}

/** Whether a table can be restored to a point in time, and the first and last such time. */
export async function recoveryOf({ dynamodb }: RestoreDeps, name: string) {
  const response = await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName: name }));
  return recovery.parse(response).ContinuousBackupsDescription.PointInTimeRecoveryDescription;
}

const unitsOf = (throughput: WarmThroughput | undefined): Units | undefined =>
  throughput && {
    ReadUnitsPerSecond: throughput.ReadUnitsPerSecond ?? 0,
    WriteUnitsPerSecond: throughput.WriteUnitsPerSecond ?? 0,
  };

/** Everything about a table that AWS does not restore. */
export async function settingsOf(deps: RestoreDeps, name: string): Promise<TableSettings> {
  const table = await existingTable(deps, name);
  const { TimeToLiveStatus, AttributeName } = await timeToLiveOf(deps, name);
  const { PointInTimeRecoveryStatus } = await recoveryOf(deps, name);
  const policy = await policyOf(deps, table.TableArn);
  const isExpiring = TimeToLiveStatus === 'ENABLED' || TimeToLiveStatus === 'ENABLING';
  const warmed = unitsOf(table.WarmThroughput);
  return tableSettings.parse({
    ...(isExpiring && { timeToLiveAttribute: AttributeName }),
    isProtected: table.DeletionProtectionEnabled,
    isRecoverable: PointInTimeRecoveryStatus === 'ENABLED',
    tags: await tagsOf(deps, table.TableArn),
    ...(policy !== undefined && { policy }),
    ...(warmed !== undefined && { warm: warmed }),
    warmIndexes: Object.fromEntries(
      table.GlobalSecondaryIndexes.flatMap(({ IndexName, WarmThroughput }) => {
        const ofIndex = unitsOf(WarmThroughput);
        return ofIndex === undefined ? [] : [[IndexName, ofIndex]];
      }),
    ),
  });
}

/** The units to ask for; `undefined` if the table has them. AWS lowers none. */
function raised(now: WarmThroughput | undefined, wanted: Units | undefined): Units | undefined {
  const reads = now?.ReadUnitsPerSecond ?? 0;
  const writes = now?.WriteUnitsPerSecond ?? 0;
  if (wanted === undefined || (reads >= wanted.ReadUnitsPerSecond && writes >= wanted.WriteUnitsPerSecond))
    return undefined;
  return {
    ReadUnitsPerSecond: Math.max(reads, wanted.ReadUnitsPerSecond),
    WriteUnitsPerSecond: Math.max(writes, wanted.WriteUnitsPerSecond),
  };
}

/** Prepares a table for the traffic that the damaged one was prepared for. */
async function warmUp(deps: RestoreDeps, name: string, settings: TableSettings): Promise<void> {
  const table = await existingTable(deps, name);
  const own = raised(table.WarmThroughput, settings.warm);
  const ofIndexes = table.GlobalSecondaryIndexes.flatMap(({ IndexName, WarmThroughput }) => {
    const wanted = raised(WarmThroughput, settings.warmIndexes[IndexName]);
    return wanted === undefined ? [] : [{ Update: { IndexName, WarmThroughput: wanted } }];
  });
  if (own === undefined && ofIndexes.length === 0) return;
  await deps.dynamodb.send(
    new UpdateTableCommand({
      TableName: name,
      ...(own !== undefined && { WarmThroughput: own }),
      ...(ofIndexes.length > 0 && { GlobalSecondaryIndexUpdates: ofIndexes }),
    }),
  );
  await whenActive(deps, name);
}

async function makeRecoverable(deps: RestoreDeps, name: string): Promise<void> {
  await until(deps, async () => {
    const { PointInTimeRecoveryStatus } = await recoveryOf(deps, name);
    if (PointInTimeRecoveryStatus === 'ENABLED') return true;
    await whenPossible(deps, ['ContinuousBackupsUnavailableException'], () =>
      deps.dynamodb.send(
        new UpdateContinuousBackupsCommand({
          TableName: name,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ),
    );
    return false;
  });
}

/** Sets everything that AWS does not restore. */
export async function settle(deps: RestoreDeps, { name, settings }: TableState): Promise<void> {
  const { dynamodb } = deps;
  await whenActive(deps, name);
  const { TableArn, DeletionProtectionEnabled } = await existingTable(deps, name);
  if (settings.policy !== undefined && (await policyOf(deps, TableArn)) !== settings.policy)
    await dynamodb.send(new PutResourcePolicyCommand({ ResourceArn: TableArn, Policy: settings.policy }));
  // First of all: until then, a plan that leaves out a table by its tag copies it.
  const tags = tagList(settings.tags);
  if (tags.length > 0) await dynamodb.send(new TagResourceCommand({ ResourceArn: TableArn, Tags: tags }));
  const { TimeToLiveStatus } = await timeToLiveOf(deps, name);
  if (settings.timeToLiveAttribute !== undefined && TimeToLiveStatus === 'DISABLED')
    await dynamodb.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: { Enabled: true, AttributeName: settings.timeToLiveAttribute },
      }),
    );
  if (settings.isProtected && !DeletionProtectionEnabled) {
    await dynamodb.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: true }));
    await whenActive(deps, name);
  }
  if (settings.isRecoverable) await makeRecoverable(deps, name);
  await warmUp(deps, name, settings);
}

/** Deletes a table, protected or not, unless it is gone. */
export async function dropTable(deps: RestoreDeps, name: string): Promise<void> {
  await until(deps, async () => {
    const table = await describeTable(deps, name);
    if (table === undefined) return true;
    if (table.TableStatus !== 'ACTIVE') return false;
    if (table.DeletionProtectionEnabled)
      await deps.dynamodb.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: false }));
    await whenActive(deps, name);
    await unlessDone(() => deps.dynamodb.send(new DeleteTableCommand({ TableName: name })));
    return (await describeTable(deps, name)) === undefined;
  });
}
