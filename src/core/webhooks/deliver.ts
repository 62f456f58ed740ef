import type { Way } from '../access/access-decision.ts';
import { wayOf } from '../access/callback-address.ts';
import type { Caller } from '../access/caller.ts';
import { requireUse } from '../access/require-permission.ts';
import { parseDestination, type EgressAllowList } from '../egress/destination.ts';
import type { EgressClient } from '../egress/egress-client.ts';
import { DELIVERY_TRIES, pauseAfter, SENDER_LEASE_MS, type Invocation } from '../reactors/invocation.ts';
import { openPayload, type ContentDeps, type InvocationResult } from '../reactors/invocation-content.ts';
import type { InvocationId, InvocationQueue } from '../reactors/invocation-store.ts';
import { storedResult } from '../reactors/get-result.ts';
import { invokerOf, type InvokerDeps } from '../reactors/invoker.ts';
import { parking } from '../reactors/sweep-invocation.ts';
import { defined } from '../shared/defined.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Platform } from '../shared/platform.ts';
import { Secret } from '../shared/secret.ts';
import { mayUseAgain, resultNotAvailable, type TokenUseDeps } from '../tokens/token-use.ts';
import { ServiceError } from '../shared/service-error.ts';
import { deliveryFailure, KEY_REVOKED, NOT_ALLOWED_ANY_MORE } from './delivery-failure.ts';
import { retryAfterOf } from './retry-after.ts';
import { signWebhook } from './sign-webhook.ts';
import { webhookSecrets, type WebhookSecretDeps } from './webhook-secrets.ts';

export interface DeliverDeps
  extends ContentDeps, WebhookSecretDeps, InvokerDeps, TokenUseDeps, Pick<Platform, 'worldClock'> {
  readonly deliveryQueue: InvocationQueue;
  readonly egress: EgressClient;
  readonly egressAllowList: EgressAllowList;
  readonly presentFailure: (error: unknown) => JsonObject;
  /**
   * Called with unexpected errors, and for deliveries that end because their content is missing.
   */
  readonly onFailure: (error: unknown) => void;
}

/** Time limit for the receiver's response, in ms. Only the status of the response is read. */
const TIMEOUT_MS = 15_000;
/** The receiver wants no more attempts (Standard Webhooks, "Handling failures"). */
const GONE = 410;
/** Longest delay of a message (SQS), in ms. After a longer pause, the sweep sends the message. */
const MESSAGE_DELAY_MAX_MS = 900_000;

/** An attempt reports this to its audit record, the log and the metric. */
export interface Sent extends Attempt {
  readonly outcome: 'delivered' | 'failed' | 'parked' | 'forbidden';
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
  /**
   * The time when the next attempt is due, in ms since the epoch. Only an attempt that `failed` has
   * it.
   */
  readonly nextAt?: number;
}

/** The status of the response to one attempt, or the reason why there is none. */
interface Attempt {
  readonly status?: number;
  /** One of the texts that {@link deliveryFailure} returns. */
  readonly reason?: string;
  /** How long the receiver asks to wait before the next attempt, in ms. */
  readonly waitMs?: number;
}

/** Why an attempt did not happen, for good: something is missing, or a key was revoked. */
type NoAttempt = 'gone' | 'forbidden';

/** The error for a result that the application, if it still exists, may not send any more. */
const mayNotSend = () =>
  new ServiceError(
    'forbidden',
    'The code has run. The application no longer exists, or may no longer send the result to its callback_url, so the result is not sent.',
  );

/**
 * Returns the body to send: the result, if the tokens behind it exist and the caller may still use
 * them in this way; otherwise an error object. A rule or a token may have changed since the run.
 */
async function bodyToSend(
  deps: DeliverDeps,
  invoker: Caller | undefined,
  way: Way,
  result: InvocationResult | undefined,
): Promise<JsonObject> {
  if (result === undefined) return deps.presentFailure(resultNotAvailable());
  const { body, uses } = result;
  // The application has expired, or it was refused for that: no token is in what it left.
  if (invoker === undefined && uses.length === 0) return body;
  try {
    if (invoker === undefined) throw mayNotSend();
    requireUse(invoker, way);
    const isThere = await mayUseAgain(deps, invoker, way, uses);
    return isThere ? body : deps.presentFailure(resultNotAvailable());
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'dependency_unavailable') throw error;
    refuse(deps, result);
    return deps.presentFailure(mayNotSend());
  }
}

/** Records that the tokens behind a result were not sent. */
function refuse({ audit }: DeliverDeps, { uses }: Pick<InvocationResult, 'uses'>): void {
  for (const use of uses) audit.saw(use, 'refused');
}

