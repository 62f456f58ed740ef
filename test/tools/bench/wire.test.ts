import { sequentialCalls } from '../../../tools/bench/counts/wire.ts';

const span = (startedMs: number, durationMs: number) => ({ startedMs, durationMs });

it.each([
  ['none', [], 0],
  ['one', [span(0, 10)], 1],
  ['two at once', [span(0, 10), span(1, 10)], 1],
  ['one after the other', [span(0, 10), span(10, 10)], 2],
  ['two at once, then one', [span(0, 10), span(1, 30), span(31, 10)], 2],
  ['a short one and its successor beside a long one', [span(0, 30), span(0, 10), span(11, 10)], 2],
])('calls in sequence: %s', (_name, calls, expected) => {
  expect(sequentialCalls(calls)).toBe(expected);
});
