import { randomUUID } from 'node:crypto';

/** Calls one queue. Rejects as SQS does. */
export interface CalledQueue {
  readonly call: (operation: string, input: object) => Promise<unknown>;
  /** Lets whole seconds pass. */
  readonly pass: (seconds: number) => Promise<void>;
}

/** The visibility timeout of the queue. No run is so slow that it ends without `pass`. */
export const VISIBILITY_SECONDS = 3_600;
const DELAY_SECONDS = 600;

interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
}

/**
 * The service and Lambda's pollers rely on this of an SQS queue (SQS Developer Guide, "Visibility
 * timeout", "Delay queues"), for SQS as it runs locally and for the model of the simulation.
 */
export function queueContract(name: string, make: () => CalledQueue): void {
  describe(`a queue, ${name}`, () => {
    let queue: CalledQueue;
    beforeAll(() => {
      queue = make();
    });

    const send = (body: string, more: object = {}) =>
      queue.call('SendMessage', { MessageBody: body, ...more });
    const receive = async (): Promise<readonly Message[]> => {
      const { Messages = [] } = (await queue.call('ReceiveMessage', { MaxNumberOfMessages: 10 })) as {
        readonly Messages?: readonly Message[];
      };
      return Messages;
    };
    const remove = (messages: readonly Message[]) =>
      queue.call('DeleteMessageBatch', {
        Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      });
    const depth = async () => {
      const { Attributes } = (await queue.call('GetQueueAttributes', {
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      })) as { readonly Attributes: Readonly<Record<string, string>> };
      return [Attributes['ApproximateNumberOfMessages'], Attributes['ApproximateNumberOfMessagesNotVisible']];
    };
    const bodies = (messages: readonly Message[]) => messages.map(({ Body }) => Body).toSorted();

    it('delivers a message, and again after its visibility timeout until it is deleted', async () => {
      const body = randomUUID();
      expect(await send(body)).toMatchObject({ MD5OfMessageBody: expect.stringMatching(/^[\da-f]{32}$/) });
      expect(await depth()).toEqual(['1', '0']);
      const first = await receive();
      expect(bodies(first)).toEqual([body]);
      expect(await depth()).toEqual(['0', '1']);
      expect(await receive()).toEqual([]);
      await queue.pass(VISIBILITY_SECONDS);
      const again = await receive();
      expect(bodies(again)).toEqual([body]);
      expect(again[0]?.MessageId).toBe(first[0]?.MessageId);
      await remove(again);
      await queue.pass(VISIBILITY_SECONDS);
      expect([await receive(), await depth()]).toEqual([[], ['0', '0']]);
    });

    it('keeps a delayed message back, and several messages for one call', async () => {
      const late = randomUUID();
      const soon = randomUUID();
      const sooner = randomUUID();
      await send(late, { DelaySeconds: DELAY_SECONDS });
      await send(soon);
      await send(sooner);
      const early = await receive();
      expect(bodies(early)).toEqual([soon, sooner].toSorted());
      await remove(early);
      await queue.pass(DELAY_SECONDS);
      const rest = await receive();
      expect(bodies(rest)).toEqual([late]);
      await remove(rest);
    });
  });
}
