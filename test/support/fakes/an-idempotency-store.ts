import { randomBytes } from 'node:crypto';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../../../src/core/shared/idempotency-store.ts';
import { at } from './by-tenant.ts';

export interface IdempotencyRecord {
  seed: Buffer;
  bodyHash: Buffer;
  attempt: string;
  startedAt: number;
  leaseUntil: number;
  hasRun: boolean;
  answer?: Buffer;
  answerUntil?: number;
}

const KEPT_MS = 24 * 60 * 60 * 1000;
const LEASE_MS = 60_000;
/** The lease of a claim that was given back. */
const RELEASED = 0;

/** The contract of {@link IdempotencyStore} in memory. */
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
    now: number,
    others: readonly Buffer[] = [],
  ): IdempotencyClaim {
    const lease = { attempt: randomBytes(8).toString('hex'), leaseUntil: now + LEASE_MS };
    const anew = { seed: randomBytes(32), bodyHash, startedAt: now, hasRun: false, ...lease };
    const record = records.get(placeOf(scope));
    if (record === undefined || record.startedAt <= now - KEPT_MS) return claimed(scope, anew);
    const { answer, answerUntil = Infinity, hasRun, leaseUntil } = record;
    if (![bodyHash, ...others].some((hash) => hash.equals(record.bodyHash))) {
      const isGivenBack = answer === undefined && !hasRun && leaseUntil === RELEASED;
      return isGivenBack ? claimed(scope, anew) : { state: 'other_body' };
    }
    if (answer !== undefined)
      return answerUntil <= now ? { state: 'ran' } : { state: 'answered', sealedAnswer: answer };
    if (leaseUntil > now) return { state: 'running', leaseUntil };
    return hasRun ? { state: 'ran' } : claimed(scope, { ...record, ...lease });
  }

  const store: IdempotencyStore = {
    claim: (...given) => Promise.resolve(claim(...given)),
    markRun: (scope, attempt) => Promise.resolve(change(scope, attempt, { hasRun: true })),
    keep(scope, attempt, answer, { until }) {
      change(scope, attempt, { answer, ...(until !== undefined && { answerUntil: until }) });
      return Promise.resolve();
    },
    release(scope, attempt, hasRun) {
      change(scope, attempt, { leaseUntil: RELEASED, ...(!hasRun && { hasRun }) });
      return Promise.resolve();
    },
  };
  return { store, records };
}
