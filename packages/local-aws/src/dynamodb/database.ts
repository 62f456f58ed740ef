import { Readable } from 'node:stream';
import { errorCode } from '../error-code.ts';
import type { StorageFailure } from '../storage-failure.ts';
import type { KeyRange, LevelOperation } from './dynalite-types.ts';
import type { Item } from './item.ts';
import { openReopeningLevel } from './reopening-level.ts';

/**
 * Keys of the single level database. `~` sorts after every character that may follow: names are
 * `[a-zA-Z0-9_.-]`, item keys are hexadecimal with `/` between their parts.
 */
export const levelKeys = {
  table: (name: string): string => `table~${name}`,
  tables: 'table~',
  items: (tableName: string): string => `item~${tableName}~`,
  indexEntries: (tableName: string, indexName: string): string => `index~${tableName}~${indexName}~`,
  /** Items by the second in which they expire. */
  expiries: (tableName: string): string => `ttl~${tableName}~`,
  transactionTokens: 'transaction~',
  backup: (id: string): string => `backup~${id}`,
  backups: 'backup~',
  backupItems: (id: string): string => `backup-item~${id}~`,
} as const;

export type ReadItem = (key: string) => Item | undefined;

/**
 * The storage of all tables: one ordered map from keys to JSON. Reads are synchronous, a batch is
 * atomic.
 */
export interface Database {
  read(key: string): unknown;
  readItem: ReadItem;
  /**
   * Reads the values of a range of keys below a prefix. Later writes do not change what it returns.
   */
  values(prefix: string, range: KeyRange): AsyncIterable<unknown>;
  valueStream(prefix: string, range: KeyRange, onValue: (item: Item) => void): Readable;
  /** Keys (without the prefix) and values of a range. */
  entries(prefix: string, range?: KeyRange): AsyncIterable<[string, unknown]>;
  /** Resolves when reads are possible. Rejects with AwsError while the disk prevents them. */
  ready(): Promise<void>;
  /**
   * All or nothing. Resolves when the operating system has the write: on disk it survives the
   * process. After a write that the disk refused, rejects with AwsError until there is room again.
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

/** Whether an error comes from LevelDB, or from a value that is no JSON. */
export function isLevelError(error: unknown): boolean {
  return /^LEVEL_/.test(String(errorCode(error)));
}

/** Opens the database in a directory, or in memory without one. */
export async function openDatabase(
  directory: string | undefined,
  failure: StorageFailure,
): Promise<Database> {
  const level = await openReopeningLevel(directory, failure);
  const values = (prefix: string, range: KeyRange): AsyncIterable<unknown> =>
    level.current.values(below(prefix, range));

  async function* entries(prefix: string, range: KeyRange = {}): AsyncGenerator<[string, unknown]> {
    for await (const [key, value] of level.current.iterator(below(prefix, range)))
      yield [key.slice(prefix.length), value];
  }

  return {
    read: (key) => level.current.getSync(key),
    readItem: (key) => level.current.getSync(key) as Item | undefined,
    values,
    valueStream: (prefix, range, onValue) => Readable.from(observed(values(prefix, range), onValue)),
    entries,
    ready: () => level.ready(),
    batch: (operations) => level.batch(operations),
    close: () => level.close(),
  };
}
