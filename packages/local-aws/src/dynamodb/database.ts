import { Readable } from 'node:stream';
import { dynaliteDb } from './dynalite.ts';
import type { KeyRange, Level, LevelOperation } from './dynalite-types.ts';
import type { Item } from './item.ts';

/**
 * Keys of the one level database. `~` sorts after every character that follows it: names are
 * `[a-zA-Z0-9_.-]`, item keys are hexadecimal with `/` between their parts.
 */
export const levelKeys = {
  table: (name: string): string => `table~${name}`,
  tables: 'table~',
  items: (tableName: string): string => `item~${tableName}~`,
  indexEntries: (tableName: string, indexName: string): string => `index~${tableName}~${indexName}~`,
  /** Items by the second from which on they are expired. */
  expiries: (tableName: string): string => `ttl~${tableName}~`,
  transactionTokens: 'transaction~',
  backup: (id: string): string => `backup~${id}`,
  backups: 'backup~',
  backupItems: (id: string): string => `kept~${id}~`,
} as const;

export type ReadItem = (key: string) => Item | undefined;

/**
 * The storage of all tables: one ordered map from keys to JSON. Reads are synchronous, a batch is
 * atomic.
 */
export interface Database {
  read(key: string): unknown;
  readItem: ReadItem;
  /** Runs `task` over one consistent state, whatever is written meanwhile. */
  withSnapshot<T>(task: (readItem: ReadItem) => Promise<T>): Promise<T>;
  /** The values of a range of keys below a prefix, from the state at the time of the call. */
  values(prefix: string, range: KeyRange): AsyncIterable<unknown>;
  valueStream(prefix: string, range: KeyRange, onValue: (item: Item) => void): Readable;
  /** Keys (without the prefix) and values of a range. */
  entries(prefix: string, range?: KeyRange): AsyncIterable<[string, unknown]>;
  /**
   * All or nothing. On disk, the operating system has the write when this resolves: it survives the
   * end of the process.
   */
  batch(operations: readonly LevelOperation[]): Promise<void>;
  close(): Promise<void>;
}

function lowerBound(prefix: string, { gte, gt }: KeyRange): KeyRange {
  if (gte !== undefined) return { gte: prefix + gte };
  return gt === undefined ? { gte: prefix } : { gt: prefix + gt };
}

function upperBound(prefix: string, { lte, lt }: KeyRange): KeyRange {
  if (lte !== undefined) return { lte: prefix + lte };
  return { lt: prefix + (lt ?? '~') };
}

function below(prefix: string, range: KeyRange): KeyRange {
  const { reverse = false, limit = -1 } = range;
  return { ...lowerBound(prefix, range), ...upperBound(prefix, range), reverse, limit };
}

async function* observed(
  values: AsyncIterable<unknown>,
  onValue: (item: Item) => void,
): AsyncGenerator<Item> {
  for await (const value of values) {
    const item = value as Item;
    onValue(item);
    yield item;
  }
}

async function openLevel(directory: string | undefined): Promise<Level> {
  const { db } = dynaliteDb.create(directory === undefined ? {} : { path: directory });
  await db.open().catch((error: unknown) => {
    throw new Error(`cannot open the tables in ${directory ?? 'memory'}: is another process using them?`, {
      cause: error,
    });
  });
  return db;
}

/** Opens the database in a directory, or in memory without one. */
export async function openDatabase(directory: string | undefined): Promise<Database> {
  const level = await openLevel(directory);
  const values = (prefix: string, range: KeyRange): AsyncIterable<unknown> =>
    level.values(below(prefix, range));

  async function* entries(prefix: string, range: KeyRange = {}): AsyncGenerator<[string, unknown]> {
    for await (const [key, value] of level.iterator(below(prefix, range)))
      yield [key.slice(prefix.length), value];
  }

  return {
    read: (key) => level.getSync(key),
    readItem: (key) => level.getSync(key) as Item | undefined,
    withSnapshot: async (task) => {
      const snapshot = level.snapshot();
      try {
        return await task((key) => level.getSync(key, { snapshot }) as Item | undefined);
      } finally {
        await snapshot.close();
      }
    },
    values,
    valueStream: (prefix, range, onValue) => Readable.from(observed(values(prefix, range), onValue)),
    entries,
    batch: (operations) => level.batch(operations),
    close: () => level.close(),
  };
}
