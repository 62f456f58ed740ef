import { indexEntry, sameIndexKey } from './index-entry.ts';
import { sameJson, type Item } from './item.ts';
import { itemBytes } from './item-size.ts';
import type { IndexDefinition, TableDescription } from './table.ts';

export type CapacityMode = 'TOTAL' | 'INDEXES' | 'NONE' | undefined;

/**
 * Units that one call consumed on one table: its own and those of each secondary index it touched.
 */
export interface Units {
  readonly tableName: string;
  readonly table: number;
  readonly indexes: Readonly<Record<string, number>>;
}

/** An item before and after a write; one of the two may be absent. */
export interface Images {
  readonly table: TableDescription;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

const WRITE_BLOCK = 1024;
const READ_BLOCK = 4096;

function bytes(item: Item | undefined): number {
  return item === undefined ? 0 : itemBytes(item);
}

/** Every operation on an item costs at least one unit, even on a missing one. */
function blocks(size: number, block: number): number {
  return Math.max(1, Math.ceil(size / block));
}

/**
 * Units of one index: adding, removing or changing an entry is one write, moving it is two, see
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
 */
function indexUnits(index: IndexDefinition, { table, before, after }: Images): number {
  const old = indexEntry(index, table, before);
  const now = indexEntry(index, table, after);
  if (old === undefined && now === undefined) return 0;
  if (old !== undefined && now !== undefined) {
    if (!sameIndexKey(index, old, now))
      return blocks(bytes(old), WRITE_BLOCK) + blocks(bytes(now), WRITE_BLOCK);
    if (sameJson(old, now)) return 0;
  }
  return blocks(Math.max(bytes(old), bytes(now)), WRITE_BLOCK);
}

/** Units of one write: the larger image on the table, and the changes of each index. */
export function writeUnits(images: Images): Units {
  const { table, before, after } = images;
  const indexes = (table.GlobalSecondaryIndexes ?? [])
    .map((index) => [index.IndexName, indexUnits(index, images)] as const)
    .filter(([, units]) => units > 0);
  return {
    tableName: table.TableName,
    table: blocks(Math.max(bytes(before), bytes(after)), WRITE_BLOCK),
    indexes: Object.fromEntries(indexes),
  };
}

/**
 * A transaction prepares and commits on the table, so its units count twice; indexes follow later
 * at their usual cost.
 */
export function transactionWriteUnits(images: Images): Units {
  const units = writeUnits(images);
  return { ...units, table: units.table * 2 };
}

/** Units of reading `size` bytes, of one item or of all items of a query together. */
export function readUnits(size: number, consistent: boolean): number {
  return blocks(size, READ_BLOCK) * (consistent ? 1 : 0.5);
}

export function transactionReadUnits(size: number): number {
  return blocks(size, READ_BLOCK) * 2;
}

function addIndexes(units: readonly Units[]): Readonly<Record<string, number>> {
  const totals: Record<string, number> = {};
  for (const { indexes } of units) {
    for (const [name, value] of Object.entries(indexes)) totals[name] = (totals[name] ?? 0) + value;
  }
  return totals;
}

/** Adds up the units of several operations on one call, table by table. */
export function sumByTable(units: readonly Units[]): readonly Units[] {
  return [...Map.groupBy(units, ({ tableName }) => tableName)].map(([tableName, ofTable]) => ({
    tableName,
    table: ofTable.reduce((total, { table }) => total + table, 0),
    indexes: addIndexes(ofTable),
  }));
}

function totalOf({ table, indexes }: Units): number {
  return Object.values(indexes).reduce((total, value) => total + value, table);
}

export function totalUnits(units: readonly Units[]): number {
  return units.reduce((total, each) => total + totalOf(each), 0);
}

/** Transactions also say whether they read or wrote; other operations do not. */
type Kind = 'ReadCapacityUnits' | 'WriteCapacityUnits' | undefined;

function capacity(units: number, kind: Kind): Readonly<Record<string, number>> {
  return { CapacityUnits: units, ...(kind !== undefined && { [kind]: units }) };
}

/**
 * The `ConsumedCapacity` of one table in the API's format; undefined unless the caller asked for
 * it.
 */
export function consumedCapacity(mode: CapacityMode, units: Units, kind?: Kind): object | undefined {
  if (mode !== 'TOTAL' && mode !== 'INDEXES') return undefined;
  const total = { TableName: units.tableName, ...capacity(totalOf(units), kind) };
  if (mode === 'TOTAL') return total;
  const indexes = Object.entries(units.indexes).map(([name, value]) => [name, capacity(value, kind)]);
  return {
    ...total,
    Table: capacity(units.table, kind),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: Object.fromEntries(indexes) as object }),
  };
}
