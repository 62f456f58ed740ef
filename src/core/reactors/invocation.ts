import type { Grantor } from '../access/caller.ts';
import { sortableTime } from '../shared/position.ts';

/** The state that an asynchronous invocation is in (docs/contract.md#asynchronous-invocations). */
export type InvocationState = 'queued' | 'running' | 'succeeded' | 'failed';

/**
 * The state of the delivery of a result: `none` before there is one, and again once its content is
 * deleted; `unwanted` throughout if the caller named no address. A `parked` delivery gets no more
 * attempts, and waits until it is sent again. A `forbidden` one has ended because a key was
 * revoked. It is listed beside those, and never sent again.
 */
export type DeliveryState = 'none' | 'unwanted' | 'pending' | 'delivered' | 'parked' | 'forbidden';

/** An asynchronous invocation without its content. Times are in ms since the epoch. */
export interface Invocation {
  readonly id: string;
  readonly tenantId: string;
  readonly reactorId: string;
  /** The application or session that invoked the reactor. Only this one may read the result. */
  readonly credentialId: string;
  /**
   * The keys that ask for the run and the delivery, which end with each of them: that of the
   * application, or both of a session. Absent if an earlier version accepted the invocation.
   */
  readonly keys?: readonly Grantor[];
  readonly state: InvocationState;
  readonly createdAt: number;
  /** The attempt that claimed the invocation. No other attempt may finish it. */
  readonly runner?: string;
  /** The sender of the current delivery attempt; it differs between two concurrent claims. */
  readonly sender?: string;
  /** The runner of a `running` invocation is considered dead from this time on. */
  readonly runUntil?: number;
  /** The run was interrupted, and its result is the error for that. */
  readonly wasInterrupted?: true;
  readonly delivery: DeliveryState;
  /** Number of delivery attempts that were started. */
  readonly attempts: number;
  /** HTTP status of the last response from the destination, if there was any. */
  readonly lastStatus?: number;
  /** Why the last attempt got no response (src/core/webhooks/delivery-failure.ts). */
  readonly lastReason?: string;
  /** The request that sent the parked delivery again last. Its repeats have the same id. */
  readonly resentBy?: string;
  /** A worker or the sweep must process the invocation at this time. */
  readonly dueAt: number;
  /** The result can be read until this time. */
  readonly readableUntil: number;
  /**
   * End of the result, if it is before that of the stored content ({@link CONTENT_MS}). The result
   * ends with each token or cvc that was filled in, and with each token that it shows.
   */
  readonly resultUntil?: number;
}

/** The text that sorts an invocation among those of its reactor by creation. */
export function positionOf({ createdAt, id }: Pick<Invocation, 'createdAt' | 'id'>): string {
  return `${sortableTime(createdAt)}#${id}`;
}

/**
 * Whether a delivery is in the list of its reactor: it is parked, or ended as forbidden. From its
 * due time on it is as good as deleted, even before the sweep.
 */
export function isListed({ delivery, dueAt }: Invocation, now: number): boolean {
  return (delivery === 'parked' || delivery === 'forbidden') && dueAt > now;
}

/** How long a result can be read (docs/contract.md#asynchronous-invocations). */
export const READABLE_MS = 24 * 60 * 60 * 1000;

/** How long a parked delivery waits to be sent again, before it is deleted with its result. */
export const PARKED_MS = 14 * READABLE_MS;

/** How long a message may take to reach a worker before it is sent again, in ms. */
export const QUEUE_PATIENCE_MS = 60_000;

/** How long the service tries to start an invocation; then the invocation fails. */
export const START_WITHIN_MS = 60 * 60 * 1000;

/**
 * Longest time that the content of an invocation may be needed, which is until a parked delivery
 * ends.
 */
export const CONTENT_MS = START_WITHIN_MS + READABLE_MS + PARKED_MS;

/**
 * A run may take this time in addition to the code's own, in ms: starting an instance,
 * detokenizing, tokenizing, storing.
 */
export const RUN_OVERHEAD_MS = 60_000;

/**
 * Attempts of a delivery, and the pause after the first. The pause doubles each time
 * (docs/contract.md#delivery).
 */
export const DELIVERY_TRIES = 10;
export const FIRST_PAUSE_MS = 10_000;

/** Time limit of one delivery attempt, in ms; then the sender is considered dead. */
export const SENDER_LEASE_MS = 60_000;

/** The pause that follows the nth attempt, in ms. */
export function pauseAfter(attempts: number): number {
  return FIRST_PAUSE_MS * 2 ** (attempts - 1);
}

/**
 * Decides what follows the end of a run: its delivery, or without an address the end of its result.
 */
export function afterRun(
  { delivery, readableUntil }: Invocation,
  now: number,
): Pick<Invocation, 'delivery' | 'dueAt'> {
  return delivery === 'unwanted'
    ? { delivery, dueAt: Math.max(now, readableUntil) }
    : { delivery: 'pending', dueAt: now };
}

/** A step that the sweep does with an invocation. */
export type DueStep =
  /** The invocation is not due any more, so nothing happens. */
  | 'wait'
  /** The message may be lost, so it is sent again. */
  | 'queue'
  /** The invocation could not be started in time. */
  | 'give-up'
  /** The runner is dead. */
  | 'interrupt'
  /** A delivery is due, or its sender is dead. */
  | 'deliver'
  /** All attempts are used up. */
  | 'park'
  /** The result may not be read any more. */
  | 'remove';

/** The step that is due. It depends only on the state. */
export function dueStep(invocation: Invocation, now: number): DueStep {
  const { state, delivery, attempts, dueAt, createdAt } = invocation;
  if (dueAt > now) return 'wait';
  if (state === 'queued') return createdAt + START_WITHIN_MS <= now ? 'give-up' : 'queue';
  if (state === 'running') return 'interrupt';
  if (delivery === 'pending') return attempts >= DELIVERY_TRIES ? 'park' : 'deliver';
  return 'remove';
}
