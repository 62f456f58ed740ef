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
  const finished = new Map<string, FinishedTransaction>();
  const key = (token: string): string =>
    `${levelKeys.transactionTokens}${Buffer.from(token).toString('hex')}`;
  const stored: [string, FinishedTransaction][] = [];
  for await (const [hex, transaction] of database.entries(levelKeys.transactionTokens)) {
    stored.push([Buffer.from(hex, 'hex').toString(), transaction as FinishedTransaction]);
  }
  // The map is kept in the order of time, so that the tokens that are over come first.
  for (const [token, transaction] of stored.toSorted(([, a], [, b]) => a.finishedAtMs - b.finishedAtMs)) {
    finished.set(token, transaction);
  }

  function over(nowMs: number): readonly string[] {
    const tokens: string[] = [];
    for (const [token, { finishedAtMs }] of finished) {
      if (finishedAtMs + LIFETIME_MS > nowMs) break;
      tokens.push(token);
    }
    return tokens;
  }

  return {
    find: (token, hash, nowMs) => {
      const known = finished.get(token);
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
      for (const each of expired) finished.delete(each);
      finished.delete(token);
      finished.set(token, transaction);
      return [
        ...expired.map((each) => ({ type: 'del' as const, key: key(each) })),
        { type: 'put' as const, key: key(token), value: transaction },
      ];
    },
  };
}
