import { dynaliteDb } from './dynalite.ts';
import { levelKeys, type ReadItem } from './database.ts';
import type { Images } from './consumed-capacity.ts';
import type { DynaliteError, DynaliteStore, DynaliteSubDb, LevelOperation } from './dynalite-types.ts';
import { indexEntry, indexEntryKey } from './index-entry.ts';
import { emptyKeyMessage } from './failures.ts';
import { emptyType, sameJson, type Item } from './item.ts';
import { limitExceeded } from './limit-exceeded.ts';
import { itemBytes, MAX_ITEM_BYTES } from './item-size.ts';
import type { Table } from './table.ts';
import type { Tables } from './tables.ts';
import { expiryOperations } from './time-to-live.ts';

/** An item that a write unit read, and its new version. */
interface Touched extends Images {
  readonly settings: Table;
  readonly itemKey: string;
  after: Item | undefined;
}

/**
 * The writes of one call, collected while dynalite's actions run and applied as one batch: items,
 * their index entries and their expiry order change together or not at all.
 */
export interface WriteUnit {
  /** The store that dynalite's actions write to. */
  readonly store: DynaliteStore;
  /** Every item that was read or written, in that order. */
  touched(): readonly Images[];
  /** Reads an item as this unit sees it, and counts it as touched. */
  read(tableName: string, itemKey: string): Item | undefined;
  remove(tableName: string, itemKey: string): void;
  /** Writes an item unchecked: another table contained it before. */
  put(tableName: string, itemKey: string, item: Item): void;
  operations(): readonly LevelOperation[];
  /** Every item that the operations change. */
  changed(): readonly (Images & { readonly itemKey: string })[];
}

function emptyIndexKey({ description }: Table, item: Item): DynaliteError | undefined {
  for (const { IndexName, KeySchema } of description.GlobalSecondaryIndexes ?? []) {
    for (const { AttributeName } of KeySchema) {
      const type = emptyType(item[AttributeName]);
      if (type !== undefined)
        return dynaliteDb.validationError(emptyKeyMessage(AttributeName, type, IndexName));
    }
  }
  return undefined;
}

function unacceptable(table: Table, item: Item): DynaliteError | undefined {
  if (itemBytes(item) <= MAX_ITEM_BYTES)
    return emptyIndexKey(table, item) ?? limitExceeded(table.description, item);
  return dynaliteDb.validationError('Item size has exceeded the maximum allowed size');
}

function indexOperations({ table, before, after }: Touched): readonly LevelOperation[] {
  return (table.GlobalSecondaryIndexes ?? []).flatMap((index) => {
    const prefix = levelKeys.indexEntries(table.TableName, index.IndexName);
    const old = indexEntry(index, table, before);
    const now = indexEntry(index, table, after);
    const oldKey = old && prefix + indexEntryKey(index, table, old);
    const nowKey = now && prefix + indexEntryKey(index, table, now);
    return [
      ...(oldKey === undefined || oldKey === nowKey ? [] : [{ type: 'del' as const, key: oldKey }]),
      ...(nowKey === undefined ? [] : [{ type: 'put' as const, key: nowKey, value: now }]),
    ];
  });
}

const isChanged = ({ before, after }: Touched): boolean => before !== after && !sameJson(before, after);

function operationsFor(touched: Touched): readonly LevelOperation[] {
  const { table, settings, itemKey, before, after } = touched;
  const key = levelKeys.items(table.TableName) + itemKey;
  const ttl = settings.timeToLiveAttribute;
  return [
    after === undefined ? { type: 'del', key } : { type: 'put', key, value: after },
    ...indexOperations(touched),
    ...(ttl === undefined ? [] : expiryOperations(table.TableName, ttl, itemKey, before, after)),
  ];
}

/**
 * Index entries are derived from the items at the end: dynalite's own writes to them are dropped.
 */
const ignoredIndex: DynaliteSubDb = {
  get: (_key, callback) => {
    callback(null);
  },
  put: (_key, _item, callback) => {
    callback(null);
  },
  del: (_key, callback) => {
    callback(null);
  },
  lock: (_key, task) => {
    task((callback) => callback);
  },
  createValueStream: () => {
    throw new Error('a write unit does not query');
  },
};

/** One unit at a time: the caller owns the lock that makes its reads and its batch one step. */
export function createWriteUnit(readItem: ReadItem, tables: Tables): WriteUnit {
  const touched = new Map<string, Touched>();

  function touch(tableName: string, itemKey: string): Touched {
    const key = levelKeys.items(tableName) + itemKey;
    const known = touched.get(key);
    if (known !== undefined) return known;
    const settings = tables.get(tableName);
    const before = readItem(key);
    const fresh = { table: settings.description, settings, itemKey, before, after: before };
    touched.set(key, fresh);
    return fresh;
  }

  function itemDb(tableName: string): DynaliteSubDb {
    return {
      ...ignoredIndex,
      get: (key, callback) => {
        callback(null, touch(tableName, key).after);
      },
      put: (key, item, callback) => {
        const entry = touch(tableName, key);
        const problem = unacceptable(entry.settings, item);
        if (problem !== undefined) {
          callback(problem);
          return;
        }
        entry.after = item;
        callback(null);
      },
      del: (key, callback) => {
        touch(tableName, key).after = undefined;
        callback(null);
      },
    };
  }

  return {
    store: {
      options: { maxItemSize: MAX_ITEM_BYTES },
      getTable: (name, callback) => {
        callback(null, tables.get(name).description);
      },
      getItemDb: itemDb,
      getIndexDb: () => ignoredIndex,
    },
    touched: () => [...touched.values()],
    read: (tableName, itemKey) => touch(tableName, itemKey).after,
    remove: (tableName, itemKey) => {
      touch(tableName, itemKey).after = undefined;
    },
    put: (tableName, itemKey, item) => {
      touch(tableName, itemKey).after = item;
    },
    operations: () => [...touched.values()].filter(isChanged).flatMap(operationsFor),
    changed: () => [...touched.values()].filter(isChanged),
  };
}
