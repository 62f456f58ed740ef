import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type TransactWriteItem,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import type { StoredToken } from '../../core/tokens/token.ts';
import type { TokenStore, TokenWrite, WriteObstacle } from '../../core/tokens/token-store.ts';
import { send, toItem, type Item } from './table-client.ts';
import { dueAt, listAttributes, readTokenItem } from './token-item.ts';
import { chunkKeys, type TokenReader } from './token-reader.ts';
import type { TokenTables } from './token-tables.ts';
import { chunkCount, tokenWrites, UNCHANGED, unchangedValues, UNFINISHED_MS } from './token-writes.ts';
import { failedCondition, lockHolderIn } from './write-obstacle.ts';

/** Writes that one transaction takes, and its size in bytes with room for keys (AWS: 100 and 4 MB). */
const TRANSACTION_WRITES = 100;
const TRANSACTION_BYTES = 3_900_000;
const BATCH_WRITES = 25;

const FREE = 'attribute_not_exists(pk)';

function bytesOf(tokens: readonly StoredToken[]): number {
  return tokens.reduce(
    (sum, { sealedData, sealedDetails }) => sum + sealedData.length + (sealedDetails?.length ?? 0) + 2_000,
    0,
  );
}

function groups<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

export type TokenWriter = Pick<TokenStore, 'create' | 'update' | 'deleteWhole'> & {
  /** Finishes or clears away what a write of several steps has left behind; does nothing while that may still be under way. */
  repair(item: Item): Promise<void>;
};

/**
 * The writing half of the token store. What fits a transaction (100 writes, 4 MB) is one; a plain token is one PutItem. What does not
 * fit goes in steps that show nothing until the last: new tokens stand as `pending` first, entries that may turn out to belong to
 * nobody are named in `stale`, and both carry a due time, from which the sweep clears away what a dead writer left.
 */
