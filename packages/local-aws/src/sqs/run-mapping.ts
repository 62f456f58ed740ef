import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../error-code.ts';
import type { InvocationOutcome } from '../lambda/function-definition.ts';
import type { MappingDefinition } from './queue-definitions.ts';
import { receivedMessages, sqsEvent, succeededMessages, type ReceivedMessage } from './sqs-event.ts';

export interface RunMappingOptions {
  readonly mapping: MappingDefinition;
  readonly queueUrl: string;
  readonly call: (operation: string, input: object) => Promise<unknown>;
  readonly invoke: (functionName: string, payload: string) => Promise<InvocationOutcome>;
  readonly log: (line: string) => void;
  /** Determines the end of a batching window: the machine's time, in which calls wait too. */
  readonly now: () => number;
}

/** Most messages of one receive (SQS). */
const MOST_RECEIVED = 10;
const LONGEST_POLL_SECONDS = 20;

/**
 * Works like Lambda's pollers: messages that the function did not process become visible again
 * after their timeout. Returns the function that stops it without waiting for running batches.
 */
export function runMapping({ mapping, queueUrl, call, invoke, log, now }: RunMappingOptions): () => void {
  const { batchSize, batchingWindowSeconds } = mapping;
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  const stopped = (): boolean => stop.signal.aborted;

  async function receive(limit: number, waitSeconds: number): Promise<readonly ReceivedMessage[]> {
    const response = await call('ReceiveMessage', {
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(limit, MOST_RECEIVED),
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    return receivedMessages.parse(response).Messages;
  }

  /** A batch begins with its first message and grows until it is full or its window ends. */
  async function collect(): Promise<readonly ReceivedMessage[]> {
    const batch = [...(await receive(batchSize, LONGEST_POLL_SECONDS))];
    const windowEnd = now() + batchingWindowSeconds * 1000;
    while (!stopped() && batch.length > 0 && batch.length < batchSize) {
      const left = Math.ceil((windowEnd - now()) / 1000);
      if (left <= 0) break;
      batch.push(...(await receive(batchSize - batch.length, Math.min(left, LONGEST_POLL_SECONDS))));
    }
    return batch;
  }

  async function remove(messages: readonly ReceivedMessage[]): Promise<void> {
    for (let start = 0; start < messages.length; start += MOST_RECEIVED) {
      const Entries = messages
        .slice(start, start + MOST_RECEIVED)
        .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await call('DeleteMessageBatch', { QueueUrl: queueUrl, Entries });
    }
  }

  async function deliver(batch: readonly ReceivedMessage[]): Promise<void> {
    try {
      const { failed, payload } = await invoke(
        mapping.functionName,
        JSON.stringify(sqsEvent(batch, mapping.queueArn)),
      );
      if (failed) return;
      await remove(mapping.reportsFailures ? succeededMessages(batch, payload) : batch);
    } catch (error) {
      // Throttled, or stopped in between: the messages become visible again.
      if (!stopped()) log(`${mapping.place}: ${errorMessage(error)}`);
    }
  }

  async function poll(): Promise<void> {
    while (!stopped()) {
      const batch = await collect();
      // After the stop the batch does not run: its messages become visible again.
      if (batch.length === 0 || stopped()) continue;
      const delivered = deliver(batch);
      running.add(delivered);
      void delivered.then(() => running.delete(delivered));
      if (running.size >= mapping.maxConcurrency) await Promise.race(running);
    }
  }

  async function pollOn(): Promise<void> {
    while (!stopped()) {
      await poll().catch(async (error: unknown) => {
        if (stopped()) return;
        log(`${mapping.place}: ${errorMessage(error)}`);
        await pause(1000, undefined, { ref: false });
      });
    }
  }

  void pollOn();
  return () => {
    stop.abort();
  };
}
