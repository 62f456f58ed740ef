import { randomBytes, randomUUID } from 'node:crypto';
import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../../core/shared/idempotency-store.ts';
import { answerKey, idempotencyKey } from './keys.ts';
import { getParts, PART_BYTES, putParts } from './parts.ts';
import { binary, fromItem, toItem, type Table } from './table-client.ts';
import { timeToLive } from './token-item.ts';
import { writeIf } from './write-if.ts';

/** How long an answer is kept (decisions.md, section 1). */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** How long a claim holds without an answer: longer than any function may run. */
const LEASE_MS = 60_000;
const SEED_BYTES = 32;

const recordItem = z.object({
  seed: binary,
  bodyHash: binary,
  attempt: z.string(),
  /** {@link RELEASED} once the attempt has given its claim back. */
  leaseUntil: z.number(),
  keptUntil: z.number(),
  /** Something ran that must not run twice. */
  ran: z._default(z.boolean(), false),
  answer: z.optional(binary),
  answerParts: z.optional(z.number()),
  /** Until when the answer may be given, if that is before `keptUntil`. */
  answerUntil: z.optional(z.number()),
});

const RELEASED = 0;

type Record = z.infer<typeof recordItem>;

/**
 * Idempotency records in the Ephemeral table: an item holds a claim first and the sealed answer later. The parts of an answer larger than
 * an item may be are written before the record counts them, each with a time to live: what nobody refers to goes by itself.
 */
