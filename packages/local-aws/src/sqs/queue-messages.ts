import type { SharedClock } from '../clock.ts';

/** The settings of the queues' worker. */
export interface QueueWorkerSettings {
  readonly region: string;
  /** Directory of the messages; without it they live in memory. */
  readonly dataDir?: string;
  /** The clock of delays and visibility timeouts. Default: the machine's time. */
  readonly clock?: SharedClock;
}

/** To the worker: one SQS call, `target` as in `AmazonSQS.<target>`. `close` stops it. */
export type QueueRequest =
  | { readonly kind: 'call'; readonly id: number; readonly target: string; readonly body: string }
  | { readonly kind: 'close' };

/** From the worker: the response to a call, or that it has stopped. */
export type QueueResponse =
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly status: number;
      readonly body: string;
    }
  | { readonly kind: 'closed' };
