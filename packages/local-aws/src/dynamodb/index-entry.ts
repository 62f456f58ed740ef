import { dynaliteDb } from './dynalite.ts';
import type { Item } from './item.ts';
import type { IndexDefinition, TableDescription } from './table.ts';

function keyNames({ KeySchema }: Pick<TableDescription, 'KeySchema'>): readonly string[] {
  return KeySchema.map(({ AttributeName }) => AttributeName);
}

/** The projected attributes of a secondary index; undefined for all. */
export function projectedNames(
  index: IndexDefinition,
  table: TableDescription,
): ReadonlySet<string> | undefined {
  if (index.Projection.ProjectionType === 'ALL') return undefined;
  return new Set([...keyNames(index), ...keyNames(table), ...(index.Projection.NonKeyAttributes ?? [])]);
}

/**
 * The entry of a secondary index for an item; undefined if the item lacks a key attribute of the
 * index.
 */
export function indexEntry(
  index: IndexDefinition,
  table: TableDescription,
  item: Item | undefined,
): Item | undefined {
  if (item === undefined || keyNames(index).some((name) => item[name] === undefined)) return undefined;
  const projected = projectedNames(index, table);
  if (projected === undefined) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => projected.has(name)));
}

/**
 * The key of an entry below the index's prefix. It ends with the whole item key: with dynalite's 24
 * bits of a hash, two of some thousand items under one index key would share an entry.
 */
export function indexEntryKey(index: IndexDefinition, table: TableDescription, entry: Item): string {
  return `${dynaliteDb.createIndexKey(entry, table, index.KeySchema)}/${dynaliteDb.createKey(entry, table)}`;
}

export function sameIndexKey(index: IndexDefinition, a: Item, b: Item): boolean {
  return keyNames(index).every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}
