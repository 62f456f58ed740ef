import {
  sqsEvent,
  succeededMessages,
  type ReceivedMessage,
} from '../../../packages/local-aws/src/sqs/sqs-event.ts';
import type { World } from '../world.ts';
import type { QueueModel, Received } from './queue-model.ts';

/** How Lambda polls a queue for a function (lib/reactor-stack.ts). */
export interface Mapping {
  readonly queue: QueueModel;
  readonly batchSize: number;
  readonly maxConcurrency: number;
  /** Resolves to what the function returned. */
  readonly invoke: (event: unknown) => Promise<unknown>;
}

/**
 * Lambda's poller. Messages that the function did not process become visible again. Returns what to
 * call when a message becomes visible.
 */
export function createMapping(world: World, { queue, batchSize, maxConcurrency, invoke }: Mapping) {
  let running = 0;

  async function deliver(messages: readonly Received[]): Promise<void> {
    const batch = messages.map((message) => ({ ...message, Attributes: {}, MessageAttributes: {} }));
    try {
      const payload = await invoke(
        sqsEvent(batch satisfies readonly ReceivedMessage[], 'arn:aws:sqs:eu-west-1:1:q'),
      );
      const done = succeededMessages(batch, JSON.stringify(payload ?? null));
      const Entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      if (Entries.length > 0) queue.call('DeleteMessageBatch', { Entries });
    } catch {
      // The function failed or died: its messages become visible again.
    }
  }

  function poll(): void {
    while (running < maxConcurrency) {
      const { Messages = [] } = queue.call('ReceiveMessage', { MaxNumberOfMessages: batchSize }) as {
        readonly Messages?: readonly Received[];
      };
      if (Messages.length === 0) return;
      running += 1;
      void deliver(Messages).then(() => {
        running -= 1;
        poll();
      });
    }
  }

  return (visibleAt: number) => {
    world.after(visibleAt - world.now(), poll);
  };
}
