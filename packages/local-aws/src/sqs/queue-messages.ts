import type { SharedClock } from '../clock.ts';

/** The settings that the queues' worker gets. */
export interface QueueWorkerSettings {
  readonly region: string;
  /** Directory of the messages; without it they live in memory. */
  readonly dataDir?: string;
  /** Determines delays and visibility timeouts. Default: the machine's time. */
  readonly clock?: SharedClock;
}

/** How many messages a queue has in each state. */
export interface QueueDepth {
  readonly name: string;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** Since its oldest message was sent; `undefined` without messages. */
  readonly oldestAgeMs: number | undefined;
}

/**
 * The worker receives one SQS call, whose `target` is that of `AmazonSQS.<target>`, or a question
 * for the depths of all queues. `close` stops it.
 */
export type QueueRequest =
  | { readonly kind: 'call'; readonly id: number; readonly target: string; readonly body: string }
  | { readonly kind: 'depths'; readonly id: number }
  | { readonly kind: 'close' };

/**
 * The worker sends the response to a call, the JSON of a list of {@link QueueDepth}, or that it has
 * stopped.
 */
export type QueueResponse =
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly status: number;
      readonly body: string;
    }
  | { readonly kind: 'closed' };
