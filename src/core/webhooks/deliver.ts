import { randomUUID } from 'node:crypto';
import type { Sightings } from '../audit/audit-scope.ts';
import { parseDestination, type EgressAllowList } from '../egress/destination.ts';
import type { EgressClient } from '../egress/egress-client.ts';
import { DELIVERY_TRIES, pauseAfter, SENDER_LEASE_MS, type Invocation } from '../reactors/invocation.ts';
import { openPayload, type ContentDeps } from '../reactors/invocation-content.ts';
import type { InvocationId, InvocationQueue } from '../reactors/invocation-store.ts';
import { keptResult } from '../reactors/get-result.ts';
import { parking } from '../reactors/sweep-invocation.ts';
import { defined } from '../shared/defined.ts';
import type { JsonObject } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { noLongerKept } from '../tokens/kept-use.ts';
import { ServiceError } from '../shared/service-error.ts';
import { signWebhook } from './sign-webhook.ts';
import { webhookSecrets, type WebhookSecretDeps } from './webhook-secrets.ts';

export interface DeliverDeps extends ContentDeps, WebhookSecretDeps {
  readonly deliveryQueue: InvocationQueue;
  readonly egress: EgressClient;
  readonly egressAllowList: EgressAllowList;
  readonly presentFailure: (error: unknown) => JsonObject;
  /**
   * Told of failures that nobody expected, and of deliveries that end because their content has
   * gone.
   */
  readonly onFailure: (error: unknown) => void;
  readonly audit: Sightings;
}

/** Time until a receiver answers, in ms. What it answers beside its status is not read. */
const TIMEOUT_MS = 15_000;
/** Longest delay of a message (SQS); longer pauses end by the sweep alone. */
const MESSAGE_DELAY_MAX_MS = 900_000;

/** What a try came to, for the record of it. */
export interface Sent extends Attempt {
  /** Whether the receiver has taken it. */
  readonly isDelivered: boolean;
}

/** What one try came to; `status` is absent if there was no answer. */
interface Attempt {
  readonly status?: number;
}

/**
 * Makes one try; `gone` if there is nothing to send, or nowhere to send it, and never will be
 * again.
 */
async function post(deps: DeliverDeps, invocation: Invocation): Promise<Attempt | 'gone'> {
  const [payload, kept] = await Promise.all([openPayload(deps, invocation), keptResult(deps, invocation)]);
  if (payload === undefined) return 'gone';
  // A result that had to go with what was filled in is an answer of its own: the receiver is told
  // so.
  if (kept === undefined && invocation.resultUntil === undefined) return 'gone';
  const destination = parseDestination(payload.reveal().callbackUrl, { allowList: deps.egressAllowList });
  // It was checked when the invocation was accepted; the deployer may have changed the list since.
  if (typeof destination === 'string') return {};
  for (const use of kept?.reveal().uses ?? []) deps.audit.saw(use, 'use');
  const text = JSON.stringify(kept?.reveal().body ?? deps.presentFailure(noLongerKept()));
  const signed = signWebhook(
    invocation.id,
    text,
    await webhookSecrets(deps, invocation.tenantId),
    deps.clock(),
  );
  const { pathname, search } = destination.url;
  const { status } = await deps.egress.send({
    destination,
    method: 'POST',
    target: new Secret(`${pathname}${search}`),
    headers: new Secret([['content-type', 'application/json'], ['user-agent', 'Cloakroom'], ...signed]),
    body: new Secret(Buffer.from(text)),
    timeoutMs: TIMEOUT_MS,
    bodyMaxBytes: 'unread',
  });
  return { status };
}

/**
 * One try. A receiver that cannot be reached, or must not be, is a try that failed; what is ours is
 * thrown, and tried again.
 */
async function tryOnce(deps: DeliverDeps, invocation: Invocation): Promise<Attempt | 'gone'> {
  try {
    return await post(deps, invocation);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'dependency_unavailable') throw error;
    return {};
  }
}

function afterTry(attempt: Attempt | 'gone', claimed: Invocation, now: number): Invocation {
  const { lastStatus: _, sender: __, ...rest } = claimed;
  const end = Math.max(now, claimed.readableUntil);
  if (attempt === 'gone') return { ...rest, delivery: 'none', dueAt: end };
  const { status } = attempt;
  const told = defined({ ...rest, lastStatus: status });
  if (status !== undefined && status >= 200 && status < 300)
    return { ...told, delivery: 'delivered', dueAt: end };
  if (claimed.attempts >= DELIVERY_TRIES) return { ...told, ...parking(claimed, now) };
  return { ...told, dueAt: now + pauseAfter(claimed.attempts) };
}

/**
 * Tries to deliver a result once, if a try is due: any 2xx ends it, otherwise it is tried again
 * later, and parked after the last try. A try is counted before it is made, so that a sender that
 * dies has used it up; two senders never make the same one. A delivery whose content has gone (the
 * Ephemeral table was emptied by a restore) ends at once: no receiver can be blamed for it, and no
 * operator can mend it. Answers with what the try came to; `undefined` if there was none.
 */
export async function deliver(deps: DeliverDeps, id: InvocationId): Promise<Sent | undefined> {
  const pending = await deps.invocationStore.find(id);
  const now = deps.clock();
  if (pending?.delivery !== 'pending' || pending.dueAt > now || pending.attempts >= DELIVERY_TRIES)
    return undefined;
  const claimed = {
    ...pending,
    attempts: pending.attempts + 1,
    sender: randomUUID(),
    dueAt: now + SENDER_LEASE_MS,
  };
  if (!(await deps.invocationStore.update(pending, claimed))) return undefined;
  const attempt = await tryOnce(deps, claimed);
  const next = afterTry(attempt, claimed, deps.clock());
  const isOurs = await deps.invocationStore.update(claimed, next);
  if (attempt === 'gone' && isOurs) deps.onFailure(new Error('deliver: its content has gone'));
  const pauseMs = next.dueAt - deps.clock();
  if (next.delivery === 'pending' && pauseMs <= MESSAGE_DELAY_MAX_MS)
    // The sweep would find it, up to a minute later.
    await deps.deliveryQueue.send(id, pauseMs).catch(deps.onFailure);
  const isDelivered = next.delivery === 'delivered';
  return attempt === 'gone' ? undefined : { isDelivered, ...attempt };
}
