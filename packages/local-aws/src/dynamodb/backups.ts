import { randomBytes } from 'node:crypto';
import { levelKeys } from './database.ts';
import { tableInUse } from './failures.ts';
import type { History } from './history.ts';
import type { Item } from './item.ts';
import type { OperationContext } from './operation.ts';
import type { Table, TableDescription } from './table.ts';

/** A table as it was when it was backed up. */
export interface Backup {
  /** The last part of its ARN is the id. */
  readonly id: string;
  readonly name: string;
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly table: Table;
  /** Only set if AWS Backup made it. `deleteAt` is in ms since the epoch. */
  readonly vault?: { readonly name: string; readonly deleteAt?: number };
}

/** Copies of whole tables, complete immediately. */
export interface Backups {
  find(id: string): Backup | undefined;
  /** All backups, oldest first, also those of deleted tables. */
  all(): Promise<readonly Backup[]>;
  /** The backups of a table that were made by DynamoDB, oldest first, also of a deleted table. */
  of(tableName: string): Promise<readonly Backup[]>;
  create(tableName: string, name: string, vault?: Backup['vault']): Promise<Backup>;
  remove(id: string): Promise<void>;
  /**
   * Creates a table from a backup, with the key of the former table, or another one, or none
   * (`null`). Throws AwsError ResourceInUseException if the name exists.
   */
  restore(backup: Backup, sourceBackupArn: string, targetName: string, keyArn?: string | null): Promise<void>;
  /**
   * Creates a table from the content that another had at a time, in ms since the epoch, or has now.
   * Throws like `restore`.
   */
  copy(sourceName: string, targetName: string, time?: number): Promise<void>;
}

function definitionOf({ AttributeDefinitions, KeySchema, GlobalSecondaryIndexes }: TableDescription) {
  return {
    attributeDefinitions: AttributeDefinitions,
    keySchema: KeySchema,
    ...(GlobalSecondaryIndexes !== undefined && {
      globalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema: key, Projection }) => ({
        IndexName,
        KeySchema: key,
        Projection,
      })),
    }),
  };
}

export function createBackups(
  { database, tables, writer, now }: OperationContext,
  history: History,
): Backups {
  /**
   * On AWS, too, a restored table has no time to live, protection and recovery (Amazon DynamoDB
   * Developer Guide, Point-in-time recovery).
   */
  async function restored(
    table: Table,
    itemsPrefix: string,
    name: string,
    differences: () => ReadonlyMap<string, Item | undefined> = () => new Map(),
  ): Promise<void> {
    if (tables.find(name) !== undefined) throw tableInUse(`Table already exists: ${name}`);
    const { description, keyArn } = table;
    await tables.create({ name, ...definitionOf(description), ...(keyArn !== undefined && { keyArn }) });
    await writer.write(async (unit) => {
      for await (const [key, item] of database.entries(itemsPrefix)) unit.put(name, key, item as Item);
      // Nothing is written meanwhile.
      for (const [key, item] of differences())
        if (item === undefined) unit.remove(name, key);
        else unit.put(name, key, item);
    });
  }

  async function all(): Promise<Backup[]> {
    const found: Backup[] = [];
    for await (const [, backup] of database.entries(levelKeys.backups)) found.push(backup as Backup);
    return found;
  }

  return {
    find: (id) => database.read(levelKeys.backup(id)) as Backup | undefined,
    all,
    of: async (tableName) =>
      (await all()).filter(
        ({ table, vault }) => vault === undefined && table.description.TableName === tableName,
      ),
    create: async (tableName, name, vault) => {
      const createdAt = Math.floor(now());
      const id = `${String(createdAt).padStart(14, '0')}-${randomBytes(4).toString('hex')}`;
      const table = tables.get(tableName);
      const backup: Backup = { id, name, createdAt, table, ...(vault !== undefined && { vault }) };
      await writer.write(async () => {
        for await (const [key, item] of database.entries(levelKeys.items(tableName)))
          await database.batch([{ type: 'put', key: levelKeys.backupItems(id) + key, value: item }]);
      });
      await database.batch([{ type: 'put', key: levelKeys.backup(id), value: backup }]);
      return backup;
    },
    remove: async (id) => {
      const prefix = levelKeys.backupItems(id);
      await database.batch([{ type: 'del', key: levelKeys.backup(id) }]);
      for await (const [key] of database.entries(prefix))
        await database.batch([{ type: 'del', key: prefix + key }]);
    },
    restore: async ({ id, table }, sourceBackupArn, targetName, keyArn = table.keyArn) => {
      const { keyArn: _, ...rest } = table;
      const encrypted = typeof keyArn === 'string' ? { ...rest, keyArn } : rest;
      await restored(encrypted, levelKeys.backupItems(id), targetName);
      await tables.change(targetName, { sourceBackupArn });
    },
    copy: (sourceName, targetName, time = Infinity) =>
      restored(tables.get(sourceName), levelKeys.items(sourceName), targetName, () =>
        history.differences(sourceName, time),
      ),
  };
}
