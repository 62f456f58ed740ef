import { ratioBudget, repeatedNear } from '../../../tools/bench/near-limit.ts';

/** The result of runs with these ratios under a limit of 1. */
async function runsOf(first: number, ...more: readonly number[]) {
  const next = more.values();
  return repeatedNear(1, { ratio: first }, () => ({ ratio: next.next().value ?? NaN }));
}
const budgetOf = async (...[first, ...more]: readonly [number, ...number[]]) =>
  ratioBudget('a row', 1, await runsOf(first, ...more), ({ ratio }) => `of ${String(ratio)}`);

it.each([0.5, 0.84, 1.16, 2, NaN])('a ratio of %d, far from its limit, is measured once', async (ratio) => {
  expect((await runsOf(ratio)).ratios).toEqual([ratio]);
});

it.each([0.86, 1, 1.14])('a ratio of %d, near its limit, is measured three times', async (ratio) => {
  expect((await runsOf(ratio, 5, 6)).ratios).toEqual([ratio, 5, 6]);
});

it('the median of three runs counts, whatever the first one was', async () => {
  expect(await budgetOf(1.01, 0.9, 0.99)).toEqual({
    budget: 'a row',
    limit: '1 times',
    measured: '0.99 times (3 runs: 0.90 to 1.01)',
    reference: 'of 0.99',
    isMet: true,
  });
  expect(await budgetOf(0.99, 1.2, 1.01)).toMatchObject({ isMet: false });
});

it('a single run is labelled as one, and a ratio that is not a number meets no limit', async () => {
  expect(await budgetOf(0.5)).toMatchObject({ measured: '0.50 times (1 run)', isMet: true });
  expect(await budgetOf(1.5)).toMatchObject({ measured: '1.50 times (1 run)', isMet: false });
  expect(await budgetOf(NaN)).toMatchObject({ isMet: false });
});
