import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import type { DueWork } from '../../core/sweep/sweep.ts';
import { hasExpired } from '../../core/tokens/expiration.ts';
import { dueEntries } from './due-index.ts';
import { isPartKey, type ItemKey } from './keys.ts';
import { isAbandoned, readTokenItem } from './token-item.ts';
import { createTokenReader } from './token-reader.ts';
import { STANDS_ALONE } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import { createTokenWriter } from './token-writer.ts';
import { writeIf } from './write-if.ts';

/** Expired tokens, and what writers of several steps have left behind. */
export function dueTokens(tables: TokenTables, clock: Clock): DueWork {
  const { client, tokensTable } = tables;
  const writer = createTokenWriter(tables, createTokenReader(tables), clock);

  async function act(key: ItemKey): Promise<void> {
    const command = new DeleteCommand({
      TableName: tokensTable,
      Key: key,
      // Most tokens go by this call. Of one that stays, the refusal returns what there is.
      ConditionExpression: `expiration.#at <= :now AND ${STANDS_ALONE.condition}`,
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ...STANDS_ALONE.values, ':now': clock() },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const outcome = await writeIf(client, command);
    if (outcome === 'written' || outcome.found === undefined) return;
    const read = readTokenItem(outcome.found);
    if (isAbandoned(read, clock())) await writer.repair(read);
    else if (!read.pending && hasExpired(read.token, clock())) await writer.remove(read.token);
  }

  return {
    name: 'tokens',
    async *due(now) {
      for await (const entries of dueEntries({ client, name: tokensTable }, now)) {
        yield entries.map(({ key, dueAt }) => ({ dueAt, act: () => act(key) }));
      }
    },
  };
}

/**
 * Whether an item of the Ephemeral table is a cvc, or what code that was given one answered: it has
 * an `until`.
 */
function endsWithCvc({ sk }: ItemKey): boolean {
  return sk === 'cvc' || isPartKey(sk);
}

/**
 * Values of cvc whose life is over, and answers of code that end with them. The token itself stays
 * as it is.
 */
export function dueCvcs({ client, ephemeralTable }: TokenTables, clock: Clock): DueWork {
  async function act(key: ItemKey): Promise<void> {
    const command = new DeleteCommand({
      TableName: ephemeralTable,
      Key: key,
      // A cvc that was set anew meanwhile has an hour of its own; `until` is a reserved word.
      ConditionExpression: '#until <= :now',
      ExpressionAttributeNames: { '#until': 'until' },
      ExpressionAttributeValues: { ':now': clock() },
    });
    await writeIf(client, command);
  }

  return {
    name: 'cvc',
    async *due(now) {
      for await (const entries of dueEntries({ client, name: ephemeralTable }, now)) {
        const cvcs = entries.filter(({ key }) => endsWithCvc(key));
        yield cvcs.map(({ key, dueAt }) => ({ dueAt, act: () => act(key) }));
      }
    },
  };
}
