import { createHash } from 'node:crypto';
import { AwsError } from '../../aws-service.ts';
import { levelKeys, type Database } from '../database.ts';
import type { LevelOperation } from '../dynalite-types.ts';
import type { Body } from '../requests.ts';

const LIFETIME_MS = 10 * 60_000;

/** What a finished transaction leaves behind so that the same request again does nothing. */
export interface FinishedTransaction {
  readonly requestHash: string;
  readonly finishedAtMs: number;
  /** Sizes of the items that it touched: a repetition costs reading them. */
  readonly items: readonly { readonly tableName: string; readonly bytes: number }[];
}

/** Client request tokens of the last ten minutes. */
export interface TransactionTokens {
  /**
   * Throws AwsError IdempotentParameterMismatchException when the token came with another request.
   */
  find(token: string, requestHash: string, nowMs: number): FinishedTransaction | undefined;
  /**
   * The operations that store a token and remove those that are over; they belong into the
   * transaction's own batch.
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
   * When each token was made, the oldest first: those that are over are removed. Whether a
   * transaction was finished only the database knows: a batch may be refused, or not be.
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