export function createTokenWriter(tables: TokenTables, reader: TokenReader, clock: Clock): TokenWriter {
  const { client, listShards } = tables;
  const writes = tokenWrites(tables);

  async function transact(items: readonly TransactWriteItem[]): Promise<void> {
    const [only] = items;
    const { Put: put, Delete: remove } = items.length === 1 && only !== undefined ? only : {};
    if (put !== undefined) {
      await send(() => client.send(new PutItemCommand({ ...put })));
      return;
    }
    if (remove !== undefined) {
      await send(() => client.send(new DeleteItemCommand(remove)));
      return;
    }
    // One command object for all attempts: the SDK gives it one ClientRequestToken, so a repeated attempt writes nothing twice.
    const command = new TransactWriteItemsCommand({ TransactItems: [...items] });
    await send(() => client.send(command));
  }

  /** Writes without conditions, as many as there are. */
  async function writeAll(items: readonly TransactWriteItem[]): Promise<void> {
    for (const group of groups(items, BATCH_WRITES)) {
      let requests: Record<string, WriteRequest[]> = {};
      for (const { Put: put, Delete: remove } of group) {
        const table = put?.TableName ?? remove?.TableName ?? '';
        (requests[table] ??= []).push(
          put === undefined ? { DeleteRequest: { Key: remove?.Key } } : { PutRequest: { Item: put.Item } },
        );
      }
      while (Object.keys(requests).length > 0) {
        const command = new BatchWriteItemCommand({ RequestItems: requests });
        requests = (await send(() => client.send(command))).UnprocessedItems ?? {};
      }
    }
  }

  /** What stands in the way, from the item that broke a condition. */
  async function obstacleOf(error: unknown): Promise<WriteObstacle> {
    const failed = failedCondition(error);
    if (failed === undefined) throw error;
    if (failed.item === undefined) return 'changed';
    const lockedBy = lockHolderIn(failed.item);
    if (lockedBy !== undefined) return { lockedBy };
    const { pending, token, isAbandoned } = readTokenItem(failed.item);
    if (pending && isAbandoned(clock())) await repair(failed.item);
    if (pending) return 'changed';
    const taken = (await reader.tokenOf(failed.item)) ?? (await reader.find(token.tenantId, token.id));
    return taken === undefined ? 'changed' : { taken };
  }

  /** Everything of a new token beside its own item. */
  function companions(write: TokenWrite): TransactWriteItem[] {
    const { token, cvc } = write;
    return [
      ...writes.chunks(token),
      ...(cvc === undefined || cvc === 'removed' ? [] : [writes.cvc(token, cvc)]),
      ...(token.holdsLock ? [writes.lock(write)] : []),
    ];
  }

  /** Writes one new token without showing it: itself first, its entries after it. */
  async function stage(write: TokenWrite): Promise<void> {
    const { token } = write;
    const unfinished = { until: clock() + UNFINISHED_MS, pending: true, stale: token.terms };
    await transact([{ Put: writes.token(token, FREE, {}, unfinished) }, ...companions(write)]);
    await writeAll(token.terms.map((term) => writes.entry(token, term)));
  }

  /** Makes a staged token visible. */
  function reveal({ token }: TokenWrite): TransactWriteItem {
    const listed = listAttributes(token, listShards);
    const due = dueAt(token.id, token.expiration?.at);
    const set = {
      ':listPk': listed.listPk,
      ':listSk': listed.listSk,
      ...(due.dueSk && { ':duePk': due.duePk, ':dueSk': due.dueSk }),
    };
    const expression =
      due.dueSk === undefined
        ? 'SET listPk = :listPk, listSk = :listSk REMOVE pending, stale, duePk, dueSk'
        : 'SET listPk = :listPk, listSk = :listSk, duePk = :duePk, dueSk = :dueSk REMOVE pending, stale';
    return {
      Update: {
        ...writes.key(token),
        UpdateExpression: expression,
        ConditionExpression: 'writeId = :writeId AND attribute_exists(pending)',
        ExpressionAttributeValues: toItem({ ...set, ':writeId': token.writeId }),
      },
    };
  }

  async function createInSteps(tokens: readonly TokenWrite[]): Promise<'written' | WriteObstacle> {
    const staged: TokenWrite[] = [];
    try {
      for (const write of tokens) {
        await stage(write);
        staged.push(write);
      }
      const commits = tokens.map(reveal);
      const locks = tokens.filter(({ token }) => token.holdsLock).map((write) => writes.lock(write));
      await transact(commits.length + locks.length <= TRANSACTION_WRITES ? [...commits, ...locks] : commits);
      return 'written';
    } catch (error) {
      const obstacle = await obstacleOf(error);
      for (const { token } of staged) await removeStaged(token);
      return obstacle;
    }
  }

  async function removeStaged(token: StoredToken): Promise<void> {
    await clear(token, token.terms, chunkCount(token));
  }

  async function create(tokens: readonly TokenWrite[]): Promise<'written' | WriteObstacle> {
    const items = tokens.flatMap((write) => [
      { Put: writes.token(write.token, FREE) },
      ...companions(write),
      ...write.token.terms.map((term) => writes.entry(write.token, term)),
    ]);
    if (items.length > TRANSACTION_WRITES || bytesOf(tokens.map(({ token }) => token)) > TRANSACTION_BYTES)
      return createInSteps(tokens);
    try {
      await transact(items);
      return 'written';
    } catch (error) {
      return obstacleOf(error);
    }
  }

  /** Entries to write and to remove when a token changes; those that show what has changed are written anew. */
  function entryChanges(previous: StoredToken, next: StoredToken) {
    const shown = ({ type, containers, expiration }: StoredToken) =>
      JSON.stringify([type, containers, expiration?.at]);
    const sameShown = shown(previous) === shown(next);
    const [before, after] = [new Set(previous.terms), new Set(next.terms)];
    const added = next.terms.filter((term) => !sameShown || !before.has(term));
    const removed = previous.terms.filter((term) => !after.has(term));
    return { added, removed };
  }

  function lockChanges(previous: StoredToken, write: TokenWrite): TransactWriteItem[] {
    const next = write.token;
    const moved = previous.fingerprint !== next.fingerprint;
    const gives = previous.holdsLock && (moved || !next.holdsLock) ? [writes.removeLock(previous)] : [];
    return [...gives, ...(next.holdsLock && (moved || !previous.holdsLock) ? [writes.lock(write)] : [])];
  }

  /** Everything of a changed token beside its own item and its entries. */
  function changedCompanions(previous: StoredToken, write: TokenWrite): TransactWriteItem[] {
    const { token, cvc } = write;
    const cvcWrites =
      cvc === undefined ? [] : [cvc === 'removed' ? writes.removeCvc(token) : writes.cvc(token, cvc)];
    return [
      ...writes.chunks(token),
      ...writes.removeChunks(previous),
      ...cvcWrites,
      ...lockChanges(previous, write),
    ];
  }

  async function updateInSteps(
    previous: StoredToken,
    write: TokenWrite,
    others: readonly TransactWriteItem[],
  ): Promise<void> {
    const { token } = write;
    const { added, removed } = entryChanges(previous, token);
    const until = clock() + UNFINISHED_MS;
    const due = dueAt(token.id, until);
    await send(() =>
      client.send(
        new UpdateItemCommand({
          ...writes.key(token),
          UpdateExpression: 'SET stale = :stale, duePk = :duePk, dueSk = :dueSk',
          ConditionExpression: UNCHANGED,
          ExpressionAttributeValues: toItem({
            ...unchangedValues(previous),
            ':stale': [...added, ...removed],
            ':duePk': due.duePk,
            ':dueSk': due.dueSk,
          }),
        }),
      ),
    );
    await writeAll(added.map((term) => writes.entry(token, term)));
    const unfinished = { until, pending: false, stale: removed };
    const mine = 'version = :version AND writeId = :writeId';
    await transact([
      {
        Put: writes.token(
          token,
          mine,
          unchangedValues(previous),
          removed.length > 0 ? unfinished : undefined,
        ),
      },
      ...others,
    ]);
    await clearStale(token, removed);
  }

  /** Removes entries that are nobody's, then forgets that there were any. */
  async function clearStale(
    token: Pick<StoredToken, 'tenantId' | 'id' | 'position' | 'writeId' | 'expiration'>,
    stale: readonly string[],
  ): Promise<void> {
    if (stale.length === 0) return;
    await writeAll(stale.map((term) => writes.removeEntry(token, term)));
    const due = dueAt(token.id, token.expiration?.at);
    const command = new UpdateItemCommand({
      ...writes.key(token),
      UpdateExpression:
        due.dueSk === undefined
          ? 'REMOVE stale, duePk, dueSk'
          : 'SET duePk = :duePk, dueSk = :dueSk REMOVE stale',
      ConditionExpression: 'writeId = :writeId',
      ExpressionAttributeValues: toItem({
        ':writeId': token.writeId,
        ...(due.dueSk && { ':duePk': due.duePk, ':dueSk': due.dueSk }),
      }),
    });
    try {
      await send(() => client.send(command));
    } catch (error) {
      // Another write came first, and with it another one's business.
      if (failedCondition(error) === undefined) throw error;
    }
  }

  /** Removes every item of a token that is not visible. */
  async function clear(
    token: Pick<StoredToken, 'tenantId' | 'id' | 'position' | 'fingerprint' | 'version' | 'writeId'>,
    terms: readonly string[],
    chunks: number,
  ): Promise<void> {
    await writeAll(terms.map((term) => writes.removeEntry(token, term)));
    const rest = [
      ...chunkKeys(token, chunks).map((key): TransactWriteItem => ({
        Delete: { TableName: tables.tokensTable, Key: toItem({ ...key }) },
      })),
      writes.removeCvc(token),
    ];
    const own: TransactWriteItem = {
      Delete: {
        ...writes.key(token),
        ConditionExpression: 'attribute_not_exists(pk) OR writeId = :writeId',
        ExpressionAttributeValues: toItem({ ':writeId': token.writeId }),
      },
    };
    try {
      await transact([own, ...rest]);
      const lock = writes.removeLock(token).Delete;
      if (lock !== undefined) await send(() => client.send(new DeleteItemCommand(lock)));
    } catch (error) {
      if (failedCondition(error) === undefined) throw error;
    }
  }

  async function repair(item: Item): Promise<void> {
    const { token, chunks, pending, stale, isAbandoned } = readTokenItem(item);
    if (!isAbandoned(clock())) return;
    if (pending) await clear(token, [...new Set([...token.terms, ...stale])], chunks);
    else
      await clearStale(
        token,
        stale.filter((term) => !token.terms.includes(term)),
      );
  }

  return {
    create,
    repair,

    async update(previous, write) {
      const { added, removed } = entryChanges(previous, write.token);
      const others = changedCompanions(previous, write);
      const entries = [
        ...added.map((term) => writes.entry(write.token, term)),
        ...removed.map((term) => writes.removeEntry(write.token, term)),
      ];
      try {
        if (1 + others.length + entries.length > TRANSACTION_WRITES)
          await updateInSteps(previous, write, others);
        else
          await transact([
            { Put: writes.token(write.token, UNCHANGED, unchangedValues(previous)) },
            ...others,
            ...entries,
          ]);
        return 'written';
      } catch (error) {
        const obstacle = await obstacleOf(error);
        if (obstacle === 'changed' || 'lockedBy' in obstacle) return obstacle;
        // The token itself is in the way: it has changed. What a dead writer left on it is cleared away, so that the next attempt can pass.
        await repairLeftover(write.token);
        return 'changed';
      }
    },

    async deleteWhole(token) {
      const items = [
        ...writes.removeChunks(token),
        ...(token.cvcUntil === undefined ? [] : [writes.removeCvc(token)]),
        ...(token.holdsLock ? [writes.removeLock(token)] : []),
        ...token.terms.map((term) => writes.removeEntry(token, term)),
      ];
      try {
        if (items.length < TRANSACTION_WRITES) {
          const own = {
            ...writes.key(token),
            ConditionExpression: UNCHANGED,
            ExpressionAttributeValues: toItem(unchangedValues(token)),
          };
          await transact([{ Delete: own }, ...items]);
          return true;
        }
        // From the moment that it is pending it is gone for everybody; the rest can take its time.
        const unfinished = { until: clock(), pending: true, stale: token.terms };
        await transact([{ Put: writes.token(token, UNCHANGED, unchangedValues(token), unfinished) }]);
        await clear(token, token.terms, chunkCount(token));
        return true;
      } catch (error) {
        if (failedCondition(error) === undefined) throw error;
        return false;
      }
    },
  };

  async function repairLeftover(token: StoredToken): Promise<void> {
    const item = await reader.findItem(token.tenantId, token.id);
    if (item !== undefined) await repair(item);
  }
}
