import { levelKeys, type Database } from './database.ts';
import type { LevelOperation } from './dynalite-types.ts';
import type { Tables } from './tables.ts';
import { expiryOperations, expirySortKey, oldestExpiry } from './time-to-live.ts';
import type { Writer } from './writer.ts';

/** Items deleted in one batch, so that other writes can run in between. */
const BATCH_ITEMS = 100;

export interface Expiry {
  /** Deletes every item whose TTL attribute is past. Resolves with their number. */
  expireItems(nowSeconds: number): Promise<number>;
  /** Turns the TTL of a table on (for an attribute) or off. */
  setTimeToLive(tableName: string, attribute: string | undefined): Promise<void>;
}

export function createExpiry(database: Database, tables: Tables, writer: Writer): Expiry {
  async function dueKeys(tableName: string, nowSeconds: number): Promise<readonly string[]> {
    const range = {
      gte: expirySortKey(oldestExpiry(nowSeconds)),
      lt: expirySortKey(nowSeconds),
      limit: BATCH_ITEMS,
    };
    const keys: string[] = [];
    for await (const [key] of database.entries(levelKeys.expiries(tableName), range)) {
      keys.push(key.slice(key.indexOf('~') + 1));
    }
    return keys;
  }

  async function expireTable(tableName: string, nowSeconds: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const keys = await writer.write(async (unit) => {
        const due = await dueKeys(tableName, nowSeconds);
        for (const key of due) unit.remove(tableName, key);
        return due;
      });
      removed += keys.length;
      if (keys.length < BATCH_ITEMS) return removed;
    }
  }

  /** The expiry order of a whole table, for a new TTL attribute. */
  async function rebuild(
    tableName: string,
    attribute: string | undefined,
  ): Promise<readonly LevelOperation[]> {
    const prefix = levelKeys.expiries(tableName);
    const operations: LevelOperation[] = [];
    for await (const [key] of database.entries(prefix)) operations.push({ type: 'del', key: prefix + key });
    if (attribute === undefined) return operations;
    for await (const [itemKey, item] of database.entries(levelKeys.items(tableName))) {
      operations.push(...expiryOperations(tableName, attribute, itemKey, undefined, item as never));
    }
    return operations;
  }

  return {
    expireItems: async (nowSeconds) => {
      let removed = 0;
      for (const name of tables.names()) {
        if (tables.get(name).timeToLiveAttribute !== undefined)
          removed += await expireTable(name, nowSeconds);
      }
      return removed;
    },
    setTimeToLive: async (tableName, attribute) => {
      if (tables.get(tableName).timeToLiveAttribute === attribute) return;
      await writer.write(async () => {
        await database.batch(await rebuild(tableName, attribute));
        await tables.change(tableName, { timeToLiveAttribute: attribute });
      });
    },
  };
}
