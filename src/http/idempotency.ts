import { createHash, createHmac, type KeyObject } from 'node:crypto';
import type { Caller } from '../core/access/caller.ts';
import type { TenantKeys } from '../core/crypto/tenant-keys.ts';
import type { Vault } from '../core/crypto/vault.ts';
import { defined } from '../core/shared/defined.ts';
import type {
  IdempotencyClaim,
  IdempotencyScope,
  IdempotencyStore,
} from '../core/idempotency/idempotency-store.ts';
import { canonical, type Json } from '../core/shared/json.ts';
import { LEASE_MARGIN_MS, runClaimed, stillRunning } from '../core/idempotency/run-claimed.ts';
import { runFreely, type RunOnce } from '../core/idempotency/run-once.ts';
import { mayBeCvc, withoutAnyCvc } from '../core/tokens/without-cvc.ts';
import { entityTag } from '../core/shared/revision.ts';
import { Secret } from '../core/shared/secret.ts';
import { invalid, ServiceError } from '../core/shared/service-error.ts';
import { resultNotAvailable } from '../core/tokens/token-use.ts';
import { randomIdentity, repeatableIdentity, type WriteIdentity } from '../core/shared/write-identity.ts';
import type { ResponseHeader } from './reserved-headers.ts';
import type { RawResponse } from './raw-response.ts';
import type { MatchedRoute, RouteResult } from './route.ts';
import type { Platform } from '../core/shared/platform.ts';

export interface IdempotencyDeps extends Pick<Platform, 'clock' | 'random'> {
  readonly idempotencyStore: IdempotencyStore;
  readonly tenantKeys: Pick<TenantKeys, 'current' | 'all'>;
  readonly vault: Vault;
}

/** The content of a response before it is encoded. */
export interface ResponseContent {
  readonly status: number;
  readonly body?: Json;
  readonly raw?: RawResponse;
  /** The resource in it has this entity tag. */
  readonly tag?: string;
  readonly reservedHeaders?: Readonly<Partial<Record<ResponseHeader, string>>>;
}

/** A request under an idempotency key: its body, and how it runs and replays. */
export interface IdempotentRequest {
  /** The parsed body; `undefined` for a route that reads none. */
  readonly body: Json | undefined;
  run(writes: WriteIdentity, once: RunOnce): Promise<RouteResult>;
  /** Builds the response again from the replay data of its route. */
  replay(replayData: Json): Promise<RouteResult>;
}

/**
 * The encrypted record, which has the status and either the whole body or the replay data of its
 * route.
 */
interface StoredResponse {
  readonly status: number;
  readonly body?: Json;
  readonly tag?: string;
  readonly replayData?: Json;
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
  field: 'idempotent-response',
});

/**
 * HMAC-SHA-256 of the condition and the body, with its members sorted and every cvc removed, since
 * no stored hash may outlive a cvc. Lenient mode ignores a cvc in another spelling, which is in the
 * body all the same. A member of such a name whose value cannot be a cvc is part of the hash.
 */
async function requestHashes(
  { tenantKeys }: IdempotencyDeps,
  { tenantId, ifMatch }: Caller,
  body: Json | undefined,
) {
  const [{ key }, all] = await Promise.all([
    tenantKeys.current(tenantId, 'idempotency'),
    tenantKeys.all(tenantId, 'idempotency'),
  ]);
  const content = body === undefined ? '' : JSON.stringify(canonical(withoutAnyCvc(body, mayBeCvc)));
  // No JSON text has this break of a line.
  const text = ifMatch === undefined ? content : `${ifMatch}\n${content}`;
  const hashUnder = (each: KeyObject) => createHmac('sha256', each).update(text).digest();
  // There is a second root while the root key is being replaced.
  return { hash: hashUnder(key), others: all.filter((each) => each !== key).map(hashUnder) };
}

function refusal(
  claim: Exclude<IdempotencyClaim, { readonly state: 'claimed' | 'stored' }>,
  now: number,
): ServiceError {
  if (claim.state === 'other_body')
    return new ServiceError('key_reused', 'The idempotency key was used with another body or If-Match.');
  if (claim.state === 'ran') return resultNotAvailable();
  return stillRunning('A request with this idempotency key', claim.leaseUntil, now);
}

async function replayed(
  deps: IdempotencyDeps,
  scope: IdempotencyScope,
  encryptedResponse: Buffer,
  request: IdempotentRequest,
): Promise<ResponseContent> {
  const opened = await deps.vault.decrypt(contextOf(scope), encryptedResponse);
  // Only this module writes the response, and its authentication tag proves it unchanged.
  const { replayData, ...response } = opened.reveal() as unknown as StoredResponse;
  if (replayData === undefined) return response;
  const { body } = await request.replay(replayData);
  return defined({ status: response.status, body });
}

/**
 * Stores the first success under a key, encrypted, for 24 hours, and replays it. Throws `conflict`
 * while another attempt runs, and `key_reused` for another body (docs/contract.md#idempotency).
 */
export async function withIdempotency(
  deps: IdempotencyDeps,
  caller: Caller,
  matched: MatchedRoute<never>,
  request: IdempotentRequest,
): Promise<ResponseContent> {
  const { route } = matched;
  const key = checkedKey(matched);
  if (key === undefined || route.idempotency === 'read_only')
    return responseOf(route.success, await request.run(randomIdentity(deps.random), runFreely));
  const scope = scopeOf(caller, matched, key);
  const { hash, others } = await requestHashes(deps, caller, request.body);
  const now = deps.clock();
  const leaseUntil = now + matched.request.remainingMs + LEASE_MARGIN_MS;
  const claim = await deps.idempotencyStore.claim(scope, hash, { now, leaseUntil }, others);
  if (claim.state === 'stored') return replayed(deps, scope, claim.encryptedResponse, request);
  if (claim.state !== 'claimed') throw refusal(claim, now);
  return runClaimed(deps.idempotencyStore, scope, claim, async (once) => {
    const writes = repeatableIdentity(claim.seed, claim.startedAt);
    const outcome = await request.run(writes, once);
    const response = responseOf(route.success, outcome);
    const { replayData } = outcome;
    const stored: StoredResponse =
      replayData === undefined ? response : { status: response.status, replayData };
    const encrypted = await deps.vault.encrypt(contextOf(scope), new Secret(stored as unknown as Json));
    const times = defined({ now: deps.clock(), until: outcome.replayUntil });
    await deps.idempotencyStore.keep(scope, claim.attempt, encrypted, times);
    return response;
  });
}

function responseOf(
  success: number,
  { status = success, state, replayData: _, replayUntil: __, ...response }: RouteResult,
): ResponseContent {
  return { status, ...response, ...(state !== undefined && { tag: entityTag(state) }) };
}
