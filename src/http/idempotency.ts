import { createHash, createHmac, type KeyObject } from 'node:crypto';
import type { Caller } from '../core/applications/application.ts';
import type { TenantKeys } from '../core/crypto/tenant-keys.ts';
import type { Vault } from '../core/crypto/vault.ts';
import type { Clock } from '../core/shared/clock.ts';
import { defined } from '../core/shared/defined.ts';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../core/shared/idempotency-store.ts';
import { canonical, type Json } from '../core/shared/json.ts';
import { runFreely, type RunOnce } from '../core/shared/run-once.ts';
import { canBeCvc, withoutAnyCvc } from '../core/shared/without-cvc.ts';
import { Secret } from '../core/shared/secret.ts';
import { invalid, ServiceError } from '../core/shared/service-error.ts';
import { noLongerKept } from '../core/tokens/kept-use.ts';
import { randomIdentity, repeatableIdentity, type WriteIdentity } from '../core/shared/write-identity.ts';
import type { ResponseHeader } from './reserved-headers.ts';
import type { RawAnswer } from './raw-answer.ts';
import type { MatchedRoute, RouteAnswer } from './route.ts';

export interface IdempotencyDeps {
  readonly idempotencyStore: IdempotencyStore;
  readonly tenantKeys: Pick<TenantKeys, 'current' | 'all'>;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** An answer before it becomes a response. */
export interface Answer {
  readonly status: number;
  readonly body?: Json;
  readonly raw?: RawAnswer;
  readonly reservedHeaders?: Readonly<Partial<Record<ResponseHeader, string>>>;
}

/** What an idempotency key needs to know of a request, and how it is run and replayed. */
export interface IdempotentRequest {
  /** The parsed body; `undefined` for a route that reads none. */
  readonly body: Json | undefined;
  run(writes: WriteIdentity, once: RunOnce): Promise<RouteAnswer>;
  /** The answer again, from what a route said to keep of it. */
  replay(kept: Json): Promise<RouteAnswer>;
}

/** What is sealed: the status, and either the whole body or what its route makes the body from. */
interface KeptAnswer {
  readonly status: number;
  readonly body?: Json;
  readonly kept?: Json;
}

const METHODS = new Set(['POST', 'PUT', 'PATCH']);
export const KEY_MAX_LENGTH = 400;

function checkedKey({ route, request }: MatchedRoute<never>): string | undefined {
  if (!METHODS.has(route.method) || route.idempotency === 'none') return undefined;
  const name = request.reserved.nameOf('idempotency-key');
  const key = request.reserved.get('idempotency-key');
  if (key === undefined) return undefined;
  if (key.length < 1 || key.length > KEY_MAX_LENGTH)
    throw invalid(name, `must be 1 to ${String(KEY_MAX_LENGTH)} characters`);
  return key;
}

function scopeOf(caller: Caller, matched: MatchedRoute<never>, key: string): IdempotencyScope {
  const { method, path } = matched.request;
  const request = createHash('sha256')
    .update(JSON.stringify([caller.credentialId, method, path, key]))
    .digest('base64url');
  return { tenantId: caller.tenantId, request };
}

const contextOf = ({ tenantId, request }: IdempotencyScope) => ({
  tenantId,
  recordId: request,
  field: 'idempotent-answer',
});

/**
 * HMAC-SHA-256 over what two bodies have in common that mean the same: members in any order, and no
 * cvc, which nothing may outlive. What is named so and cannot be one counts.
 */
async function bodyHashes({ tenantKeys }: IdempotencyDeps, tenantId: string, body: Json | undefined) {
  const [{ key }, all] = await Promise.all([
    tenantKeys.current(tenantId, 'idempotency'),
    tenantKeys.all(tenantId, 'idempotency'),
  ]);
  const text = body === undefined ? '' : JSON.stringify(canonical(withoutAnyCvc(body, canBeCvc)));
  const hashUnder = (each: KeyObject) => createHmac('sha256', each).update(text).digest();
  // Under the other root, of which there is one while it is being replaced.
  return { hash: hashUnder(key), others: all.filter((each) => each !== key).map(hashUnder) };
}

function refusal(
  claim: Exclude<IdempotencyClaim, { readonly state: 'claimed' | 'answered' }>,
  now: number,
): ServiceError {
  if (claim.state === 'other_body')
    return new ServiceError('key_reused', 'The idempotency key was used with another body.');
  if (claim.state === 'ran') return noLongerKept();
  const leftSeconds = Math.max(1, Math.ceil((claim.leaseUntil - now) / 1000));
  return new ServiceError('conflict', 'A request with this idempotency key is still running.', {
    headers: { 'Retry-After': String(leftSeconds) },
  });
}

async function replayed(
  deps: IdempotencyDeps,
  scope: IdempotencyScope,
  sealedAnswer: Buffer,
  request: IdempotentRequest,
): Promise<Answer> {
  const opened = await deps.vault.open(contextOf(scope), sealedAnswer);
  // The answer was kept by this module alone, and the seal proves it unchanged.
  const { kept, ...answer } = opened.reveal() as unknown as KeptAnswer;
  if (kept === undefined) return answer;
  const { body } = await request.replay(kept);
  return defined({ status: answer.status, body });
}

/**
 * Runs a request under its idempotency key, if it has one: the outcome of the first success is
 * kept, sealed, for 24 hours and replayed; a second request meanwhile gets `conflict`, one with
 * another body `key_reused`; failures are not kept (docs/contract.md#idempotency).
 */
export async function withIdempotency(
  deps: IdempotencyDeps,
  caller: Caller,
  matched: MatchedRoute<never>,
  request: IdempotentRequest,
): Promise<Answer> {
  const { route } = matched;
  const key = checkedKey(matched);
  if (key === undefined || route.idempotency === 'read_only')
    return answerOf(route.success, await request.run(randomIdentity, runFreely));
  const scope = scopeOf(caller, matched, key);
  const { hash, others } = await bodyHashes(deps, caller.tenantId, request.body);
  const now = deps.clock();
  const claim = await deps.idempotencyStore.claim(scope, hash, now, others);
  if (claim.state === 'answered') return replayed(deps, scope, claim.sealedAnswer, request);
  if (claim.state !== 'claimed') throw refusal(claim, now);
  return runClaimed(deps, scope, claim, async (writes, once) => {
    const outcome = await request.run(writes, once);
    const answer = answerOf(route.success, outcome);
    const kept: KeptAnswer =
      outcome.kept === undefined ? answer : { status: answer.status, kept: outcome.kept };
    const sealed = await deps.vault.seal(contextOf(scope), new Secret(kept as unknown as Json));
    const times = defined({ now: deps.clock(), until: outcome.keepUntil });
    await deps.idempotencyStore.keep(scope, claim.attempt, sealed, times);
    return answer;
  });
}

function answerOf(
  success: number,
  { status = success, kept: _, keepUntil: __, ...answer }: RouteAnswer,
): Answer {
  return { status, ...answer };
}

/**
 * Runs something under a claim, which is given back if it fails: also if the answer cannot be kept,
 * since the next attempt finds what was written.
 */
async function runClaimed(
  deps: IdempotencyDeps,
  scope: IdempotencyScope,
  claim: Extract<IdempotencyClaim, { readonly state: 'claimed' }>,
  run: (writes: WriteIdentity, once: RunOnce) => Promise<Answer>,
): Promise<Answer> {
  const store = deps.idempotencyStore;
  let hasRun = false;
  const once: RunOnce = {
    async begin() {
      hasRun = true;
      if (await store.markRun(scope, claim.attempt)) return;
      throw new ServiceError('conflict', 'Another request with this idempotency key has taken over.');
    },
    mayRepeat() {
      hasRun = false;
    },
  };
  try {
    return await run(repeatableIdentity(claim.seed, claim.startedAt), once);
  } catch (error) {
    // What failed first is what is told; a claim that cannot be given back ends with its lease.
    await store.release(scope, claim.attempt, hasRun).catch(() => undefined);
    throw error;
  }
}
