import { turns } from '../../../test-kit/src/event-loop.ts';
import { runMapping } from '../../src/sqs/run-mapping.ts';

const MAPPING = {
  place: 'App/Mapping',
  queueArn: 'arn:aws:sqs:us-east-1:000000000000:work',
  functionName: 'fn',
  batchSize: 3,
  batchingWindowSeconds: 0,
  reportsFailures: false,
  maxConcurrency: 2,
};

/** A call of ReceiveMessage that waits for messages. */
interface Receive {
  readonly most: number;
  readonly seconds: number;
  readonly respond: (...bodies: readonly string[]) => void;
}

let stop = (): void => undefined;
afterEach(() => {
  stop();
});

/** Runs a mapping between a queue and a function that the test answers for, at its own time. */
function run(parts: Partial<typeof MAPPING>) {
  const receives: Receive[] = [];
  const batches: { readonly bodies: readonly string[]; readonly end: () => void }[] = [];
  const time = { now: 0 };
  stop = runMapping({
    mapping: { ...MAPPING, ...parts },
    queueUrl: 'http://127.0.0.1:1/000000000000/work',
    now: () => time.now,
    log: () => undefined,
    call: async (operation, input: any) => {
      if (operation !== 'ReceiveMessage') return {};
      const response = Promise.withResolvers<object>();
      receives.push({
        most: input.MaxNumberOfMessages,
        seconds: input.WaitTimeSeconds,
        respond: (...bodies) => {
          const message = { MessageId: 'id', ReceiptHandle: 'handle', MD5OfBody: '', Attributes: {} };
          response.resolve({ Messages: bodies.map((Body) => ({ ...message, Body })) });
        },
      });
      return await response.promise;
    },
    invoke: async (_name, payload) => {
      const ended = Promise.withResolvers<undefined>();
      const { Records } = JSON.parse(payload) as { Records: { body: string }[] };
      batches.push({ bodies: Records.map(({ body }) => body), end: () => ended.resolve(undefined) });
      await ended.promise;
      return { failed: false, payload: 'null' };
    },
  });
  /** Responds to the newest receive, and lets the mapping go on as far as it can. */
  const respond = async (...bodies: readonly string[]): Promise<void> => {
    receives.at(-1)?.respond(...bodies);
    await turns(3);
  };
  return {
    batches,
    receives,
    respond,
    time,
    asked: () => receives.map(({ most, seconds }) => [most, seconds]),
  };
}

it('a batch grows until it is full', async () => {
  const { asked, batches, respond } = run({ batchingWindowSeconds: 300 });
  await respond('a');
  expect(batches).toEqual([]);
  await respond('b', 'c');
  expect(batches.map(({ bodies }) => bodies)).toEqual([['a', 'b', 'c']]);
  expect(asked()).toEqual([
    [3, 20],
    [2, 20],
    [3, 20],
  ]);
});

it('a batch grows until its window ends', async () => {
  const { asked, batches, respond, time } = run({ batchingWindowSeconds: 30 });
  await respond('a');
  time.now = 29_999;
  await respond('b');
  expect(batches).toEqual([]);
  time.now = 30_000;
  await respond();
  expect(batches.map(({ bodies }) => bodies)).toEqual([['a', 'b']]);
  expect(asked()).toEqual([
    [3, 20],
    [2, 20],
    [1, 1],
    [3, 20],
  ]);
});

it('the number of concurrent batches is limited', async () => {
  const { batches, receives, respond } = run({ batchSize: 1 });
  await respond('a');
  await respond('b');
  await turns(10);
  expect([batches.length, receives.length]).toEqual([2, 2]);
  batches[0]?.end();
  await turns(3);
  await respond('c');
  expect(batches.map(({ bodies }) => bodies)).toEqual([['a'], ['b'], ['c']]);
});
