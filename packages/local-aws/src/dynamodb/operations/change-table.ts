import { z } from 'zod';
import { resourceTags } from '../../assembly/resource-tags.ts';
import { levelKeys } from '../database.ts';
import type { LevelOperation } from '../dynalite-types.ts';
import { tableInUse, validationFailure } from '../failures.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { NEW_TABLE_THROUGHPUT, type Table, type TableSettings, type WarmThroughput } from '../table.ts';
import { parseWith } from '../requests.ts';
import { aboutTable, presentTable, tableName } from './describe-table.ts';

const oneTable = z.strictObject({ TableName: tableName });
const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const newTable = z.strictObject({
  TableName: tableName,
  AttributeDefinitions: z.array(
    z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(
      z.strictObject({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.strictObject({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: z.array(z.string()).exactOptional(),
        }),
      }),
    )
    .exactOptional(),
  BillingMode: z.literal('PAY_PER_REQUEST'),
  DeletionProtectionEnabled: z.boolean().default(false),
  Tags: resourceTags,
  SSESpecification: z
    .strictObject({ Enabled: z.literal(true), SSEType: z.literal('KMS'), KMSMasterKeyId: z.string() })
    .exactOptional(),
});
const warmThroughput = z.strictObject({
  ReadUnitsPerSecond: z.number().int(),
  WriteUnitsPerSecond: z.number().int(),
});
const changedTable = z.strictObject({
  TableName: tableName,
  DeletionProtectionEnabled: z.boolean().exactOptional(),
  WarmThroughput: warmThroughput.exactOptional(),
  GlobalSecondaryIndexUpdates: z
    .array(
      z.strictObject({ Update: z.strictObject({ IndexName: z.string(), WarmThroughput: warmThroughput }) }),
    )
    .exactOptional(),
});

type Change = z.output<typeof changedTable>;

/** DynamoDB lowers no throughput that it has prepared. */
function requireRaised(before: WarmThroughput = NEW_TABLE_THROUGHPUT, after: WarmThroughput): void {
  if (
    after.ReadUnitsPerSecond < before.ReadUnitsPerSecond ||
    after.WriteUnitsPerSecond < before.WriteUnitsPerSecond
  )
    throw validationFailure('Requested WarmThroughput for the table is lower than the current one');
}

function changedSettings(table: Table, change: Change): TableSettings {
  const { DeletionProtectionEnabled: isProtected, WarmThroughput: warm } = change;
  if (warm !== undefined) requireRaised(table.warmThroughput, warm);
  const ofIndexes = (change.GlobalSecondaryIndexUpdates ?? []).map(({ Update: { IndexName, ...update } }) => {
    requireRaised(table.indexWarmThroughput?.[IndexName], update.WarmThroughput);
    return [IndexName, update.WarmThroughput] as const;
  });
  return {
    ...(isProtected !== undefined && { isProtected }),
    ...(warm !== undefined && { warmThroughput: warm }),
    indexWarmThroughput: { ...table.indexWarmThroughput, ...Object.fromEntries(ofIndexes) },
  };
}

/**
 * CreateTable, DeleteTable, and UpdateTable for deletion protection and warm throughput: enough to
 * replace a table by another one.
 */
export function changeTableOperations({
  database,
  tables,
  writer,
}: OperationContext): Readonly<Record<string, Operation>> {
  /** Deletes everything that is stored of a table except its definition. */
  async function clear(name: string): Promise<void> {
    const indexes = tables.get(name).description.GlobalSecondaryIndexes ?? [];
    const prefixes = [
      levelKeys.items(name),
      levelKeys.expiries(name),
      ...indexes.map(({ IndexName }) => levelKeys.indexEntries(name, IndexName)),
    ];
    const operations: LevelOperation[] = [];
    for (const prefix of prefixes)
      for await (const [key] of database.entries(prefix)) operations.push({ type: 'del', key: prefix + key });
    await database.batch(operations);
  }

  return {
    CreateTable: (body) => {
      const request = parseWith(newTable, body);
      const { TableName: name, GlobalSecondaryIndexes: indexes, SSESpecification: encryption } = request;
      return {
        accesses: [{ action: 'dynamodb:CreateTable', resource: tables.arn(name) }],
        perform: async () => {
          if (tables.find(name) !== undefined) throw tableInUse(`Table already exists: ${name}`);
          await tables.create({
            name,
            attributeDefinitions: request.AttributeDefinitions,
            keySchema: request.KeySchema,
            ...(indexes !== undefined && { globalSecondaryIndexes: indexes }),
            isProtected: request.DeletionProtectionEnabled,
            tags: request.Tags,
            ...(encryption !== undefined && { keyArn: encryption.KMSMasterKeyId }),
          });
          return { body: { TableDescription: presentTable(tables.get(name)) }, consumedCapacity: 0 };
        },
      };
    },
    DeleteTable: (body) => {
      const { TableName: name } = parseWith(oneTable, body);
      return aboutTable(tables, 'DeleteTable', name, async () => {
        const table = tables.get(name);
        if (table.isProtected === true)
          throw validationFailure(
            'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
          );
        await writer.write(async () => {
          await clear(name);
          await tables.remove(name);
        });
        return { TableDescription: presentTable(table) };
      });
    },
    UpdateTable: (body) => {
      const { TableName: name, ...change } = parseWith(changedTable, body);
      return aboutTable(tables, 'UpdateTable', name, async () => {
        await tables.change(name, changedSettings(tables.get(name), { TableName: name, ...change }));
        return { TableDescription: presentTable(tables.get(name)) };
      });
    },
  };
}
