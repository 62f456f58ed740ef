import { createHash } from 'node:crypto';
import { AwsError } from '../../aws-service.ts';
import { levelKeys, type Database } from '../database.ts';
import type { LevelOperation } from '../dynalite-types.ts';
import type { Body } from '../requests.ts';

const LIFETIME_MS = 10 * 60_000;

/** The record of a finished transaction, so that repeating the request has no effect. */
export interface FinishedTransaction {
  readonly requestHash: string;
  readonly finishedAtMs: number;
  /** Sizes of its items: a repetition costs reading them. */
  readonly items: readonly { readonly tableName: string; readonly bytes: number }[];
}

/** Remembers the client request tokens of the last ten minutes. */
export interface TransactionTokens {
  /**
   * Throws AwsError IdempotentParameterMismatchException if the token was used with another
   * request.
   */
  find(token: string, requestHash: string, nowMs: number): FinishedTransaction | undefined;
  /**
   * The operations that store a token and delete expired ones; they belong to the transaction's own
   * batch.
   */
  operations(token: string, transaction: FinishedTransaction): readonly LevelOperation[];
}

export function requestHash({ TransactItems }: Body): string {
  return createHash('sha256').update(JSON.stringify(TransactItems)).digest('base64');
}

export async function openTransactionTokens(database: Database): Promise<TransactionTokens> {
  const key = (token: string): string =>
    `${levelKeys.transactionTokens}${Buffer.from(token).toString('hex')}`;
  const stored: [string, number][] = [];
  for await (const [hex, transaction] of database.entries(levelKeys.transactionTokens)) {
    stored.push([Buffer.from(hex, 'hex').toString(), (transaction as FinishedTransaction).finishedAtMs]);
  }
  /**
   * The creation time of each token, oldest first, to delete expired ones. Only the database knows
   * whether a transaction finished, since the disk may refuse its batch.
   */
  const madeAtMs = new Map(stored.toSorted(([, a], [, b]) => a - b));

  function over(nowMs: number): readonly string[] {
    const tokens: string[] = [];
    for (const [token, atMs] of madeAtMs) {
      if (atMs + LIFETIME_MS > nowMs) break;
      tokens.push(token);
    }
    return tokens;
  }

  return {
    find: (token, hash, nowMs) => {
      const known = database.read(key(token)) as FinishedTransaction | undefined;
      if (known === undefined || known.finishedAtMs + LIFETIME_MS <= nowMs) return undefined;
      if (known.requestHash === hash) return known;
      throw new AwsError(
        'IdempotentParameterMismatchException',
        400,
        'DynamoDB rejected the request because you retried a request with a different payload but with an idempotent ' +
          'token that was already used.',
      );
    },
    operations: (token, transaction) => {
      const expired = over(transaction.finishedAtMs);
      for (const each of expired) madeAtMs.delete(each);
      madeAtMs.delete(token);
      madeAtMs.set(token, transaction.finishedAtMs);
      return [
        ...expired.map((each) => ({ type: 'del' as const, key: key(each) })),
        { type: 'put' as const, key: key(token), value: transaction },
      ];
    },
  };
}
