import { duration } from '../../src/wire/words.ts';

it.each([
  [1_000, '1 second'],
  [25_000, '25 seconds'],
  [60_000, '1 minute'],
  [90_000, '90 seconds'],
  [3_600_000, '1 hour'],
  [5_400_000, '90 minutes'],
  [86_400_000, '24 hours'],
])('%d ms are written in the largest unit that divides them: %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
