import type { SharedClock } from '../clock.ts';

/** The settings that the queues' worker gets. */
export interface QueueWorkerSettings {
  readonly region: string;
  /** Directory of the messages; without it they live in memory. */
  readonly dataDir?: string;
  /** Determines delays and visibility timeouts. Default: the machine's time. */
  readonly clock?: SharedClock;
}

/**
 * What the worker receives: one SQS call, whose `target` is that of `AmazonSQS.<target>`. `close`
 * stops it.
 */
export type QueueRequest =
  | { readonly kind: 'call'; readonly id: number; readonly target: string; readonly body: string }
  | { readonly kind: 'close' };

/** What the worker sends: the response to a call, or that it has stopped. */
export type QueueResponse =
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly status: number;
      readonly body: string;
    }
  | { readonly kind: 'closed' };
