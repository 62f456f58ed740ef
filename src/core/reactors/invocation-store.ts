import type { Invocation } from './invocation.ts';

/** What is named to find an invocation. */
export type InvocationId = Pick<Invocation, 'tenantId' | 'id'>;

/** Which of the two sealed contents of an invocation. */
export type InvocationContent = 'payload' | 'result';

/** When content ends, in ms since the epoch. */
export interface ContentEnd {
  readonly until: number;
  /** It must be gone at its end, and does not wait for its invocation to be removed. */
  readonly isSwept: boolean;
}

/**
 * Where asynchronous invocations are kept, their sealed payloads and results apart from them where
 * they vanish. Rejects with `dependency_unavailable` when the store is down.
 */
export interface InvocationStore {
  /** Writes a new invocation; `false` if it is there already. */
  create(invocation: Invocation): Promise<boolean>;
  /** The invocation as it was last written. */
  find(id: InvocationId): Promise<Invocation | undefined>;
  /**
   * Writes an invocation over `previous`; `false` if that has changed since in state, runner,
   * sender, delivery, attempts or the time it is due.
   */
  update(previous: Invocation, next: Invocation): Promise<boolean>;
  /** Deletes the invocation with all of its content. */
  remove(id: InvocationId): Promise<void>;
  /** Keeps sealed content of any size. Writing it again replaces it. */
  putContent(id: InvocationId, content: InvocationContent, sealed: Buffer, end: ContentEnd): Promise<void>;
  /** Sealed content; `undefined` if there is none any more. */
  content(id: InvocationId, content: InvocationContent): Promise<Buffer | undefined>;
  /** Parked deliveries, the oldest first. */
  parked(): AsyncIterable<readonly Invocation[]>;
}

/** Messages carry ids and nothing else. */
export interface InvocationQueue {
  /**
   * Tells a worker of an invocation. A message may come late, twice, or never: the state decides.
   */
  send(id: InvocationId, delayMs?: number): Promise<void>;
}
