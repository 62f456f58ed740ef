import { createHash } from 'node:crypto';
import {
  AwsError,
  type AwsCall,
  type AwsResponse,
  type AwsService,
} from '../../../packages/local-aws/src/aws-service.ts';
import type { Draws } from '../seeded.ts';

/** A message as a receiver gets it. */
export interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
}

interface Message {
  readonly id: string;
  readonly body: string;
  /** The time from which it can be received, in ms since the epoch. */
  visibleAt: number;
  receipt: string | undefined;
}

/** How a queue treats its messages beyond what SQS promises. */
export interface QueueFaults {
  /** A received message stays visible to another receiver. */
  readonly duplicate: number;
  /** A message can be received so much later, at most, in ms. */
  readonly delayMs: number;
}

export interface QueueModelOptions {
  readonly now: () => number;
  readonly draws: Draws;
  /** How long a received message is invisible, in ms. */
  readonly visibilityMs: number;
  readonly faults: () => QueueFaults;
  /** Called with the time from which a message can be received. */
  readonly onVisible?: (at: number) => void;
}

/**
 * The service uses this of an SQS queue: SendMessage with a delay, ReceiveMessage,
 * DeleteMessageBatch and the counts of GetQueueAttributes. It keeps no order, as a standard queue.
 */
export interface QueueModel {
  /** Throws AwsError as SQS. */
  readonly call: (operation: string, input: object) => unknown;
  /** The bodies of all messages that were ever sent. */
  readonly sent: readonly string[];
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

interface Input {
  readonly MessageBody?: string;
  readonly DelaySeconds?: number;
  readonly MaxNumberOfMessages?: number;
  readonly Entries?: readonly { readonly Id: string; readonly ReceiptHandle: string }[];
}

export function createQueueModel(options: QueueModelOptions): QueueModel {
  const { now, draws, visibilityMs, faults, onVisible = () => undefined } = options;
  const messages = new Map<string, Message>();
  const sent: string[] = [];

  function show(message: Message, at: number): void {
    message.visibleAt = at;
    onVisible(at);
  }

  function send({ MessageBody: body = '', DelaySeconds: seconds = 0 }: Input) {
    const message = { id: draws.uuid(), body, visibleAt: 0, receipt: undefined };
    messages.set(message.id, message);
    sent.push(body);
    show(message, now() + seconds * 1_000 + draws.fraction() * faults().delayMs);
    return { MessageId: message.id, MD5OfMessageBody: md5(body) };
  }

  function receive({ MaxNumberOfMessages: most = 1 }: Input): { readonly Messages?: readonly Received[] } {
    const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= now()).slice(0, most);
    const Messages = visible.map((message) => {
      message.receipt = draws.uuid();
      show(
        message,
        draws.chance(faults().duplicate) ? now() + 1_000 * draws.fraction() ** 4 : now() + visibilityMs,
      );
      const { id, body, receipt } = message;
      return { MessageId: id, ReceiptHandle: receipt, Body: body, MD5OfBody: md5(body) };
    });
    return Messages.length === 0 ? {} : { Messages };
  }

  function remove({ Entries = [] }: Input) {
    for (const { ReceiptHandle } of Entries)
      for (const [id, { receipt }] of messages) if (receipt === ReceiptHandle) messages.delete(id);
    return { Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] };
  }

  function attributes() {
    const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= now()).length;
    return {
      Attributes: {
        ApproximateNumberOfMessages: String(visible),
        ApproximateNumberOfMessagesNotVisible: String(messages.size - visible),
      },
    };
  }

  const operations: Readonly<Record<string, (input: Input) => unknown>> = {
    SendMessage: send,
    ReceiveMessage: receive,
    DeleteMessageBatch: remove,
    GetQueueAttributes: attributes,
  };

  return {
    sent,
    call: (operation, input) => {
      const perform = operations[operation];
      if (perform === undefined)
        throw new AwsError('UnsupportedOperation', 400, `the model has no ${operation}`);
      return perform(input);
    },
  };
}

/** SQS with these queues, by the last part of their address. */
export function queueService(queues: ReadonlyMap<string, QueueModel>): AwsService {
  const respond = (status: number, body: object): AwsResponse => ({
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify(body),
  });
  return {
    signingName: 'sqs',
    accesses: () => [],
    handle: ({ target = '', body }: AwsCall) => {
      const input = JSON.parse(body.toString()) as { readonly QueueUrl: string };
      const queue = queues.get(input.QueueUrl.slice(input.QueueUrl.lastIndexOf('/') + 1));
      if (queue === undefined) throw new AwsError('QueueDoesNotExist', 400, 'no such queue');
      return Promise.resolve(respond(200, queue.call(target, input) as object));
    },
    failure: ({ code, status, message }) => respond(status, { __type: `com.amazonaws.sqs#${code}`, message }),
    close: () => Promise.resolve(),
  };
}
