import { randomBytes, randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../../core/shared/idempotency-store.ts';
import { idempotencyKey } from './keys.ts';
import { fromItem, send, toBuffer, toItem, type Item, type Table } from './table-client.ts';
import { timeToLive } from './token-item.ts';

/** How long an answer is kept (decisions.md, section 1). */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** How long a claim holds without an answer: longer than any function may run. */
const LEASE_MS = 60_000;
const SEED_BYTES = 32;
/** Largest sealed answer that is kept: DynamoDB's limit for an item is 400 KB. */
const ANSWER_MAX_BYTES = 390_000;

const recordItem = z.object({
  seed: z.instanceof(Uint8Array).transform(toBuffer),
  attempt: z.string(),
  leaseUntil: z.number(),
  keptUntil: z.number(),
  answer: z.instanceof(Uint8Array).transform(toBuffer).optional(),
});

type Record = z.infer<typeof recordItem>;

/**
 * Idempotency records in the Ephemeral table: an item holds a claim first and the sealed answer later. An answer larger than an item
 * may be (a token with hundreds of KB shown in full) is not kept; the request then runs once more and finds what it wrote.
 */
export function createIdempotencyStore({ client, name }: Table): IdempotencyStore {
  const keyOf = (scope: IdempotencyScope) => idempotencyKey(scope.tenantId, scope.request);

  async function claimNew(
    scope: IdempotencyScope,
    now: number,
  ): Promise<{ readonly claim: IdempotencyClaim } | { readonly existing: Item }> {
    const [seed, attempt, keptUntil] = [randomBytes(SEED_BYTES), randomUUID(), now + KEPT_MS];
    const item = toItem({
      ...keyOf(scope),
      seed,
      attempt,
      leaseUntil: now + LEASE_MS,
      keptUntil,
      ttl: timeToLive(keptUntil),
    });
    const command = new PutItemCommand({
      TableName: name,
      Item: item,
      ConditionExpression: 'attribute_not_exists(pk) OR keptUntil <= :now',
      ExpressionAttributeValues: toItem({ ':now': now }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await send(() => client.send(command));
      return { claim: { state: 'claimed', seed, attempt } };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException && error.Item !== undefined)
        return { existing: error.Item };
      throw error;
    }
  }

  /** Takes over a claim whose holder has failed or died; `running` if another attempt was quicker. */
  async function takeOver(scope: IdempotencyScope, record: Record, now: number): Promise<IdempotencyClaim> {
    const attempt = randomUUID();
    const command = new UpdateItemCommand({
      TableName: name,
      Key: toItem({ ...keyOf(scope) }),
      UpdateExpression: 'SET attempt = :attempt, leaseUntil = :lease',
      ConditionExpression: 'attempt = :held AND attribute_not_exists(answer)',
      ExpressionAttributeValues: toItem({
        ':attempt': attempt,
        ':lease': now + LEASE_MS,
        ':held': record.attempt,
      }),
    });
    try {
      await send(() => client.send(command));
      return { state: 'claimed', seed: record.seed, attempt };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { state: 'running' };
      throw error;
    }
  }

  /** Changes the record if this attempt still holds it. */
  async function change(
    scope: IdempotencyScope,
    attempt: string,
    update: string,
    values: Readonly<globalThis.Record<string, unknown>>,
  ) {
    const command = new UpdateItemCommand({
      TableName: name,
      Key: toItem({ ...keyOf(scope) }),
      UpdateExpression: update,
      ConditionExpression: 'attempt = :attempt',
      ExpressionAttributeValues: toItem({ ...values, ':attempt': attempt }),
    });
    try {
      await send(() => client.send(command));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  return {
    async claim(scope, now) {
      const first = await claimNew(scope, now);
      if ('claim' in first) return first.claim;
      const record = recordItem.parse(fromItem(first.existing));
      if (record.answer !== undefined) return { state: 'answered', sealedAnswer: record.answer };
      return record.leaseUntil > now ? { state: 'running' } : takeOver(scope, record, now);
    },
    async keep(scope, attempt, sealedAnswer, now) {
      const fits = sealedAnswer.length <= ANSWER_MAX_BYTES;
      if (fits) await change(scope, attempt, 'SET answer = :answer', { ':answer': sealedAnswer });
      else await change(scope, attempt, 'SET leaseUntil = :now', { ':now': now });
    },
    async release(scope, attempt) {
      await change(scope, attempt, 'SET leaseUntil = :none', { ':none': 0 });
    },
  };
}
