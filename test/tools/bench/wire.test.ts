import { sequentialCalls } from '../../../tools/bench/counts/wire.ts';

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
