import { z } from 'zod';
import type { Prepared, Operation, OperationContext } from '../operation.ts';
import { parseWith, tableNameOf } from '../requests.ts';
import type { Tables } from '../tables.ts';
import type { Expiry } from '../expiry.ts';
import { tableNotFound } from '../failures.ts';
import { NEW_TABLE_THROUGHPUT, type Table, type WarmThroughput } from '../table.ts';

export const tableName = z.string().min(1).transform(tableNameOf);
const oneTable = z.object({ TableName: tableName });
const oneArn = z.strictObject({ ResourceArn: tableName, NextToken: z.string().optional() });
const newTags = z.strictObject({
  ResourceArn: tableName,
  Tags: z.array(z.strictObject({ Key: z.string(), Value: z.string() })),
});
const timeToLive = z.object({
  TableName: tableName,
  TimeToLiveSpecification: z.object({ AttributeName: z.string().min(1).max(255), Enabled: z.boolean() }),
});
const page = z.object({
  Limit: z.number().int().min(1).max(100).default(100),
  ExclusiveStartTableName: z.string().optional(),
});

const presentWarm = (warm: WarmThroughput = NEW_TABLE_THROUGHPUT) => ({ ...warm, Status: 'ACTIVE' });

/** A table as the calls about it return it. */
export function presentTable(table: Table): object {
  const { description, isProtected = false, keyArn, sourceBackupArn } = table;
  const { GlobalSecondaryIndexes: indexes } = description;
  return {
    ...description,
    ...(indexes !== undefined && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        ...index,
        WarmThroughput: presentWarm(table.indexWarmThroughput?.[index.IndexName]),
      })),
    }),
    WarmThroughput: presentWarm(table.warmThroughput),
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    DeletionProtectionEnabled: isProtected,
    ...(keyArn !== undefined && {
      SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: keyArn },
    }),
    ...(sourceBackupArn !== undefined && {
      RestoreSummary: { SourceBackupArn: sourceBackupArn, RestoreInProgress: false },
    }),
    ItemCount: 0,
    TableSizeBytes: 0,
  };
}

/** A call about one table that exists. */
export function aboutTable(
  tables: Tables,
  action: string,
  name: string,
  response: () => object | Promise<object>,
): Prepared {
  return {
    accesses: [{ action: `dynamodb:${action}`, resource: tables.arn(name) }],
    perform: async () => {
      if (tables.find(name) === undefined)
        throw tableNotFound(`Requested resource not found: Table: ${name} not found`);
      return { body: await response(), consumedCapacity: 0 };
    },
  };
}

/**
 * Implements DescribeTable, ListTables, ListTagsOfResource, TagResource, DescribeTimeToLive and
 * UpdateTimeToLive.
 */
export function tableOperations(
  { tables }: OperationContext,
  expiry: Pick<Expiry, 'setTimeToLive'>,
): Readonly<Record<string, Operation>> {
  const prepared = (...about: [action: string, name: string, answer: () => object | Promise<object>]) =>
    aboutTable(tables, ...about);

  return {
    DescribeTable: (body) => {
      const { TableName: name } = parseWith(oneTable, body);
      return prepared('DescribeTable', name, () => ({ Table: presentTable(tables.get(name)) }));
    },
    ListTagsOfResource: (body) => {
      const { ResourceArn: name } = parseWith(oneArn, body);
      return prepared('ListTagsOfResource', name, () => ({
        Tags: Object.entries(tables.get(name).tags ?? {}).map(([Key, Value]) => ({ Key, Value })),
      }));
    },
    TagResource: (body) => {
      const { ResourceArn: name, Tags } = parseWith(newTags, body);
      return prepared('TagResource', name, async () => {
        const added = Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value]));
        await tables.change(name, { tags: { ...tables.get(name).tags, ...added } });
        return {};
      });
    },
    DescribeTimeToLive: (body) => {
      const { TableName: name } = parseWith(oneTable, body);
      return prepared('DescribeTimeToLive', name, () => {
        const attribute = tables.get(name).timeToLiveAttribute;
        return {
          TimeToLiveDescription:
            attribute === undefined
              ? { TimeToLiveStatus: 'DISABLED' }
              : { TimeToLiveStatus: 'ENABLED', AttributeName: attribute },
        };
      });
    },
    UpdateTimeToLive: (body) => {
      const { TableName: name, TimeToLiveSpecification } = parseWith(timeToLive, body);
      const { AttributeName, Enabled } = TimeToLiveSpecification;
      return prepared('UpdateTimeToLive', name, async () => {
        await expiry.setTimeToLive(name, Enabled ? AttributeName : undefined);
        return { TimeToLiveSpecification };
      });
    },
    ListTables: (body) => {
      const { Limit, ExclusiveStartTableName: start } = parseWith(page, body);
      return {
        accesses: [{ action: 'dynamodb:ListTables', resource: '*' }],
        perform: () => {
          const names = tables.names().filter((name) => start === undefined || name > start);
          const shown = names.slice(0, Limit);
          const last = names.length > Limit ? shown.at(-1) : undefined;
          const answer = { TableNames: shown, ...(last !== undefined && { LastEvaluatedTableName: last }) };
          return Promise.resolve({ body: answer, consumedCapacity: 0 });
        },
      };
    },
  };
}
