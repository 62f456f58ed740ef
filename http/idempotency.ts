import { createHash } from 'node:crypto';
import type { Caller } from '../core/applications/application.ts';
import type { Vault } from '../core/crypto/vault.ts';
import type { Clock } from '../core/shared/clock.ts';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../core/shared/idempotency-store.ts';
import type { Json } from '../core/shared/json.ts';
import { Secret } from '../core/shared/secret.ts';
import { invalid, ServiceError } from '../core/shared/service-error.ts';
import { randomIdentity, repeatableIdentity, type WriteIdentity } from '../core/shared/write-identity.ts';
import type { ReservedHeader } from './reserved-headers.ts';
import type { RawAnswer } from './raw-answer.ts';
import type { MatchedRoute } from './route.ts';

export interface IdempotencyDeps {
  readonly idempotencyStore: IdempotencyStore;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** An answer before it becomes a response. */
export interface Answer {
  readonly status: number;
  readonly body?: Json;
  readonly raw?: RawAnswer;
  readonly reservedHeaders?: Readonly<Partial<Record<ReservedHeader, string>>>;
}

const METHODS = new Set(['POST', 'PUT', 'PATCH']);
const KEY_MAX_LENGTH = 400;

function checkedKey(matched: MatchedRoute<never>): string | undefined {
  if (!METHODS.has(matched.route.method)) return undefined;
  const name = matched.request.reserved.nameOf('idempotency-key');
  const key = matched.request.reserved.get('idempotency-key');
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
 * Runs a request under its idempotency key, if it has one: the first success is kept, sealed, for 24 hours and replayed; a second
 * request meanwhile gets `conflict`; failures are not kept (decisions.md, section 1).
 */
export async function withIdempotency(
  deps: IdempotencyDeps,
  caller: Caller,
  matched: MatchedRoute<never>,
  run: (writes: WriteIdentity) => Promise<Answer>,
): Promise<Answer> {
  const key = checkedKey(matched);
  if (key === undefined || matched.route.safe === true) return run(randomIdentity);
  const scope = scopeOf(caller, matched, key);
  const claim = await deps.idempotencyStore.claim(scope, deps.clock());
  if (claim.state === 'running') {
    throw new ServiceError('conflict', 'A request with this idempotency key is still running.', {
      headers: { 'Retry-After': '1' },
    });
  }
  // The answer was kept by this module alone, and the seal proves it unchanged.
  if (claim.state === 'answered')
    return (await deps.vault.open(contextOf(scope), claim.sealedAnswer)).reveal() as unknown as Answer;
  return runClaimed(deps, scope, claim, async (writes) => {
    const answer = await run(writes);
    const keep = matched.route.keep;
    const kept =
      keep === undefined || answer.body === undefined ? answer : { ...answer, body: keep(answer.body) };
    const sealed = await deps.vault.seal(contextOf(scope), new Secret(kept as unknown as Json));
    await deps.idempotencyStore.keep(scope, claim.attempt, sealed, deps.clock());
    return answer;
  });
}

/** Runs something under a claim, which is given back if it fails: also if the answer cannot be kept, since the next attempt finds what was written. */
async function runClaimed(
  deps: IdempotencyDeps,
  scope: IdempotencyScope,
  claim: Extract<IdempotencyClaim, { readonly state: 'claimed' }>,
  run: (writes: WriteIdentity) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run(repeatableIdentity(claim.seed, claim.startedAt));
  } catch (error) {
    // What failed first is what is told; a claim that cannot be given back ends with its lease.
    await deps.idempotencyStore.release(scope, claim.attempt).catch(() => undefined);
    throw error;
  }
}
