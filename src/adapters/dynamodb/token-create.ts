import type { TransactWriteItem } from './table-client.ts';
import type { Clock } from '../../core/shared/clock.ts';
import type { UnprovenTokenStore, TokenWrite, WriteConflict } from '../../core/tokens/token-store.ts';
import { dueAt, listAttributes } from './token-item.ts';
import type { WriteConflicts } from './write-conflicts.ts';
import { summaryOf } from './token-parts.ts';
import type { TokenRemoval } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import { beingCreated, tokenWrites, UNFINISHED_MS, type TokenWrites } from './token-writes.ts';
import { sendTransaction } from './transact.ts';
import { entryBytes, fits, packed, TRANSACTION_BYTES, tokenBytes, type Share } from './transaction-size.ts';
import type { WriteCalls } from './write-calls.ts';
import { writeGuarded, type GuardedWrites } from './guarded-writes.ts';

interface CreateContext {
  readonly tables: TokenTables;
  readonly writes: TokenWrites;
  readonly calls: WriteCalls;
  readonly removal: TokenRemoval;
  readonly conflicts: WriteConflicts;
  readonly clock: Clock;
}

/** Makes the items of a new token, except its entries. */
function shareOf(
  { writes }: CreateContext,
  write: TokenWrite,
  unfinished?: Parameters<typeof writes.token>[3],
): Share & { readonly items: readonly TransactWriteItem[] } {
  const { token, cvc } = write;
  const items = [
    { Put: writes.token(token, 'attribute_not_exists(pk)', {}, unfinished) },
    ...writes.parts(token),
    ...(cvc === undefined || cvc === 'removed' ? [] : [writes.cvc(token, cvc)]),
    ...(token.holdsLock ? [writes.lock(write)] : []),
  ];
  return { items, bytes: tokenBytes(token) };
}

const entriesOf = ({ writes }: CreateContext, { token }: TokenWrite) =>
  token.terms.map((term) => writes.entry(token, term));

const guardedEntries = (context: CreateContext, write: TokenWrite): GuardedWrites => ({
  guard: context.writes.check(write.token, beingCreated(write.token)),
  guardBytes: tokenBytes(summaryOf(write.token)),
  writes: entriesOf(context, write),
  writeBytes: entryBytes(write.token),
});

/** Makes a pending token visible. */
function reveal({ tables, writes }: CreateContext, { token }: TokenWrite): TransactWriteItem {
  const { listPk, listSk } = listAttributes(token, tables.listShards);
  const { duePk, dueSk } = dueAt(token.id, token.expiration?.at);
  const isDue = dueSk !== undefined;
  const condition = beingCreated(token);
  return {
    Update: {
      ...writes.key(token),
      UpdateExpression: isDue
        ? 'SET listPk = :listPk, listSk = :listSk, duePk = :duePk, dueSk = :dueSk REMOVE pending'
        : 'SET listPk = :listPk, listSk = :listSk REMOVE pending, duePk, dueSk',
      ...condition,
      ExpressionAttributeValues: {
        ...condition.ExpressionAttributeValues,
        ':listPk': listPk,
        ':listSk': listSk,
        ...(isDue && { ':duePk': duePk, ':dueSk': dueSk }),
      },
    },
  };
}

/**
 * The last step updates the items of all tokens in one transaction, and DynamoDB counts their full
 * size, so large data is in parts.
 */
function outOfTheWay(context: CreateContext, listed: readonly TokenWrite[]): readonly TokenWrite[] {
  const isInItem = ({ token }: TokenWrite) => summaryOf(token).encryptedData !== undefined;
  const bytes = listed.filter(isInItem).reduce((sum, write) => sum + shareOf(context, write).bytes, 0);
  if (bytes <= TRANSACTION_BYTES) return listed;
  return listed.map((write) =>
    isInItem(write) ? { ...write, token: { ...write.token, isApart: true } } : write,
  );
}

async function inSteps(
  context: CreateContext,
  listed: readonly TokenWrite[],
  writeId: Buffer,
): Promise<'written' | WriteConflict> {
  const { tables, clock, calls, conflicts, removal } = context;
  const tokens = outOfTheWay(context, listed);
  const unfinished = { until: clock() + UNFINISHED_MS, pending: true } as const;
  const staged: TokenWrite[] = [];
  try {
    for (const group of packed(tokens.map((write) => ({ write, ...shareOf(context, write, unfinished) })))) {
      // A transaction even for one item, because its request token makes a late copy do nothing.
      await sendTransaction(
        tables,
        group.flatMap(({ items }) => items),
      );
      staged.push(...group.map(({ write }) => write));
      await writeGuarded(
        tables,
        group.map(({ write }) => guardedEntries(context, write)),
      );
    }
    await calls.transact(tokens.map((value) => reveal(context, value)));
    return 'written';
  } catch (error) {
    const conflict = await conflicts.ofCreate(error, writeId);
    await Promise.all(
      staged.map(({ token }) => removal.clear({ token: summaryOf(token), isLeaving: false })),
    );
    return conflict;
  }
}

/**
 * Creates tokens in one transaction (100 writes, 4 MB), and a plain one by PutItem. Larger writes
 * show nothing until their last step (docs/storage.md#writes-of-several-steps).
 */
export function createTokenCreate(
  tables: TokenTables,
  calls: WriteCalls,
  removal: TokenRemoval,
  conflicts: WriteConflicts,
  clock: Clock,
): UnprovenTokenStore['create'] {
  const writes = tokenWrites(tables);
  const context = { tables, writes, calls, removal, conflicts, clock };

  return async (tokens) => {
    const writeId = tokens[0]?.token.writeId ?? Buffer.alloc(0);
    const shares = tokens.map((write) => shareOf(context, write));
    const items = [
      ...shares.flatMap((share) => share.items),
      ...tokens.flatMap((value) => entriesOf(context, value)),
    ];
    const bytes =
      shares.reduce((sum, share) => sum + share.bytes, 0) +
      tokens.reduce((sum, { token }) => sum + token.terms.length * entryBytes(token), 0);
    if (!fits(items.length, bytes)) return inSteps(context, tokens, writeId);
    try {
      await calls.transact(items);
      return 'written';
    } catch (error) {
      return conflicts.ofCreate(error, writeId);
    }
  };
}
