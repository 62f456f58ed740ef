import { createClock } from '../../../packages/local-aws/src/clock.ts';
import { createSqs, type Sqs } from '../../../packages/local-aws/src/sqs/create-sqs.ts';
import { queueContract, VISIBILITY_SECONDS } from '../../contracts/queue-contract.ts';
import { seeded } from '../seeded.ts';
import { createQueueModel } from './queue-model.ts';

const clock = createClock();
let sqs: Sqs;
beforeAll(async () => {
  sqs = createSqs({ accountId: '000000000000', region: 'us-east-1', clock: clock.shared });
  await sqs.createQueue({
    name: 'q',
    arn: 'arn:aws:sqs:us-east-1:000000000000:q',
    url: 'http://127.0.0.1:1/000000000000/q',
    attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) },
  });
});
afterAll(() => sqs.close());

queueContract('in the local account', () => ({
  call: (operation, input) =>
    sqs.call(operation, { QueueUrl: 'http://127.0.0.1:1/000000000000/q', ...input }),
  pass: (seconds) => {
    clock.control(JSON.stringify({ advance_seconds: seconds }), 'PUT');
    return Promise.resolve();
  },
}));

queueContract('of the simulation', () => {
  let now = 0;
  const queue = createQueueModel({
    now: () => now,
    draws: seeded('queue'),
    visibilityMs: VISIBILITY_SECONDS * 1_000,
    faults: () => ({ duplicate: 0, delayMs: 0 }),
  });
  return {
    call: (operation, input) => Promise.resolve(queue.call(operation, input)),
    pass: (seconds) => {
      now += seconds * 1_000;
      return Promise.resolve();
    },
  };
});
