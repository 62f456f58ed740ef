import { SendMessageCommand } from '@aws-sdk/client-sqs';

/** A message that waits. */
interface Message {
  readonly queue: string;
  readonly body: string;
  /** In ms since the epoch. */
  readonly dueAt: number;
}

/** The queues of SQS in memory. A function takes what is due, in its order. */
export class MemoryQueues {
  readonly #clock: () => number;
  readonly #onMessage: () => void;
  #messages: readonly Message[] = [];

  /** `onMessage` is called when a message has arrived. */
  constructor(clock: () => number, onMessage: () => void) {
    this.#clock = clock;
    this.#onMessage = onMessage;
  }

  // oxlint-disable-next-line require-await -- a failure is a rejection, as that of the client
  async send(command: { readonly input: unknown }): Promise<unknown> {
    if (!(command instanceof SendMessageCommand))
      throw new Error(`the queues in memory do not know ${command.constructor.name}`);
    const { QueueUrl: queue = '', MessageBody: body = '', DelaySeconds: seconds = 0 } = command.input;
    this.put({ queue, body, dueAt: this.#clock() + seconds * 1_000 });
    return {};
  }

  put(message: Message): void {
    this.#messages = [...this.#messages, message];
    this.#onMessage();
  }

  /** Takes the first message that is due. */
  take(): Message | undefined {
    const now = this.#clock();
    const found = this.#messages.find(({ dueAt }) => dueAt <= now);
    this.#messages = this.#messages.filter((message) => message !== found);
    return found;
  }

  /** Returns when the next message is due, in ms since the epoch. */
  nextDue(): number | undefined {
    return this.#messages.length === 0 ? undefined : Math.min(...this.#messages.map(({ dueAt }) => dueAt));
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  replaceMessages(messages: readonly Message[]): void {
    this.#messages = messages;
  }
}
