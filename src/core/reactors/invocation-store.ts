import type { PortEffects } from '../audit/effect.ts';
import { reactorEffect } from './reactor-effect.ts';
import type { Invocation } from './invocation.ts';

export type InvocationId = Pick<Invocation, 'tenantId' | 'id'>;

/** The two contents of an invocation, which are encrypted separately. */
export type InvocationContent = 'payload' | 'result';

/** The time when content ends, in ms since the epoch. */
export interface ContentEnd {
  readonly until: number;
  /** The sweep deletes the content at its end, before the invocation itself is removed. */
  readonly isSwept: boolean;
}

/**
 * Stores asynchronous invocations; their encrypted payloads and results are separate, in the table
 * without backups. Rejects with `dependency_unavailable` when the store is down.
 */
export interface InvocationStore {
  /** Writes a new invocation; `false` if it exists already. */
  create(invocation: Invocation): Promise<boolean>;
  /** The invocation as it was last written. */
  find(id: InvocationId): Promise<Invocation | undefined>;
  /**
   * Replaces `previous`; `false` if its state, runner, sender, delivery, attempts or due time has
   * changed since.
   */
  update(previous: Invocation, next: Invocation): Promise<boolean>;
  /** Deletes the invocation with all of its content. */
  remove(id: InvocationId): Promise<void>;
  /** Stores encrypted content of any size, and replaces earlier content. */
  putContent(id: InvocationId, content: InvocationContent, encrypted: Buffer, end: ContentEnd): Promise<void>;
  /** Reads encrypted content; `undefined` if it is missing or deleted. */
  content(id: InvocationId, content: InvocationContent): Promise<Buffer | undefined>;
  /** Deliveries whose last attempt failed, in one of these states. The next one due comes first. */
  undelivered(state: 'pending' | 'parked'): AsyncIterable<readonly Invocation[]>;
  /**
   * The parked deliveries of one reactor that come after a position (`positionOf`), the oldest
   * first, in batches of at most `size`. Those of others cost nothing. One that was parked a moment
   * ago may be missing.
   */
  parked(
    reactor: Pick<Invocation, 'tenantId' | 'reactorId'>,
    after: string | undefined,
    size: number,
  ): AsyncIterable<readonly Invocation[]>;
  /** Replaces a parked delivery by the pending one, as {@link update} does, for a caller. */
  resend(parked: Invocation, pending: Invocation): Promise<boolean>;
}

/** Messages contain ids and nothing else. */
export interface InvocationQueue {
  /**
   * Sends the id of an invocation to a worker. A message may arrive late, twice, or never, so the
   * state of the invocation decides.
   */
  send(id: InvocationId, delayMs?: number): Promise<void>;
}

export const INVOCATION_STORE_EFFECTS: PortEffects<InvocationStore> = {
  create: ({ id, reactorId }) => reactorEffect(reactorId, { invocation: id }),
  putContent: ({ id }) => ({ invocation: id }),
  remove: ({ id }) => ({ invocation: id }),
  update: 'none',
  find: 'none',
  content: 'none',
  undelivered: 'none',
  parked: 'none',
  resend: ({ id, reactorId }) => reactorEffect(reactorId, { invocation: id }),
};

export const INVOCATION_QUEUE_EFFECTS: PortEffects<InvocationQueue> = { send: 'none' };