export function createIdempotencyStore({ client, name }: Table): IdempotencyStore {
  const keyOf = (scope: IdempotencyScope) => idempotencyKey(scope.tenantId, scope.request);

  /** Writes a claim where there is none, or over one that was given back (`over`: its attempt). */
  async function claimNew(
    scope: IdempotencyScope,
    bodyHash: Buffer,
    now: number,
    over?: string,
  ): Promise<{ readonly claim: IdempotencyClaim } | { readonly existing: Record }> {
    const [seed, attempt, keptUntil] = [randomBytes(SEED_BYTES), randomUUID(), now + KEPT_MS];
    const item = toItem({
      ...keyOf(scope),
      seed,
      bodyHash,
      attempt,
      leaseUntil: now + LEASE_MS,
      keptUntil,
      ttl: timeToLive(keptUntil),
    });
    const command = new PutItemCommand({
      TableName: name,
      Item: item,
      ConditionExpression: `attribute_not_exists(pk) OR keptUntil <= :now${over === undefined ? '' : ' OR (attempt = :over AND leaseUntil = :released)'}`,
      ExpressionAttributeValues: toItem({
        ':now': now,
        ...(over !== undefined && { ':over': over, ':released': RELEASED }),
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const outcome = await writeIf(client, command);
    if (outcome === 'written') return { claim: { state: 'claimed', seed, startedAt: now, attempt } };
    if (outcome.found === undefined) throw outcome.error;
    const existing = recordItem.parse(fromItem(outcome.found));
    // An earlier attempt has written the claim, and its response was lost.
    if (existing.attempt === attempt)
      return {
        claim: { state: 'claimed', seed: existing.seed, startedAt: existing.keptUntil - KEPT_MS, attempt },
      };
    return { existing };
  }

  /** Takes over a claim whose holder has failed or died; `running` if another attempt was quicker, whose lease is as long. */
  async function takeOver(scope: IdempotencyScope, record: Record, now: number): Promise<IdempotencyClaim> {
    const attempt = randomUUID();
    const command = new UpdateItemCommand({
      TableName: name,
      Key: toItem({ ...keyOf(scope) }),
      UpdateExpression: 'SET attempt = :attempt, leaseUntil = :lease',
      ConditionExpression:
        'attempt IN (:held, :attempt) AND attribute_not_exists(ran) AND attribute_not_exists(answer) AND attribute_not_exists(answerParts)',
      ExpressionAttributeValues: toItem({
        ':attempt': attempt,
        ':lease': now + LEASE_MS,
        ':held': record.attempt,
      }),
    });
    if ((await writeIf(client, command)) !== 'written')
      return { state: 'running', leaseUntil: now + LEASE_MS };
    return { state: 'claimed', seed: record.seed, startedAt: record.keptUntil - KEPT_MS, attempt };
  }

  /** The answer of a record, if it is still there. */
  async function answerOf(scope: IdempotencyScope, record: Record, now: number): Promise<Buffer | undefined> {
    if (record.answerUntil !== undefined && record.answerUntil <= now) return undefined;
    if (record.answer !== undefined) return record.answer;
    const parts = answerKey(keyOf(scope), record.attempt);
    return getParts({ client, name }, parts, record.answerParts ?? 0);
  }

  /** Changes the record if this attempt still holds it; whether it does. */
  async function change(
    scope: IdempotencyScope,
    attempt: string,
    update: string,
    values: Readonly<globalThis.Record<string, unknown>>,
  ): Promise<boolean> {
    const command = new UpdateItemCommand({
      TableName: name,
      Key: toItem({ ...keyOf(scope) }),
      UpdateExpression: update,
      ConditionExpression: 'attempt = :attempt',
      ExpressionAttributeValues: toItem({ ...values, ':attempt': attempt }),
    });
    return (await writeIf(client, command)) === 'written';
  }

  /** An answer that ends before its record stands by itself, so that the sweep can take it away in time. */
  async function keepApart(
    scope: IdempotencyScope,
    attempt: string,
    sealedAnswer: Buffer,
    { keptUntil, until }: { readonly keptUntil: number; readonly until?: number },
  ) {
    const of = answerKey(keyOf(scope), attempt);
    const ends = { until: until ?? keptUntil, isSwept: until !== undefined };
    const count = await putParts({ client, name }, of, sealedAnswer, ends);
    if (until === undefined) await change(scope, attempt, 'SET answerParts = :count', { ':count': count });
    else
      await change(scope, attempt, 'SET answerParts = :count, answerUntil = :until', {
        ':count': count,
        ':until': until,
      });
  }

  return {
    async claim(scope, bodyHash, now, others = []): Promise<IdempotencyClaim> {
      const first = await claimNew(scope, bodyHash, now);
      if ('claim' in first) return first.claim;
      const record = first.existing;
      const isAnswered = record.answer !== undefined || record.answerParts !== undefined;
      if (![bodyHash, ...others].some((hash) => hash.equals(record.bodyHash))) {
        if (isAnswered || record.ran || record.leaseUntil !== RELEASED) return { state: 'other_body' };
        const anew = await claimNew(scope, bodyHash, now, record.attempt);
        return 'claim' in anew ? anew.claim : { state: 'running', leaseUntil: now + LEASE_MS };
      }
      if (isAnswered) {
        const sealedAnswer = await answerOf(scope, record, now);
        return sealedAnswer === undefined ? { state: 'ran' } : { state: 'answered', sealedAnswer };
      }
      if (record.leaseUntil > now) return { state: 'running', leaseUntil: record.leaseUntil };
      return record.ran ? { state: 'ran' } : takeOver(scope, record, now);
    },
    async keep(scope, attempt, sealedAnswer, { now, until }) {
      const ends = {
        keptUntil: now + KEPT_MS,
        ...(until !== undefined && until < now + KEPT_MS && { until }),
      };
      if (sealedAnswer.length > PART_BYTES || ends.until !== undefined)
        await keepApart(scope, attempt, sealedAnswer, ends);
      else await change(scope, attempt, 'SET answer = :answer', { ':answer': sealedAnswer });
    },
    markRun: (scope, attempt) => change(scope, attempt, 'SET ran = :yes', { ':yes': true }),
    async release(scope, attempt, hasRun) {
      const update = hasRun ? 'SET leaseUntil = :released' : 'SET leaseUntil = :released REMOVE ran';
      await change(scope, attempt, update, { ':released': RELEASED });
    },
  };
}
