import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../src/core/applications/application.ts';
import type { Credential } from '../../src/core/applications/application-store.ts';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../../src/core/shared/idempotency-store.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import type { RequestLogLine } from '../../src/lambda/request-log.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { aVault } from '../support/builders/a-vault.ts';
import { KEY } from '../support/builders/an-event.ts';
import { someTenantKeys } from '../support/tenant-keys.ts';

const aRoot = { wrapped: Buffer.alloc(16), since: 1, addedAt: 1, startedAt: 1 };

interface Claimed {
  seed: Buffer;
  bodyHash: Buffer;
  attempt?: string | undefined;
  hasRun?: boolean;
  answer?: Buffer;
  answerUntil?: number | undefined;
}

/** The contract of {@link IdempotencyStore} in memory; a lease ends with its release alone. */
export function anIdempotencyStore() {
  const records = new Map<string, Claimed>();
  const at = (scope: IdempotencyScope) => `${scope.tenantId}/${scope.request}`;
  const held = (scope: IdempotencyScope, attempt: string) => {
    const record = records.get(at(scope));
    return record?.attempt === attempt ? record : undefined;
  };
  function claimOf(scope: IdempotencyScope, bodyHash: Buffer, now: number): IdempotencyClaim {
    const found = records.get(at(scope));
    const isFree = found?.attempt === undefined && found?.answer === undefined && found?.hasRun !== true;
    const isSame = found?.bodyHash.equals(bodyHash) ?? true;
    if (!isSame && !isFree) return { state: 'other_body' };
    const record = found !== undefined && isSame ? found : { seed: randomBytes(32), bodyHash };
    const { answer, answerUntil = Infinity } = record;
    if (answer !== undefined)
      return answerUntil <= now ? { state: 'ran' } : { state: 'answered', sealedAnswer: answer };
    if (record.attempt !== undefined) return { state: 'running', leaseUntil: now + 42_000 };
    if (record.hasRun === true) return { state: 'ran' };
    const attempt = randomBytes(8).toString('hex');
    records.set(at(scope), { ...record, attempt });
    return { state: 'claimed', seed: record.seed, startedAt: 0, attempt };
  }
  const store: IdempotencyStore = {
    claim: (scope, bodyHash, now) => Promise.resolve(claimOf(scope, bodyHash, now)),
    markRun(scope, attempt) {
      const record = held(scope, attempt);
      if (record !== undefined) record.hasRun = true;
      return Promise.resolve(record !== undefined);
    },
    keep(scope, attempt, sealedAnswer, { until }) {
      const record = held(scope, attempt);
      if (record !== undefined) Object.assign(record, { answer: sealedAnswer, answerUntil: until });
      return Promise.resolve();
    },
    release(scope, attempt, hasRun) {
      const record = held(scope, attempt);
      if (record !== undefined) Object.assign(record, { attempt: undefined, hasRun });
      return Promise.resolve();
    },
  };
  return { store, records };
}

/** Everything that the edge needs, in memory, and what it leaves behind. */
export function anEdge() {
  const lines: RequestLogLine[] = [];
  const hashOf = (key: string) => createHash('sha256').update(key).digest();
  const credentials = new Map<string, Credential>();
  const allow = (key: string, caller: Caller, more: Partial<Credential> = {}) =>
    credentials.set(hashOf(key).toString('hex'), { keyHash: hashOf(key), caller, ...more });
  allow(KEY, aCaller());
  const { store, records } = anIdempotencyStore();
  const findByKeyHash = (hash: Buffer) => Promise.resolve(credentials.get(hash.toString('hex')));
  const deps: ApiDeps = {
    credentialStore: { findByKeyHash },
    tenantBasicsStore: {
      basics: () =>
        Promise.resolve({ settings: { deduplicateTokens: false }, roots: [aRoot], keyVersion: 1 }),
    },
    sessionStore: { findByKeyHash },
    invocationCredentials: { findByKeyHash },
    clock: () => 1_000_000,
    idempotencyStore: store,
    tenantKeys: someTenantKeys(),
    vault: aVault(),
    headerPrefixes: ['SVC', 'ACME'],
    edgeSecret: [],
    log: (line) => lines.push(line),
  };
  return {
    deps,
    lines,
    records,
    allow,
    forget: (key: string) => credentials.delete(hashOf(key).toString('hex')),
  };
}
