import { createInvocationQueue } from '../../../src/adapters/sqs/invocation-queue.ts';
import { MemoryQueues } from '../src/aws/memory-queues.ts';

it('the queues in memory give each message once, in order, and not before its delay is over', async () => {
  let now = 1_000;
  let arrived = 0;
  const queues = new MemoryQueues(
    () => now,
    () => (arrived += 1),
  );
  const send = (id: string, queue: string, delayMs?: number) =>
    createInvocationQueue(queues as never, queue).send({ tenantId: 't', id }, delayMs);
  await send('late', 'a', 1_500);
  await send('first', 'a');
  await send('second', 'b');
  expect([arrived, queues.nextDue()]).toEqual([3, 1_000]);
  const taken = () => {
    const found = queues.take();
    return (
      found && [found.queue, (JSON.parse(found.body) as { readonly invocation_id: string }).invocation_id]
    );
  };
  expect([taken(), taken(), taken()]).toEqual([['a', 'first'], ['b', 'second'], undefined]);
  expect(queues.nextDue()).toBe(3_000);
  now = 2_999;
  expect(taken()).toBeUndefined();
  now = 3_000;
  expect([taken(), taken(), queues.nextDue()]).toEqual([['a', 'late'], undefined, undefined]);
});
