import { BatchExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import { convertToAttr } from '@aws-sdk/util-dynamodb';
import { inTime, type Platform } from '../../core/shared/platform.ts';
import { callDependency, unavailable } from '../aws/dependency-error.ts';
import { chunk } from './chunk.ts';
import type { Item, Table } from './table-client.ts';

/*
 * PartiQL's INSERT is the only DynamoDB write that cannot overwrite. It has its own IAM action, so
 * a grant can make a table append-only.
 */

/** Most statements that AWS allows in one BatchExecuteStatement. */
const BATCH_STATEMENTS = 25;
/** The time limit for all attempts of one write, in ms of real time. */
export const INSERT_WITHIN_MS = 5_000;
const PAUSE_MS = 20;
const PAUSE_MAX_MS = 500;

/** The error if the item exists. Then an earlier attempt wrote it, since no key is drawn twice. */
const EXISTS = 'DuplicateItem';
/** Errors that the same statement would cause again. */
const HOPELESS: ReadonlySet<string> = new Set([
  'AccessDenied',
  'ResourceNotFound',
  'ValidationError',
  'ItemCollectionSizeLimitExceeded',
]);

/** An error whose name describes the failure in the log, because messages are not logged. */
function refused(code: string): Error {
  const error = new Error('insert: a statement was refused');
  error.name = `Insert${code}`;
  return error;
}

/**
 * Builds the client's own command, because the document client's takes a fifth more processor time.
 */
function statementOf(name: string, item: Item) {
  const members = Object.keys(item).map((member) => `'${member}': ?`);
  return {
    Statement: `INSERT INTO "${name}" VALUE {${members.join(', ')}}`,
    Parameters: Object.values(item).map((value) => convertToAttr(value)),
  };
}

type Fate = 'written' | 'existed' | 'failed';

async function insertBatch({ client, name }: Table, items: readonly Item[]): Promise<readonly Fate[]> {
  const Statements = items.map((item) => statementOf(name, item));
  const { Responses = [] } = await callDependency(() =>
    client.send(new BatchExecuteStatementCommand({ Statements })),
  );
  return items.map((_, index) => {
    const response = Responses[index];
    const code = response?.Error?.Code;
    if (code !== undefined && HOPELESS.has(code)) throw refused(code);
    if (response === undefined) return 'failed';
    if (code === undefined) return 'written';
    return code === EXISTS ? 'existed' : 'failed';
  });
}

const tooLate = () => unavailable(new Error('insert: statements keep failing'));

/**
 * Limits an insert to {@link INSERT_WITHIN_MS}. An attempt that is under way then ends by the
 * limits of the client, which does not repeat it with a later request
 * (src/adapters/aws/prompt-retries.ts). An `AbortSignal` would end it at once, but no call with one
 * can use middleware that is resolved once.
 */
const limited = <T>(platform: Platform, work: (isOver: () => boolean) => Promise<T>): Promise<T> =>
  inTime(platform, { ms: INSERT_WITHIN_MS, work, tooLate });

/**
 * Inserts items with unique keys, and repeats failed batches until all are stored. Rejects with
 * `dependency_unavailable` after {@link INSERT_WITHIN_MS}. Some of the items may be stored then, or
 * soon afterwards.
 */
export function insertAll(table: Table, items: readonly Item[]): Promise<{ readonly wasThrottled: boolean }> {
  const { platform } = table;
  return limited(platform, async (isOver) => {
    let left = items;
    for (let attempt = 0; ; attempt += 1) {
      const batches = chunk(left, BATCH_STATEMENTS);
      const fates = await Promise.all(batches.map((batch) => insertBatch(table, batch)));
      const failed = new Set(fates.flat().flatMap((fate, index) => (fate === 'failed' ? [left[index]] : [])));
      if (failed.size === 0) return { wasThrottled: attempt > 0 };
      left = left.filter((item) => failed.has(item));
      await platform.pause(platform.random.fraction() * Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** attempt));
      if (isOver()) throw tooLate();
    }
  });
}

/** Inserts one item; `false` if its key exists. */
export async function insertNew(table: Table, item: Item): Promise<boolean> {
  const [fate] = await limited(table.platform, () => insertBatch(table, [item]));
  if (fate === 'failed') throw unavailable(new Error('insert: the statement failed'));
  return fate === 'written';
}
