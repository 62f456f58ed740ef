/** Where an asynchronous invocation stands (docs/contract.md#asynchronous-invocations). */
export type InvocationState = 'queued' | 'running' | 'succeeded' | 'failed';

/**
 * Where the delivery of a result stands: `none` before there is one, and again once its content has
 * gone. A `parked` delivery has been tried as often as it may, and waits for an operator.
 */
export type DeliveryState = 'none' | 'pending' | 'delivered' | 'parked';

/** An asynchronous invocation without its content. Times in ms since the epoch. */
export interface Invocation {
  readonly id: string;
  readonly tenantId: string;
  readonly reactorId: string;
  /** The application or session that invoked, which alone may read the result. */
  readonly credentialId: string;
  readonly state: InvocationState;
  readonly createdAt: number;
  /** The attempt that claimed it; nobody else may finish it. */
  readonly runner?: string;
  /** The sender that has a try of the delivery; two that claim one at once differ in it. */
  readonly sender?: string;
  /** While `running`: from this instant the runner is taken for dead. */
  readonly runUntil?: number;
  /** The run was cut off: there is no result but that. */
  readonly wasInterrupted?: true;
  readonly delivery: DeliveryState;
  /** Deliveries that were begun. */
  readonly attempts: number;
  /** What the destination answered last, if it answered at all: an HTTP status. */
  readonly lastStatus?: number;
  /** When somebody must look at it next. */
  readonly dueAt: number;
  /** Until when the result can be read. */
  readonly readableUntil: number;
  /**
   * Until when the result is kept, if a token or a cvc that was filled into the arguments ends
   * before.
   */
  readonly resultUntil?: number;
}

/** How long a result can be read (docs/contract.md#asynchronous-invocations). */
export const READABLE_MS = 24 * 60 * 60 * 1000;

/** How long a parked delivery waits for an operator; then it goes, with its result. */
export const PARKED_MS = 14 * READABLE_MS;

/** How long a message may take to its worker before it is sent again, in ms. */
export const QUEUE_PATIENCE_MS = 60_000;

/** How long a job is tried to be started; then it fails. */
export const START_WITHIN_MS = 60 * 60 * 1000;

/**
 * How long what is kept of an invocation may be needed: until its delivery has been parked for as
 * long as it may.
 */
export const CONTENT_MS = START_WITHIN_MS + READABLE_MS + PARKED_MS;

/**
 * What a run may need beside the code's own time, in ms: an instance that has to start,
 * detokenizing, tokenizing, storing.
 */
export const RUN_OVERHEAD_MS = 60_000;

/**
 * Tries of a delivery, and the pause after the first; it doubles each time
 * (docs/contract.md#delivery).
 */
export const DELIVERY_TRIES = 10;
export const FIRST_PAUSE_MS = 10_000;

/** How long a sender has for one try before it is taken for dead, in ms. */
export const SENDER_LEASE_MS = 60_000;

/** The pause after the nth try, in ms. */
export function pauseAfter(attempts: number): number {
  return FIRST_PAUSE_MS * 2 ** (attempts - 1);
}

/** What the sweep does for an invocation whose time has come. */
export type DueStep =
  /** Nothing: it is not due any more. */
  | 'wait'
  /** Its message may have been lost: send it again. */
  | 'queue'
  /** It was tried to be started for long enough. */
  | 'give-up'
  /** Its runner is dead. */
  | 'interrupt'
  /** A delivery is to be tried, or its sender is dead. */
  | 'deliver'
  /** All tries are used up. */
  | 'park'
  /** Nobody may read it any more. */
  | 'remove';

/** The step that is due, from the state alone. */
export function dueStep(invocation: Invocation, now: number): DueStep {
  const { state, delivery, attempts, dueAt, createdAt } = invocation;
  if (dueAt > now) return 'wait';
  if (state === 'queued') return createdAt + START_WITHIN_MS <= now ? 'give-up' : 'queue';
  if (state === 'running') return 'interrupt';
  if (delivery === 'pending') return attempts >= DELIVERY_TRIES ? 'park' : 'deliver';
  return 'remove';
}
