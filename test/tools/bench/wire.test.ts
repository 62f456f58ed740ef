import { sequentialCalls, withinMinute } from '../../../tools/bench/counts/wire.ts';

const span = (startedMs: number, durationMs: number) => ({ startedMs, durationMs });

it.each([
  ['none', [], 0],
  ['one', [span(0, 10)], 1],
  ['two concurrent ones', [span(0, 10), span(1, 10)], 1],
  ['one after the other', [span(0, 10), span(10, 10)], 2],
  ['two concurrent ones, then one', [span(0, 10), span(1, 30), span(31, 10)], 2],
  ['a short one and its successor during a long one', [span(0, 30), span(0, 10), span(11, 10)], 2],
])('calls in sequence: %s', (_name, calls, expected) => {
  expect(sequentialCalls(calls)).toBe(expected);
});

it('a measurement that a minute ended in starts over', async () => {
  jest.useFakeTimers({ now: 59_999 });
  let measurements = 0;
  const events: string[] = [];
  const measure = () => {
    measurements += 1;
    jest.advanceTimersByTime(1);
    return Promise.resolve(measurements);
  };
  const startOver = () => {
    events.push(`start over after ${String(measurements)}`);
    return Promise.resolve();
  };
  await expect(withinMinute(measure, startOver)).resolves.toBe(2);
  expect(events).toEqual(['start over after 1']);
  jest.useRealTimers();
});
