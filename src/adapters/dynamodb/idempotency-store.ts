import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type {
  ClaimTimes,
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../../core/idempotency/idempotency-store.ts';
import { responseKey, idempotencyKey } from './keys.ts';
import { PART_BYTES, putParts, readParts } from './value-parts.ts';
import { binary, type Table } from './table-client.ts';
import { timeToLive } from './token-item.ts';
import { conditionalWrite } from './conditional-write.ts';

/** How long a response is stored (docs/contract.md#idempotency). */
const RETENTION_MS = 24 * 60 * 60 * 1000;
const SEED_BYTES = 32;

const recordItem = z.lazy(() =>
  z.object({
    seed: binary,
    bodyHash: binary,
    attempt: z.string(),
    startedAt: z.number(),
    /**
     * The end of the lease in ms since the epoch, or {@link RELEASED} after the attempt has
     * released its claim.
     */
    leaseUntil: z.number(),
    /** True if an effect that must not happen twice has happened. */
    hasRun: z.boolean(),
    encryptedResponse: z.exactOptional(binary),
    /** The number of parts that the encrypted response has next to the record. */
    partCount: z.exactOptional(z.number()),
    /** The end of the response, if it is earlier than the end of its record. */
    responseUntil: z.exactOptional(z.number()),
  }),
);

const RELEASED = 0;

type IdempotencyRecord = z.infer<typeof recordItem>;

const claimOf = ({ seed, startedAt, attempt }: IdempotencyRecord): IdempotencyClaim => ({
  state: 'claimed',
  seed,
  startedAt,
  attempt,
});

const keyOf = (scope: IdempotencyScope) => idempotencyKey(scope.tenantId, scope.request);

const IS_NEW = 'attribute_not_exists(pk)';
/** TTL deletes late, so an outdated record may still be there. */
const IS_OUTDATED = 'startedAt <= :outdated';
const IS_RELEASED = '(attempt = :over AND leaseUntil = :released)';
const FREE = [IS_NEW, IS_OUTDATED];

const IS_UNCHANGED = 'attempt IN (:previous, :attempt)';
const HAS_NOT_RUN = 'hasRun = :no';
const HAS_NO_RESPONSE = 'attribute_not_exists(encryptedResponse) AND attribute_not_exists(partCount)';

/**
 * Writes a claim. `over` is the released attempt to replace; without it, there must be no claim.
 */
async function claimNew(
  table: Table,
  scope: IdempotencyScope,
  bodyHash: Buffer,
  { now, leaseUntil }: ClaimTimes,
  over?: string,
): Promise<{ readonly claim: IdempotencyClaim } | { readonly existing: IdempotencyRecord }> {
  const { random } = table.platform;
  const seed = random.bytes(SEED_BYTES);
  const attempt = random.uuid();
  const record: IdempotencyRecord = {
    seed,
    bodyHash,
    attempt,
    startedAt: now,
    leaseUntil,
    hasRun: false,
  };
  const command = new PutCommand({
    TableName: table.name,
    Item: { ...keyOf(scope), ...record, ttl: timeToLive(now + RETENTION_MS) },
    ConditionExpression: (over === undefined ? FREE : [...FREE, IS_RELEASED]).join(' OR '),
    ExpressionAttributeValues: {
      ':outdated': now - RETENTION_MS,
      ...(over !== undefined && { ':over': over, ':released': RELEASED }),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const outcome = await conditionalWrite(table, command);
  if (outcome === 'written') return { claim: claimOf(record) };
  if (outcome.found === undefined) throw outcome.error;
  const existing = recordItem.parse(outcome.found);
  // An earlier attempt has written the claim, and its response was lost.
  return existing.attempt === attempt ? { claim: claimOf(existing) } : { existing };
}

/**
 * Takes over the claim of an attempt that failed or died. Returns `running` if another attempt was
 * faster, whose lease is about as long.
 */
async function takeOver(
  table: Table,
  scope: IdempotencyScope,
  record: IdempotencyRecord,
  leaseUntil: number,
): Promise<IdempotencyClaim> {
  const attempt = table.platform.random.uuid();
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...keyOf(scope) },
    UpdateExpression: 'SET attempt = :attempt, leaseUntil = :lease',
    ConditionExpression: [IS_UNCHANGED, HAS_NOT_RUN, HAS_NO_RESPONSE].join(' AND '),
    ExpressionAttributeValues: {
      ':attempt': attempt,
      ':lease': leaseUntil,
      ':previous': record.attempt,
      ':no': false,
    },
  });
  if ((await conditionalWrite(table, command)) !== 'written') return { state: 'running', leaseUntil };
  return claimOf({ ...record, attempt });
}

/** Reads the stored response of a record, if it still exists. */
async function responseOf(
  table: Table,
  scope: IdempotencyScope,
  record: IdempotencyRecord,
  now: number,
): Promise<Buffer | undefined> {
  if (record.responseUntil !== undefined && record.responseUntil <= now) return undefined;
  if (record.encryptedResponse !== undefined) return record.encryptedResponse;
  const of = responseKey(keyOf(scope), record.attempt);
  return readParts(table, of, record.partCount ?? 0);
}

const hasResponse = ({ encryptedResponse, partCount }: IdempotencyRecord): boolean =>
  encryptedResponse !== undefined || partCount !== undefined;

/** Claims a request under a key that another body has used. */
async function claimOther(
  table: Table,
  scope: IdempotencyScope,
  record: IdempotencyRecord,
  bodyHash: Buffer,
  times: ClaimTimes,
): Promise<IdempotencyClaim> {
  if (hasResponse(record) || record.hasRun || record.leaseUntil !== RELEASED) return { state: 'other_body' };
  const renewed = await claimNew(table, scope, bodyHash, times, record.attempt);
  return 'claim' in renewed ? renewed.claim : { state: 'running', leaseUntil: times.leaseUntil };
}

/** Claims a repeated request. */
async function claimSame(
  table: Table,
  scope: IdempotencyScope,
  record: IdempotencyRecord,
  { now, leaseUntil }: ClaimTimes,
): Promise<IdempotencyClaim> {
  if (hasResponse(record)) {
    const encryptedResponse = await responseOf(table, scope, record, now);
    return encryptedResponse === undefined ? { state: 'ran' } : { state: 'stored', encryptedResponse };
  }
  if (record.leaseUntil > now) return { state: 'running', leaseUntil: record.leaseUntil };
  return record.hasRun ? { state: 'ran' } : takeOver(table, scope, record, leaseUntil);
}

/** Sets members of the record if this attempt still owns it. Returns whether it does. */
async function change(
  table: Table,
  scope: IdempotencyScope,
  attempt: string,
  members: Partial<IdempotencyRecord>,
): Promise<boolean> {
  const values = Object.entries(members).map(([member, value]) => [`:${member}`, value] as const);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...keyOf(scope) },
    UpdateExpression: `SET ${Object.keys(members)
      .map((member) => `${member} = :${member}`)
      .join(', ')}`,
    ConditionExpression: 'attempt = :attempt',
    ExpressionAttributeValues: { ...Object.fromEntries(values), ':attempt': attempt },
  });
  return (await conditionalWrite(table, command)) === 'written';
}

