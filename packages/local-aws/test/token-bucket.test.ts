import { createTokenBucket } from '../src/token-bucket.ts';

it('a burst passes immediately, then requests at the rate', () => {
  let now = 0;
  const bucket = createTokenBucket({ ratePerSecond: 10, burst: 3 }, () => now);
  expect([bucket(), bucket(), bucket(), bucket()]).toEqual([true, true, true, false]);
  now = 99;
  expect(bucket()).toBe(false);
  now = 200;
  expect([bucket(), bucket(), bucket()]).toEqual([true, true, false]);
});

it('an idle bucket never exceeds its burst', () => {
  let now = 0;
  const bucket = createTokenBucket({ ratePerSecond: 1000, burst: 1 }, () => now);
  now = 60_000;
  expect([bucket(), bucket()]).toEqual([true, false]);
});

it('the limits of the account apply by default', () => {
  const bucket = createTokenBucket({}, () => 0);
  const passed = Array.from({ length: 6000 }, () => bucket()).filter(Boolean);
  expect(passed).toHaveLength(5000);
});
