import { randomBytes, randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../../core/shared/idempotency-store.ts';
import { answerKey, idempotencyKey } from './keys.ts';
import { getParts, PART_BYTES, putParts } from './parts.ts';
import { binary, fromItem, send, toItem, type Table } from './table-client.ts';
import { timeToLive } from './token-item.ts';

/** How long an answer is kept (decisions.md, section 1). */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** How long a claim holds without an answer: longer than any function may run. */
const LEASE_MS = 60_000;
const SEED_BYTES = 32;

const recordItem = z.object({
  seed: binary,
  attempt: z.string(),
  leaseUntil: z.number(),
  keptUntil: z.number(),
  answer: z.optional(binary),
  answerParts: z.optional(z.number()),
});

type Record = z.infer<typeof recordItem>;

/**
 * Idempotency records in the Ephemeral table: an item holds a claim first and the sealed answer later. The parts of an answer larger than
 * an item may be are written before the record counts them, each with a time to live: what nobody refers to goes by itself.
 */
export function createIdempotencyStore({ client, name }: Table): IdempotencyStore {
  const keyOf = (scope: IdempotencyScope) => idempotencyKey(scope.tenantId, scope.request);

  async function claimNew(
    scope: IdempotencyScope,
    now: number,
  ): Promise<{ readonly claim: IdempotencyClaim } | { readonly existing: Record }> {
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
      return { claim: { state: 'claimed', seed, startedAt: now, attempt } };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
      const existing = recordItem.parse(fromItem(error.Item));
      // The claim was written, and its answer was lost on the way.
      if (existing.attempt === attempt)
        return {
          claim: { state: 'claimed', seed: existing.seed, startedAt: existing.keptUntil - KEPT_MS, attempt },
        };
      return { existing };
    }
  }

  /** Takes over a claim whose holder has failed or died; `running` if another attempt was quicker. */
  async function takeOver(scope: IdempotencyScope, record: Record, now: number): Promise<IdempotencyClaim> {
    const attempt = randomUUID();
    const command = new UpdateItemCommand({
      TableName: name,
      Key: toItem({ ...keyOf(scope) }),
      UpdateExpression: 'SET attempt = :attempt, leaseUntil = :lease',
      ConditionExpression:
        'attempt IN (:held, :attempt) AND attribute_not_exists(answer) AND attribute_not_exists(answerParts)',
      ExpressionAttributeValues: toItem({
        ':attempt': attempt,
        ':lease': now + LEASE_MS,
        ':held': record.attempt,
      }),
    });
    try {
      await send(() => client.send(command));
      return { state: 'claimed', seed: record.seed, startedAt: record.keptUntil - KEPT_MS, attempt };
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

  async function keepParts(
    scope: IdempotencyScope,
    attempt: string,
    sealedAnswer: Buffer,
    keptUntil: number,
  ) {
    const count = await putParts({ client, name }, answerKey(keyOf(scope), attempt), sealedAnswer, keptUntil);
    await change(scope, attempt, 'SET answerParts = :count', { ':count': count });
  }

  return {
    async claim(scope, now) {
      const first = await claimNew(scope, now);
      if ('claim' in first) return first.claim;
      const record = first.existing;
      if (record.answer !== undefined) return { state: 'answered', sealedAnswer: record.answer };
      if (record.answerParts !== undefined) {
        const parts = answerKey(keyOf(scope), record.attempt);
        const sealedAnswer = await getParts({ client, name }, parts, record.answerParts);
        return { state: 'answered', sealedAnswer };
      }
      return record.leaseUntil > now ? { state: 'running' } : takeOver(scope, record, now);
    },
    async keep(scope, attempt, sealedAnswer, now) {
      if (sealedAnswer.length > PART_BYTES) await keepParts(scope, attempt, sealedAnswer, now + KEPT_MS);
      else await change(scope, attempt, 'SET answer = :answer', { ':answer': sealedAnswer });
    },
    async release(scope, attempt) {
      await change(scope, attempt, 'SET leaseUntil = :none', { ':none': 0 });
    },
  };
}
