import { UpdateItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import type { StoredToken } from '../../core/tokens/token.ts';
import { toItem, type Item } from './table-client.ts';
import { dueAt, readTokenItem, type ReadToken } from './token-item.ts';
import { chunkKeys } from './token-reader.ts';
import type { TokenTables } from './token-tables.ts';
import { tokenWrites, UNCHANGED, unchangedValues, UNFINISHED_MS } from './token-writes.ts';
import { TRANSACTION_WRITES, type WriteCalls } from './write-calls.ts';
import { writeIf } from './write-if.ts';
import { failedCondition } from './write-obstacle.ts';

/** A token as far as its removal needs to know it; its data may be anywhere, or gone. */
type Removable = Pick<ReadToken, 'chunks'> & { readonly token: Omit<StoredToken, 'sealedData'> };

/** Takes tokens away, and what writers of several steps have left behind. */
export interface TokenRemoval {
  /** Deletes this version of a token with everything that belongs to it; `false` if it has changed since. */
  remove(read: Removable): Promise<boolean>;
  /** Removes every item of a token that is not visible; does nothing if it is visible by now, or another's. */
  clear(read: Removable & Pick<ReadToken, 'stale'>): Promise<void>;
  /** Makes the entries of `stale` terms what the token says of them, removes data of the version before, then forgets about both. */
  settle(read: Pick<ReadToken, 'stale' | 'oldChunks'> & Pick<Removable, 'token'>): Promise<void>;
  /** Finishes or clears away what a write of several steps has left behind; does nothing while that may still be under way. */
  repair(item: Item): Promise<void>;
}

/** Runs a write whose condition may fail; answers whether it held. */
async function holds(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (failedCondition(error) === undefined) throw error;
    return false;
  }
}

export function createTokenRemoval(tables: TokenTables, calls: WriteCalls, clock: Clock): TokenRemoval {
  const { client, tokensTable } = tables;
  const writes = tokenWrites(tables);

  const deletion = (
    { token }: Removable,
    condition: string,
    values: Readonly<Record<string, unknown>>,
  ): TransactWriteItem => ({
    Delete: {
      ...writes.key(token),
      ConditionExpression: condition,
      ExpressionAttributeValues: toItem(values),
    },
  });

  const removeChunks = (token: Parameters<typeof chunkKeys>[0], count: number): TransactWriteItem[] =>
    chunkKeys(token, count).map((key) => ({ Delete: { TableName: tokensTable, Key: toItem({ ...key }) } }));

  /** What stands beside a token, but for its entries and its lock. */
  const beside = ({ token, chunks }: Removable): TransactWriteItem[] => [
    ...removeChunks(token, chunks),
    ...(token.cvcUntil === undefined ? [] : [writes.removeCvc(token)]),
  ];

  const lockOf = ({ token }: Removable) => (token.holdsLock ? writes.removeLock(token) : undefined);

  async function clear(read: Parameters<TokenRemoval['clear']>[0]): Promise<void> {
    const { token, stale } = read;
    const terms = [...new Set([...token.terms, ...stale])];
    await calls.writeAll(terms.map((term) => writes.removeEntry(token, term)));
    const pending = 'attribute_not_exists(pk) OR (writeId = :writeId AND attribute_exists(pending))';
    const own = deletion(read, pending, { ':writeId': token.writeId });
    await holds(() => calls.transactReleasing(own, lockOf(read), beside(read)));
  }

  async function settle({ token, stale, oldChunks }: Parameters<TokenRemoval['settle']>[0]): Promise<void> {
    const mine = new Set(token.terms);
    await calls.writeAll([
      ...stale.map((term) => (mine.has(term) ? writes.entry(token, term) : writes.removeEntry(token, term))),
      ...removeChunks({ ...token, version: token.version - 1 }, oldChunks),
    ]);
    const due = dueAt(token.id, token.expiration?.at);
    const command = new UpdateItemCommand({
      ...writes.key(token),
      UpdateExpression:
        due.dueSk === undefined
          ? 'REMOVE stale, oldChunks, changeId, duePk, dueSk'
          : 'SET duePk = :duePk, dueSk = :dueSk REMOVE stale, oldChunks, changeId',
      ConditionExpression: 'version = :version AND writeId = :writeId',
      ExpressionAttributeValues: toItem({
        ...unchangedValues(token),
        ...(due.dueSk && { ':duePk': due.duePk, ':dueSk': due.dueSk }),
      }),
    });
    // If another write came first, the doubt is its business.
    await writeIf(client, command);
  }

  /** Takes a token out of sight; `false` if it has changed since it was read. */
  async function hide({ token }: Removable): Promise<boolean> {
    const outcome = await writeIf(client, writes.hide(token, clock()));
    if (outcome === 'written') return true;
    if (outcome.found === undefined || !outcome.mayBeOwn) return false;
    // An earlier attempt has hidden it, and its response was lost.
    const hidden = readTokenItem(outcome.found);
    return hidden.pending && hidden.token.writeId.equals(token.writeId);
  }

  /** Takes on the repair of a visible token: of two at once, the slower one could undo what a new writer does after the quicker one. */
  async function claimRepair(item: Item, { token }: ReadToken): Promise<boolean> {
    const due = dueAt(token.id, clock() + UNFINISHED_MS);
    const command = new UpdateItemCommand({
      ...writes.key(token),
      UpdateExpression: 'SET dueSk = :later',
      ConditionExpression: 'writeId = :writeId AND dueSk = :seen',
      ExpressionAttributeValues: {
        ...toItem({ ':later': due.dueSk, ':writeId': token.writeId }),
        ':seen': item['dueSk'] ?? { S: '' },
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const outcome = await writeIf(client, command);
    // An earlier attempt has claimed it, and its response was lost.
    return outcome === 'written' || (outcome.mayBeOwn && outcome.found?.['dueSk']?.S === due.dueSk);
  }

  return {
    clear,
    settle,

    async remove(read) {
      const { token } = read;
      const entries = token.terms.map((term) => writes.removeEntry(token, term));
      const rest = [...beside(read), ...entries];
      if (rest.length + 2 <= TRANSACTION_WRITES) {
        const own = deletion(read, UNCHANGED, unchangedValues(token));
        return holds(() => calls.transactReleasing(own, lockOf(read), rest));
      }
      // From the moment that it is pending it is gone for everybody; the rest can take its time.
      if (!(await hide(read))) return false;
      await clear({ ...read, stale: [] });
      return true;
    },

    async repair(item) {
      const read = readTokenItem(item);
      if (!read.isAbandoned(clock())) return;
      if (read.pending) await clear(read);
      else if (await claimRepair(item, read)) await settle(read);
    },
  };
}