/** Makes one attempt, unless it is clear that none can ever succeed. */
async function post(deps: DeliverDeps, invocation: Invocation): Promise<Attempt | NoAttempt> {
  const [payload, stored] = await Promise.all([
    openPayload(deps, invocation),
    storedResult(deps, invocation),
  ]);
  const callbackUrl = payload?.reveal().callbackUrl;
  if (payload === undefined || callbackUrl === undefined) return 'gone';
  deps.audit.actsFor(payload.reveal());
  // A result that ended with its tokens is still delivered, as an error that says so.
  if (stored === undefined && invocation.resultUntil === undefined) return 'gone';
  // Both reads start in one turn of the event loop, so that they share a call.
  const [invoker, secrets] = await Promise.all([
    invokerOf(deps, invocation, payload.reveal()),
    webhookSecrets(deps, invocation.tenantId),
  ]);
  if (invoker === 'revoked') {
    if (stored !== undefined) refuse(deps, stored.reveal());
    return 'forbidden';
  }
  const destination = parseDestination(callbackUrl, { allowList: deps.egressAllowList });
  // The destination was valid when the invocation was accepted. The deployer may have changed the
  // allow list since.
  if (typeof destination === 'string') return { reason: NOT_ALLOWED_ANY_MORE };
  // All reactors of the tenant share the secret, so the body names the reactor and the application.
  const text = JSON.stringify({
    ...(await bodyToSend(deps, invoker, wayOf(invocation.reactorId, callbackUrl), stored?.reveal())),
    reactor_id: invocation.reactorId,
    application_id: payload.reveal().applicationId,
  });
  const signed = signWebhook(invocation.id, text, secrets, deps.worldClock());
  const { pathname, search } = destination.url;
  const { status, headers } = await deps.egress.send({
    destination,
    method: 'POST',
    target: new Secret(`${pathname}${search}`),
    headers: new Secret([['content-type', 'application/json'], ['user-agent', 'Cloakroom'], ...signed]),
    body: new Secret(Buffer.from(text)),
    timeoutMs: TIMEOUT_MS,
    bodyMaxBytes: 'unread',
  });
  return { status, waitMs: retryAfterOf(headers, deps.worldClock()) };
}

/**
 * Makes one attempt. An unreachable or forbidden receiver is a failed attempt; any other error is
 * thrown, and the delivery is retried.
 */
async function tryOnce(deps: DeliverDeps, invocation: Invocation): Promise<Attempt | NoAttempt> {
  try {
    return await post(deps, invocation);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'dependency_unavailable') throw error;
    return { reason: deliveryFailure(error) };
  }
}

function afterTry(attempt: Attempt | NoAttempt, claimed: Invocation, now: number): Invocation {
  const { lastStatus: _, lastReason: __, sender: ___, ...rest } = claimed;
  const end = Math.max(now, claimed.readableUntil);
  // The content is missing, as after a restore. The receiver is not at fault and no operator can
  // repair it, so the delivery ends (docs/storage.md#invocations-and-reactors).
  if (attempt === 'gone') return { ...rest, delivery: 'none', dueAt: end };
  if (attempt === 'forbidden')
    return {
      ...rest,
      attempts: rest.attempts - 1,
      lastReason: KEY_REVOKED,
      ...parking(rest, now, 'forbidden'),
    };
  const { status, reason, waitMs = 0 } = attempt;
  const reported = defined({ ...rest, lastStatus: status, lastReason: reason });
  if (status !== undefined && status >= 200 && status < 300)
    return { ...reported, delivery: 'delivered', dueAt: end };
  if (status === GONE || claimed.attempts >= DELIVERY_TRIES) return { ...reported, ...parking(claimed, now) };
  return { ...reported, dueAt: now + Math.max(pauseAfter(claimed.attempts), waitMs) };
}

function outcomeOf({ delivery, dueAt }: Invocation): Pick<Sent, 'outcome' | 'nextAt'> {
  if (delivery === 'pending') return { outcome: 'failed', nextAt: dueAt };
  return { outcome: delivery === 'delivered' || delivery === 'forbidden' ? delivery : 'parked' };
}

/**
 * Makes an attempt if one is due (docs/contract.md#delivery). Returns its result, if it made one.
 */
export async function deliver(deps: DeliverDeps, id: InvocationId): Promise<Sent | undefined> {
  const pending = await deps.invocationStore.find(id);
  const now = deps.clock();
  if (pending?.delivery !== 'pending' || pending.dueAt > now || pending.attempts >= DELIVERY_TRIES)
    return undefined;
  const claimed = {
    ...pending,
    attempts: pending.attempts + 1,
    sender: deps.random.uuid(),
    dueAt: now + SENDER_LEASE_MS,
  };
  // The attempt is counted before it is made. A sender that dies has used it up, and two senders
  // never make the same one.
  if (!(await deps.invocationStore.update(pending, claimed))) return undefined;
  const attempt = await tryOnce(deps, claimed);
  const next = afterTry(attempt, claimed, deps.clock());
  const isOurs = await deps.invocationStore.update(claimed, next);
  if (attempt === 'gone' && isOurs) deps.onFailure(new Error('deliver: its content is missing'));
  const pauseMs = next.dueAt - deps.clock();
  if (next.delivery === 'pending' && pauseMs <= MESSAGE_DELAY_MAX_MS)
    // Without this message, the sweep would find the delivery up to a minute later.
    await deps.deliveryQueue.send(id, pauseMs).catch(deps.onFailure);
  if (attempt === 'gone') return undefined;
  const made = attempt === 'forbidden' ? { reason: KEY_REVOKED } : attempt;
  return { ...made, attempt: claimed.attempts, ...outcomeOf(next) };
}