/**
 * An item contains a claim first, later the encrypted response. The parts of a large response are
 * written before the item that counts them. A part without a reference expires by its TTL.
 */
export function createIdempotencyStore(table: Table): IdempotencyStore {
  return {
    async claim(scope, bodyHash, times, others = []): Promise<IdempotencyClaim> {
      const first = await claimNew(table, scope, bodyHash, times);
      if ('claim' in first) return first.claim;
      const isSame = [bodyHash, ...others].some((hash) => hash.equals(first.existing.bodyHash));
      return isSame
        ? claimSame(table, scope, first.existing, times)
        : claimOther(table, scope, first.existing, bodyHash, times);
    },
    async keep(scope, attempt, encryptedResponse, { now, until = Infinity }) {
      const end = Math.min(until, now + RETENTION_MS);
      const isSwept = until < now + RETENTION_MS;
      if (encryptedResponse.length <= PART_BYTES && !isSwept) {
        await change(table, scope, attempt, { encryptedResponse });
        return;
      }
      // A response that ends before its record is a separate item, so that the sweep can delete it
      // in time.
      const of = responseKey(keyOf(scope), attempt);
      const partCount = await putParts(table, of, encryptedResponse, { until: end, isSwept });
      await change(table, scope, attempt, { partCount, ...(isSwept && { responseUntil: end }) });
    },
    beginRun: (scope, attempt) => change(table, scope, attempt, { hasRun: true }),
    async release(scope, attempt, hasRun) {
      await change(table, scope, attempt, { leaseUntil: RELEASED, ...(!hasRun && { hasRun: false }) });
    },
  };
}
