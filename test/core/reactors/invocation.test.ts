import {
  DELIVERY_TRIES,
  dueStep,
  pauseAfter,
  START_WITHIN_MS,
  type DueStep,
  type Invocation,
} from '../../../src/core/reactors/invocation.ts';

import { sweepInvocation, type SweepInvocationDeps } from '../../../src/core/reactors/sweep-invocation.ts';

const NOW = 10_000_000;

const anInvocation = (more: Partial<Invocation>): Invocation => ({
  id: 'i',
  tenantId: 't',
  reactorId: 'r',
  credentialId: 'c',
  state: 'queued',
  createdAt: NOW - 1000,
  delivery: 'none',
  attempts: 0,
  dueAt: NOW,
  readableUntil: NOW + 1000,
  ...more,
});

describe('the step of the sweep for an invocation', () => {
  it.each<[string, Partial<Invocation>, DueStep]>([
    ['does nothing before it is due', { dueAt: NOW + 1 }, 'wait'],
    ['sends the message of a queued one again', {}, 'queue'],
    ['gives up one that could not be started for an hour', { createdAt: NOW - START_WITHIN_MS }, 'give-up'],
    ['interrupts a running one whose runner is dead', { state: 'running', runner: 'x' }, 'interrupt'],
    ['attempts a pending delivery', { state: 'succeeded', delivery: 'pending' }, 'deliver'],
    [
      'attempts the delivery of a failure too',
      { state: 'failed', delivery: 'pending', attempts: 9 },
      'deliver',
    ],
    [
      'parks one whose last sender died',
      { state: 'succeeded', delivery: 'pending', attempts: DELIVERY_TRIES },
      'park',
    ],
    ['removes a delivered one', { state: 'succeeded', delivery: 'delivered' }, 'remove'],
    ['removes one that was parked for too long', { state: 'failed', delivery: 'parked' }, 'remove'],
    ['removes one that ended as forbidden', { state: 'succeeded', delivery: 'forbidden' }, 'remove'],
  ])('%s', (_title, more, step) => {
    expect(dueStep(anInvocation(more), NOW)).toBe(step);
  });

  it.each([
    ['counts a delivery that it parks', true, 1],
    ['counts none that another writer has changed', false, 0],
  ])('%s', async (_what, isFirst, count) => {
    const invocation = anInvocation({ state: 'succeeded', delivery: 'pending', attempts: DELIVERY_TRIES });
    let parked = 0;
    const invocationStore = {
      find: () => Promise.resolve(invocation),
      update: () => Promise.resolve(isFirst),
    };
    const onParked = () => void (parked += 1);
    await sweepInvocation({ invocationStore, clock: () => NOW, onParked } as unknown as SweepInvocationDeps, {
      tenantId: 't',
      id: 'i',
    });
    expect(parked).toBe(count);
  });

  it('pauses 10 s after the first attempt, and twice as long after each further one', () => {
    expect(Array.from({ length: 9 }, (_, at) => pauseAfter(at + 1) / 1000)).toEqual([
      10, 20, 40, 80, 160, 320, 640, 1280, 2560,
    ]);
  });
});
