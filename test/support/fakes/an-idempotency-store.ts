import { randomBytes } from 'node:crypto';
import type {
  ClaimTimes,
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../../../src/core/idempotency/idempotency-store.ts';
import { at } from './by-tenant.ts';

export interface IdempotencyRecord {
  seed: Buffer;
  bodyHash: Buffer;
  attempt: string;
  startedAt: number;
  leaseUntil: number;
  hasRun: boolean;
  response?: Buffer;
  responseUntil?: number;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;
/** A released claim has this lease. */
const RELEASED = 0;

/** Implements {@link IdempotencyStore} in memory. */
export function anIdempotencyStore() {
  const records = new Map<string, IdempotencyRecord>();
  const placeOf = ({ tenantId, request }: IdempotencyScope) => at(tenantId, request);
  const change = (scope: IdempotencyScope, attempt: string, members: Partial<IdempotencyRecord>) => {
    const record = records.get(placeOf(scope));
    if (record?.attempt !== attempt) return false;
    Object.assign(record, members);
    return true;
  };
  const claimed = (scope: IdempotencyScope, record: IdempotencyRecord): IdempotencyClaim => {
    records.set(placeOf(scope), record);
    const { seed, startedAt, attempt } = record;
    return { state: 'claimed', seed, startedAt, attempt };
  };

  function claim(
    scope: IdempotencyScope,
    bodyHash: Buffer,
    { now, leaseUntil: ownUntil }: ClaimTimes,
    others: readonly Buffer[] = [],
  ): IdempotencyClaim {
    const lease = { attempt: randomBytes(8).toString('hex'), leaseUntil: ownUntil };
    const renewed = { seed: randomBytes(32), bodyHash, startedAt: now, hasRun: false, ...lease };
    const record = records.get(placeOf(scope));
    if (record === undefined || record.startedAt <= now - RETENTION_MS) return claimed(scope, renewed);
    const { response, responseUntil = Infinity, hasRun, leaseUntil } = record;
    if (![bodyHash, ...others].some((hash) => hash.equals(record.bodyHash))) {
      const isReleased = response === undefined && !hasRun && leaseUntil === RELEASED;
      return isReleased ? claimed(scope, renewed) : { state: 'other_body' };
    }
    if (response !== undefined)
      return responseUntil <= now ? { state: 'ran' } : { state: 'stored', encryptedResponse: response };
    if (leaseUntil > now) return { state: 'running', leaseUntil };
    return hasRun ? { state: 'ran' } : claimed(scope, { ...record, ...lease });
  }

  const store: IdempotencyStore = {
    claim: (...input) => Promise.resolve(claim(...input)),
    beginRun: (scope, attempt) => Promise.resolve(change(scope, attempt, { hasRun: true })),
    keep(scope, attempt, response, { until }) {
      change(scope, attempt, { response, ...(until !== undefined && { responseUntil: until }) });
      return Promise.resolve();
    },
    release(scope, attempt, hasRun) {
      change(scope, attempt, { leaseUntil: RELEASED, ...(!hasRun && { hasRun }) });
      return Promise.resolve();
    },
  };
  return { store, records };
}
