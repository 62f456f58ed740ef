import { randomUUID } from 'node:crypto';
import { rules } from './dynalite.ts';
import { levelKeys, type Database } from './database.ts';
import { tableNotFound } from './failures.ts';
import { sameJson } from './item.ts';
import type { Table, TableDefinition, TableDescription, TableSettings } from './table.ts';

export interface TablesOptions {
  readonly accountId: string;
  readonly region: string;
  /** Dates the creation of a table, in ms since the epoch. */
  readonly now: () => number;
}

/** The existing tables, in memory and in the database from which they are loaded. */
export interface Tables {
  arn(name: string): string;
  /** Throws AwsError ResourceNotFoundException. */
  get(name: string): Table;
  find(name: string): Table | undefined;
  names(): readonly string[];
  /**
   * Creates a table without a time to live, unless it exists with the same definition. Throws an
   * Error naming the table when its stored definition differs or the definition is not valid.
   */
  create(definition: TableDefinition): Promise<void>;
  change(name: string, settings: TableSettings): Promise<void>;
  /** Removes the definition; the caller deletes its items. */
  remove(name: string): Promise<void>;
}

/** The members that make two definitions the same table. */
function shapeOf({ AttributeDefinitions, KeySchema, GlobalSecondaryIndexes = [] }: TableDescription): object {
  return {
    attributes: AttributeDefinitions.toSorted((a, b) => (a.AttributeName < b.AttributeName ? -1 : 1)),
    key: KeySchema,
    indexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema: key, Projection }) => ({
      IndexName,
      key,
      Projection,
    })),
  };
}

function requireValid(definition: TableDefinition): void {
  const problem = rules.createTable.custom(
    {
      TableName: definition.name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: definition.attributeDefinitions,
      KeySchema: definition.keySchema,
      ...(definition.globalSecondaryIndexes !== undefined && {
        GlobalSecondaryIndexes: definition.globalSecondaryIndexes,
      }),
    },
    undefined,
  );
  if (problem !== undefined) throw new Error(`table ${definition.name}: ${problem}`);
}

function describe(definition: TableDefinition, arn: string, createdAt: number): TableDescription {
  return {
    TableName: definition.name,
    TableArn: arn,
    TableId: randomUUID(),
    TableStatus: 'ACTIVE',
    CreationDateTime: createdAt / 1_000,
    AttributeDefinitions: definition.attributeDefinitions,
    KeySchema: definition.keySchema,
    ...(definition.globalSecondaryIndexes !== undefined && {
      GlobalSecondaryIndexes: definition.globalSecondaryIndexes.map((index) => ({
        ...index,
        IndexArn: `${arn}/index/${index.IndexName}`,
        IndexStatus: 'ACTIVE' as const,
      })),
    }),
  };
}

export async function openTables(
  database: Database,
  { accountId, region, now }: TablesOptions,
): Promise<Tables> {
  const tables = new Map<string, Table>();
  for await (const [name, table] of database.entries(levelKeys.tables)) tables.set(name, table as Table);
  const arn = (name: string): string => `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;

  async function store(table: Table): Promise<void> {
    const name = table.description.TableName;
    await database.batch([{ type: 'put', key: levelKeys.table(name), value: table }]);
    tables.set(name, table);
  }

  function get(name: string): Table {
    const table = tables.get(name);
    if (table === undefined) throw tableNotFound();
    return table;
  }

  return {
    arn,
    get,
    find: (name) => tables.get(name),
    names: () => [...tables.keys()].toSorted(),
    create: async (definition) => {
      requireValid(definition);
      const description = describe(definition, arn(definition.name), now());
      const existing = tables.get(definition.name);
      if (existing === undefined) {
        const { isProtected = false, hasPointInTimeRecovery = false, keyArn, tags } = definition;
        await store({
          description,
          isProtected,
          hasPointInTimeRecovery,
          ...(keyArn !== undefined && { keyArn }),
          ...(tags !== undefined && { tags }),
        });
      } else if (!sameJson(shapeOf(existing.description), shapeOf(description))) {
        throw new Error(
          `table ${definition.name} exists with other keys or indexes than the template's: use another data directory`,
        );
      }
    },
    change: (name, settings) => store({ ...get(name), ...settings }),
    remove: async (name) => {
      await database.batch([{ type: 'del', key: levelKeys.table(name) }]);
      tables.delete(name);
    },
  };
}
