import { dynaliteDb } from './dynalite.ts';
import { levelKeys, type ReadView } from './database.ts';
import type { DynaliteStore, DynaliteSubDb, KeyRange } from './dynalite-types.ts';
import type { Item } from './item.ts';
import { itemBytes, MAX_ITEM_BYTES } from './item-size.ts';
import type { Tables } from './tables.ts';

/**
 * The sizes of the items or index entries that one read call covered, in order. It may have read
 * ahead.
 */
export interface ReadStore {
  readonly store: DynaliteStore;
  readonly bytesRead: readonly number[];
}

function readOnly(): never {
  throw new Error('a read does not write');
}

/**
 * Index entries end with the whole key of their item, which dynalite does not expect: a page begins
 * after that.
 */
function resumed(range: KeyRange, suffix: string | undefined): KeyRange {
  if (suffix === undefined) return range;
  if (range.reverse === true) return { ...range, lt: `${range.lt ?? ''}${suffix}` };
  return { ...range, gt: `${range.gt ?? ''}${suffix}` };
}

/**
 * Builds dynalite's store for one read. `startKey` is the request's ExclusiveStartKey on an index.
 */
export function createReadStore(
  view: ReadView,
  tables: Tables,
  startKey?: { readonly tableName: string; readonly key: Item },
): ReadStore {
  const bytesRead: number[] = [];
  const observe = (item: Item): void => {
    bytesRead.push(itemBytes(item));
  };

  function subDb(prefix: string, suffix?: string): DynaliteSubDb {
    return {
      get: (key, callback) => {
        const item = view.readItem(prefix + key);
        if (item !== undefined) observe(item);
        callback(null, item);
      },
      put: readOnly,
      del: readOnly,
      lock: readOnly,
      createValueStream: (range) => view.valueStream(prefix, resumed(range, suffix), observe),
    };
  }

  function suffix(): string | undefined {
    if (startKey === undefined) return undefined;
    return `/${dynaliteDb.createKey(startKey.key, tables.get(startKey.tableName).description)}`;
  }

  return {
    store: {
      options: { maxItemSize: MAX_ITEM_BYTES },
      getTable: (name, callback) => {
        callback(null, tables.get(name).description);
      },
      getItemDb: (name) => subDb(levelKeys.items(name)),
      getIndexDb: (_type, tableName, indexName) =>
        subDb(levelKeys.indexEntries(tableName, indexName), suffix()),
    },
    bytesRead,
  };
}
