import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import type { DueWork } from '../../core/sweep/sweep.ts';
import { hasExpired } from '../../core/tokens/expiration.ts';
import { dueEntries } from './due-index.ts';
import { isPartKey, parseTokenPartition, type ItemKey } from './keys.ts';
import { isAbandoned, isTombstone, readTokenItem } from './token-item.ts';
import { createTokenReader } from './token-reader.ts';
import { STANDS_ALONE } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import { createTokenWriter } from './token-writer.ts';
import { tokenWrites } from './token-writes.ts';
import { conditionalWrite } from './conditional-write.ts';

/** Deletes expired tokens, and leftovers of interrupted multi-step writes. */
export function dueTokens(tables: TokenTables, clock: Clock): DueWork {
  const table = { ...tables, name: tables.tokensTable };
  const writes = tokenWrites(tables);
  const writer = createTokenWriter(tables, createTokenReader(tables), clock);

  async function act(key: ItemKey): Promise<void> {
    const command = writes.blindDeletion(parseTokenPartition(key.pk), {
      // This call deletes most tokens. If it cannot, it returns the token.
      ConditionExpression: `expiration.#at <= :now AND ${STANDS_ALONE.condition}`,
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ...STANDS_ALONE.values, ':now': clock() },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const outcome = await conditionalWrite(tables, command);
    if (outcome === 'written' || outcome.found === undefined || isTombstone(outcome.found)) return;
    const read = readTokenItem(outcome.found);
    if (isAbandoned(read, clock())) await writer.repair(read);
    else if (!read.pending && hasExpired(read.token, clock())) await writer.remove(read.token);
  }

  return {
    name: 'tokens',
    async *due(now) {
      for await (const entries of dueEntries(table, now)) {
        yield entries.map(({ key, dueAt }) => ({ dueAt, act: () => act(key) }));
      }
    },
  };
}

/**
 * Whether an item of the Ephemeral table is a cvc, or the response of code that received one. Both
 * have an `until`.
 */
function endsWithCvc({ sk }: ItemKey): boolean {
  return sk === 'cvc' || isPartKey(sk);
}

/**
 * Deletes expired cvc values, and responses of code that end with them. The token itself does not
 * change.
 */
export function dueCvcs(tables: TokenTables, clock: Clock): DueWork {
  const table = { ...tables, name: tables.ephemeralTable };
  async function act(key: ItemKey): Promise<void> {
    const command = new DeleteCommand({
      TableName: table.name,
      Key: key,
      // A cvc that was replaced in the meantime has a later end. `until` is a reserved word.
      ConditionExpression: '#until <= :now',
      ExpressionAttributeNames: { '#until': 'until' },
      ExpressionAttributeValues: { ':now': clock() },
    });
    await conditionalWrite(tables, command);
  }

  return {
    name: 'cvc',
    async *due(now) {
      for await (const entries of dueEntries(table, now)) {
        const cvcs = entries.filter(({ key }) => endsWithCvc(key));
        yield cvcs.map(({ key, dueAt }) => ({ dueAt, act: () => act(key) }));
      }
    },
  };
}
