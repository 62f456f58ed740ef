import { createProgress } from './progress.ts';

it('the progress after a minute has what is done, of how much, and the last one', () => {
  const { onDone, nextMinute } = createProgress(3);
  expect(nextMinute()).toBe('1 min: 0 of 3 done');
  onDone('seed 1');
  onDone('seed 2');
  expect(nextMinute()).toBe('2 min: 2 of 3 done, the last one seed 2');
});

it('the progress of work that a time ends has no total', () => {
  expect(createProgress(undefined).nextMinute()).toBe('1 min: 0 done');
});
