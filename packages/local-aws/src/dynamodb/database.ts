import { Readable } from 'node:stream';
import { errorCode } from '../error-code.ts';
import type { StorageFailure } from '../storage-failure.ts';
import type { KeyRange, LevelOperation, LevelSnapshot } from './dynalite-types.ts';
import type { Item } from './item.ts';
import { openReopeningLevel, type ReopeningLevel } from './reopening-level.ts';

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

/** A read sees the newest content, or that of a moment ago. */
export interface ReadView {
  readonly readItem: ReadItem;
  valueStream(prefix: string, range: KeyRange, onValue: (item: Item) => void): Readable;
}

/** The time of which an eventually consistent read sees the content, in ms since the epoch. */
export interface Lag {
  readonly now: () => number;
  /** How long ago, in ms, and at most {@link MOST_VERSIONS} writes. Called for each read. */
  readonly lagMs: () => number;
}

/** Most writes that a read in the past can miss. */
const MOST_VERSIONS = 100;

/**
 * The storage of all tables: one ordered map from keys to JSON. Reads are synchronous, a batch is
 * atomic.
 */
export interface Database extends ReadView {
  read(key: string): unknown;
  /** An eventually consistent read sees the newest content unless a {@link Lag} is set. */
  lagging(): ReadView;
  /**
   * Reads the values of a range of keys below a prefix. Later writes do not change what it returns.
   */
  values(prefix: string, range: KeyRange): AsyncIterable<unknown>;
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

/** The content before each of the last writes. */
interface Versions {
  /** Call it before a write. */
  keep(): void;
  /** The oldest content that was still valid at a time; undefined for the newest. */
  at(time: number): LevelSnapshot | undefined;
  close(): Promise<void>;
}

function keepVersions(level: ReopeningLevel, now: () => number): Versions {
  const versions: { readonly until: number; readonly snapshot: LevelSnapshot }[] = [];
  return {
    keep: () => {
      versions.push({ until: now(), snapshot: level.current.snapshot() });
      if (versions.length > MOST_VERSIONS) void versions.shift()?.snapshot.close();
    },
    at: (time) => versions.find(({ until }) => until > time)?.snapshot,
    close: async () => {
      await Promise.all(versions.splice(0).map(({ snapshot }) => snapshot.close()));
    },
  };
}

/** Opens the database in a directory, or in memory without one. */
export async function openDatabase(
  directory: string | undefined,
  failure: StorageFailure,
  lag?: Lag,
): Promise<Database> {
  const level = await openReopeningLevel(directory, failure);
  const versions = lag && keepVersions(level, lag.now);
  const values = (prefix: string, range: KeyRange): AsyncIterable<unknown> =>
    level.current.values(below(prefix, range));

  function viewOf(snapshot?: LevelSnapshot): ReadView {
    return {
      readItem: (key) => level.current.getSync(key, { snapshot }) as Item | undefined,
      valueStream: (prefix, range, onValue) =>
        Readable.from(observed(level.current.values({ ...below(prefix, range), snapshot }), onValue)),
    };
  }

  const newest = viewOf();

  async function* entries(prefix: string, range: KeyRange = {}): AsyncGenerator<[string, unknown]> {
    for await (const [key, value] of level.current.iterator(below(prefix, range)))
      yield [key.slice(prefix.length), value];
  }

  return {
    ...newest,
    read: (key) => level.current.getSync(key),
    lagging: () => (lag === undefined ? newest : viewOf(versions?.at(lag.now() - lag.lagMs()))),
    values,
    entries,
    ready: () => level.ready(),
    batch: (operations) => {
      versions?.keep();
      return level.batch(operations);
    },
    close: async () => {
      await versions?.close();
      await level.close();
    },
  };
}
