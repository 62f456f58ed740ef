import type { SharedClock } from '../clock.ts';

/** What the worker of the queues is told when it starts. */
export interface QueueWorkerSettings {
  readonly region: string;
  /** Directory of the messages; without it they live in memory. */
  readonly dataDir?: string;
  /** What delays and visibility timeouts are counted by. Default: the machine's time. */
  readonly clock?: SharedClock;
}

/** To the worker: one SQS call, `target` as in `AmazonSQS.<target>`. `close` stops it. */
export type QueueRequest =
  | { readonly kind: 'call'; readonly id: number; readonly target: string; readonly body: string }
  | { readonly kind: 'close' };

/** From the worker: the answer to a call, or that it has stopped. */
export type QueueAnswer =
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly status: number;
      readonly body: string;
    }
  | { readonly kind: 'closed' };
